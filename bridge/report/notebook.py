"""A report in a notebook: the page without its list of keys and its script, and of a bounded size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.display import Fragment, notebook_html
from bridge.report.preview import marked

if TYPE_CHECKING:
    from bridge.report.report import Report


def as_notebook(report: Report) -> str:
    """Return HTML for `_repr_html_` of what the report is about; `--output json` and files have all of it."""
    report = marked(report)
    view = report.view
    shown = Fragment(
        brand=f"payload-bridge {report.verb}",
        headline=report.verdict if view is None else view.headline,
        verdict=report.verdict,
        style="" if report.severity is None else report.severity.style,
        mark=report.headline,
        warnings=[*report.warnings, *(view.notes if view is not None else ())],
        body=[*report.body, *(f"Next: {step.purpose}\n{step.command}" for step in report.next)],
        view=view,
    )
    return notebook_html(shown)
