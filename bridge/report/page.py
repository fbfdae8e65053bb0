"""A report as a self-contained page: one template, its style and its script, for every verb."""

from __future__ import annotations

import base64
import dataclasses
import functools
import hashlib
import importlib.resources
import json
import zlib
from typing import TYPE_CHECKING, Any, Final

import jinja2
from markupsafe import Markup

from bridge.report.json_values import cell
from bridge.report.printable import printable
from bridge.report.view import View

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bridge.report.report import Report

_SYMBOLS: Final = {"proved": "✓✓", "holds": "✓", "violated": "✗", "not-checked": "?", "not-applicable": "\u2013"}
_FIRST: Final = ("payload", "name", "release", "from", "to", "table_type", "row")
"""The settings that the head of a page names."""


def as_html(report: Report) -> str:
    """Return a page that needs nothing but itself.

    Its list of keys and its timelines are drawn from data in the page, which are packed: a thousand keys have many
    words in common. Everything else is there without a script.
    """
    view = report.view or View(report.verdict)
    script, style = _file("page.js"), _file("page.css")
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    return _template().render(
        report=report,
        view=view,
        settings=", ".join(_head(report)),
        plan=[(name, cell(value)) for name, value in report.plan.items()],
        symbols=_SYMBOLS,
        style=Markup(style),  # noqa: S704 (our own file)
        script=Markup(script),  # noqa: S704 (our own file)
        script_hash=f"sha256-{digest}",
        data=_packed(report, view),
    )


@functools.cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_file),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        finalize=lambda value: printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value,
    )
    return environment.get_template("page.html")


@functools.cache
def _file(name: str) -> str:
    folder = importlib.resources.files("bridge.report") / "templates"
    return (folder / name).read_text(encoding="utf-8")


def _head(report: Report) -> Iterator[str]:
    for name in _FIRST:
        value = report.plan.get(name)
        if value and not (name == "release" and report.plan.get("from")):
            yield f"{name.replace('_', ' ')} {cell(value)}"


def _packed(report: Report, view: View) -> str:
    """Return what the script draws, deflated, in base64; nothing if it draws nothing."""
    data: dict[str, Any] = {"sides": report.sides}
    if view.keys is not None:
        data |= {field.name: getattr(view.keys, field.name) for field in dataclasses.fields(view.keys)}
        data["causes"] = [{"id": cause.id, "title": cause.title} for cause in view.keys.causes]
    elif view.story is not None:
        data["story"] = view.story
    else:
        return ""
    return base64.b64encode(zlib.compress(json.dumps(data).encode("ascii"), 9)).decode("ascii")
