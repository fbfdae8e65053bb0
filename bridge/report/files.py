"""A report as a file: HTML for people, JUnit XML for a build server, the JSON envelope, Markdown."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

from bridge.errors import InputError
from bridge.report.report import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from bridge.report.report import Report


def write_report(report: Report, path: Path) -> None:
    """Write a report in the format that the suffix of `path` names; an existing file is replaced.

    Raises:
        InputError: the file can't be written.
    """
    unfinished = path.with_name(f".{path.name}.part")
    try:
        unfinished.write_text(FORMS[path.suffix.lower()](report) + "\n", encoding="utf-8")
        unfinished.replace(path)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        msg = f"the report {path} can't be written ({error.strerror or error}); name another file with --report"
        raise InputError(msg) from error


# -- HTML

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; color: #222; }
.verdict { border-left: .4rem solid #b3261e; padding: .6rem 1rem; background: #f6f6f6; font-weight: 600; }
.verdict.good { border-color: #1b7f3b; }
.wide { overflow-x: auto; margin: 1.5rem 0; }
table { border-collapse: collapse; font-size: 14px; }
caption { text-align: left; font-weight: 600; padding: .3rem 0; white-space: nowrap; }
th, td { border: 1px solid #ccc; padding: .2rem .6rem; text-align: left; vertical-align: top; white-space: pre-wrap; }
th { background: #eee; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
p { white-space: pre-line; }
"""


def as_html(report: Report) -> str:
    """Return a self-contained page."""
    title = html.escape(f"payload-bridge {report.verb}")
    good = " good" if report.success else ""
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        f'<head><meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style></head>',
        f"<body><h1>{title}</h1>",
        f'<p class="verdict{good}">{_shown(report.verdict)}</p>',
        *(f"<p>warning: {_shown(one)}</p>" for one in report.warnings),
        *(_html_table(part) if isinstance(part, Table) else f"<p>{_shown(part)}</p>" for part in report.body),
        "</body></html>",
    ]
    return "\n".join(parts)


def _html_table(table: Table) -> str:
    marks = [' class="number"' if name in table.right else "" for name in table.columns]
    caption = f"<caption>{_shown(table.title)}</caption>" if table.title else ""
    lines = [_html_row("th", table.columns, marks), *(_html_row("td", row, marks) for row in table.rows)]
    return "\n".join((f'<div class="wide"><table>{caption}', *lines, "</table></div>"))


def _html_row(tag: str, cells: Sequence[str], marks: Sequence[str]) -> str:
    both = zip(marks, cells, strict=True)
    return "<tr>" + "".join(f"<{tag}{mark}>{_shown(one)}</{tag}>" for mark, one in both) + "</tr>"


def _shown(text: str) -> str:
    return html.escape(_printable(text))


# -- JUnit


def as_junit(report: Report) -> str:
    """Return a test suite: a test case a check of the report, or one for its verdict."""
    checks = [(one.name, one.failure, one.details) for one in report.checks]
    checks = checks or [(report.verb, None if report.success else report.verdict, "")]
    failed = sum(failure is not None for _, failure, _ in checks)
    counts = {"tests": str(len(checks)), "failures": str(failed), "errors": "0", "skipped": "0"}
    name = f"payload-bridge {report.verb}"
    root = ET.Element("testsuites", {"name": name, **counts})
    suite = ET.SubElement(root, "testsuite", {"name": name, **counts})
    for check, failure, details in checks:
        case = ET.SubElement(suite, "testcase", classname=f"payload-bridge.{report.verb}", name=_printable(check))
        if failure is not None:
            ET.SubElement(case, "failure", message=_printable(failure)).text = _printable(details or failure)
    ET.SubElement(suite, "system-out").text = _printable("\n".join((report.verdict, *report.warnings)))
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode")


# Not allowed in XML 1.0, and best avoided in HTML.
_UNPRINTABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def _printable(text: str) -> str:
    return _UNPRINTABLE.sub("\ufffd", text)


FORMS: Final[dict[str, Callable[[Report], str]]] = {
    ".html": as_html,
    ".json": lambda report: report.as_json(),
    ".xml": as_junit,
    ".md": lambda report: report.as_markdown(),
}
"""The form of a report by the suffix of its file."""
