"""A report as a file: HTML for people, JUnit XML for a build server, the JSON envelope, Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

from bridge.display import printable
from bridge.errors import InputError
from bridge.redaction import scrubbed
from bridge.spark import write_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from bridge.report.report import Report
    from bridge.spark import Place


def write_report(report: Report, place: Place) -> None:
    """Write a report in the format that the suffix of its name says; an existing file is replaced.

    Raises:
        InputError: the file can't be written.
    """
    text = FORMS[place.suffixes[-1]](report) + "\n"
    try:
        write_file(place, text.encode())
    except OSError as error:
        msg = f"the report {place} can't be written ({error.strerror or error}); name another file with --report"
        raise InputError(msg) from error


# -- JUnit


def as_junit(report: Report) -> str:
    """Return a test suite: a test case a check of the report, or one for its verdict."""
    report = scrubbed(report)
    checks = [(one.name, one.failure, one.details) for one in report.checks]
    checks = checks or [(report.verb, None if report.success else report.verdict, "")]
    failed = sum(failure is not None for _, failure, _ in checks)
    counts = {"tests": str(len(checks)), "failures": str(failed), "errors": "0", "skipped": "0"}
    name = f"payload-bridge {report.verb}"
    root = ET.Element("testsuites", {"name": name, **counts})
    suite = ET.SubElement(root, "testsuite", {"name": name, **counts})
    for check, failure, details in checks:
        case = ET.SubElement(suite, "testcase", classname=f"payload-bridge.{report.verb}", name=printable(check))
        if failure is not None:
            ET.SubElement(case, "failure", message=printable(failure)).text = printable(details or failure)
    ET.SubElement(suite, "system-out").text = printable("\n".join((report.verdict, *report.warnings)))
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode")


def _as_html(report: Report) -> str:
    from bridge.report.page import as_html  # noqa: PLC0415 (the template library, which other forms do without)

    return as_html(report)


FORMS: Final[dict[str, Callable[[Report], str]]] = {
    ".html": _as_html,
    ".json": lambda report: report.as_json(),
    ".xml": as_junit,
    ".md": lambda report: report.as_markdown(),
}
"""The form of a report by the suffix of its file."""
