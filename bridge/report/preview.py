"""The mark of a report about a release to come: its rules are taken from sources, and nothing was compared."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeVar

from bridge.report.table import Table
from mergers import PartialUpdateMode
from payloads import HudiRelease
from payloads.release import PREVIEW_NOTE

R = TypeVar("R", bound=Any)

_NAME: Final = HudiRelease.V1_3.value
_NAMES: Final = (_NAME, *(one.value for one in PartialUpdateMode if one.is_in(HudiRelease.V1_3)))
_SENTENCE: Final = f"{PREVIEW_NOTE[:1].upper()}{PREVIEW_NOTE[1:]}."


def marked(report: R) -> R:
    """Return a report whose verdict, which every form shows, says so if it is about a preview."""
    told = (report.verdict, report.scenario, report.plan, report.sides, report.statistics, report.warnings, report.body)
    if not _names_preview(told) or _SENTENCE in report.verdict:
        return report
    return dataclasses.replace(report, verdict=with_note(report.verdict))


def with_note(verdict: str) -> str:
    """Return a verdict with what is said of a preview."""
    return f"{verdict} {_SENTENCE}"


def is_about_preview(value: object, depth: int = 5) -> bool:
    """Whether a result has a preview among its settings: in its fields, and theirs."""
    match value:
        case HudiRelease():
            return value.is_preview
        case str():
            return value in _NAMES
        case Mapping():
            found: Iterable[object] = value.values()
        case tuple() | list() | frozenset():
            found = value
        case _ if hasattr(value, "__dict__") and type(value).__module__.partition(".")[0] in {"bridge", "mergers"}:
            found = vars(value).values()
        case _ if dataclasses.is_dataclass(value) and not isinstance(value, type):
            found = (getattr(value, one.name) for one in dataclasses.fields(value))
        case _:
            return False
    return depth > 0 and any(is_about_preview(one, depth - 1) for one in found)


def _names_preview(told: object) -> bool:
    match told:
        case str():
            return any(name in told for name in _NAMES)
        case Table():
            return _names_preview((told.title, told.columns, told.rows))
        case Mapping():
            return any(map(_names_preview, (*told, *told.values())))
        case tuple() | list():
            return any(map(_names_preview, told))
        case _:
            return False
