"""A report as a self-contained page: one template, its style and its script, for every verb."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import zlib
from typing import TYPE_CHECKING, Final

from bridge.display import file_text, template_of, trusted
from bridge.redaction import scrubbed
from bridge.report.json_values import cell
from bridge.report.preview import marked
from bridge.report.view import View

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bridge.report.json_values import JsonObject
    from bridge.report.report import Report

_SYMBOLS: Final = {
    "proved": "✓✓",
    "holds": "✓",
    "violated": "✗",
    "not-checked": "?",
    "not-tried": "?",
    "not-applicable": "\u2013",
}
_FIRST: Final = ("payload", "name", "release", "from", "to", "table_type", "row")
"""The settings that the head of a page names."""
_TOLD: Final = "universe"
"""What the laws of a page tell in words."""


def as_html(report: Report) -> str:
    """Return a page that needs nothing but itself.

    Its list of keys and its timelines are drawn from data in the page, which are packed: a thousand keys have many
    words in common. Everything else is there without a script.
    """
    report = scrubbed(marked(report))
    view = report.view or View(report.verdict)
    digest = base64.b64encode(hashlib.sha256(file_text("page.js").encode("utf-8")).digest()).decode("ascii")
    return template_of("page.html").render(
        report=report,
        view=view,
        remarks=[*(("Warning", one) for one in report.warnings), *(("Note", one) for one in view.notes)],
        settings=[*_head(report)],
        plan=[(name, _setting(value)) for name, value in report.plan.items() if name != _TOLD],
        symbols=_SYMBOLS,
        colours=trusted("colours.css"),
        style=trusted("parts.css", "page.css"),
        script=trusted("page.js"),
        script_hash=f"sha256-{digest}",
        data=_packed(report, view),
    )


def _head(report: Report) -> Iterator[str]:
    for name in _FIRST:
        value = report.plan.get(name)
        if value and not (name == "release" and report.plan.get("from")):
            yield f"{name.replace('_', ' ')} {_setting(value)}"


def _setting(value: object) -> str:
    """Return a setting as text: what is nested deeper than names and values is JSON."""
    if value in ({}, []):
        return "none"
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return ", ".join(value)
    if isinstance(value, dict) and not any(isinstance(one, list | dict) for one in value.values()):
        return ", ".join(f"{name}={cell(one)}" for name, one in value.items())
    return cell(value)


def _packed(report: Report, view: View) -> str:
    """Return what the script draws, deflated, in base64; nothing if it draws nothing."""
    data: JsonObject = {"sides": report.sides}
    if view.keys is not None:
        data |= {field.name: getattr(view.keys, field.name) for field in dataclasses.fields(view.keys)}
        data["sides"] = view.keys.sides or report.sides
        data["causes"] = [{"id": cause.id, "title": cause.title} for cause in view.keys.causes]
    elif view.story is not None:
        data["story"] = view.story
    else:
        return ""
    return base64.b64encode(zlib.compress(json.dumps(data).encode("ascii"), 9)).decode("ascii")
