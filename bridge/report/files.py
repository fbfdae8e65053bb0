"""A report as a file: HTML for people, JUnit XML for a build server, the JSON envelope, Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

from bridge.display import printable
from bridge.errors import InputError
from bridge.redaction import scrubbed
from bridge.report.preview import marked
from bridge.report.report import Check
from bridge.report.severity import Severity
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
    """Return a test suite: a test case a check, and one for the verdict where no check says why the report fails."""
    report = scrubbed(marked(report))
    worst = max(report.severities & report.fails, default=report.severity or Severity.UNCHANGED)
    checks = [*report.checks]
    if not checks or (not report.success and not any(check.severity in report.fails for check in checks)):
        checks.append(Check(report.verb, worst, report.verdict))
    found = [(check, _element(check.severity, report)) for check in checks]
    elements = [element for _, element in found]
    counts = {"tests": str(len(checks)), "failures": str(elements.count("failure"))}
    counts |= {"errors": str(elements.count("error")), "skipped": str(elements.count("skipped"))}
    name = f"payload-bridge {report.verb}"
    root = ET.Element("testsuites", {"name": name, **counts})
    suite = ET.SubElement(root, "testsuite", {"name": name, **counts})
    for check, element in found:
        case = ET.SubElement(suite, "testcase", classname=f"payload-bridge.{report.verb}", name=printable(check.name))
        if element == "skipped":
            ET.SubElement(case, element, message=printable(check.told))
        elif element:
            told = {"message": printable(check.told), "type": check.severity.value}
            ET.SubElement(case, element, told).text = printable(check.details or check.told)
    ET.SubElement(suite, "system-out").text = printable("\n".join((report.verdict, *report.warnings)))
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode")


def _element(severity: Severity, report: Report) -> str:
    """Return the element under a test case: none where the verb does not fail; `skipped` for what was not checked."""
    if severity in report.fails:
        return severity.junit
    return "skipped" if severity is Severity.NOT_CHECKED else ""


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
