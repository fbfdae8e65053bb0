"""The mark of a report about a release to come: its rules are taken from sources, and nothing was compared."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeVar

from payloads import HudiRelease
from payloads.release import PREVIEW_NOTE

R = TypeVar("R", bound=Any)

_PREVIEWS: Final = (HudiRelease.V1_3, HudiRelease.V1_3.value)
_SETTINGS: Final = ("release", "from", "to")
"""The settings of a plan that name releases."""
_FIELDS: Final = frozenset({*_SETTINGS, "reader", "releases", "written_by"})
"""The fields of results that name releases as text."""
_SENTENCE: Final = f"{PREVIEW_NOTE[:1].upper()}{PREVIEW_NOTE[1:]}."


def marked(report: R) -> R:
    """Return a report whose verdict, which every form shows, says so if it is about a preview.

    The releases of a report decide, and those that its plan names: its texts and rows may have the name as data.
    """
    named = (*report.releases, *(report.plan.get(one) for one in _SETTINGS))
    if not any(map(_is_preview, named)) or _SENTENCE in report.verdict:
        return report
    return dataclasses.replace(report, verdict=with_note(report.verdict))


def with_note(verdict: str) -> str:
    """Return a verdict with what is said of a preview."""
    return f"{verdict} {_SENTENCE}"


def is_about_preview(value: object, depth: int = 5) -> bool:
    """Whether a result has a preview among its settings: in its fields, and theirs."""
    found: Iterable[tuple[str, object]]
    match value:
        case HudiRelease():
            return value.is_preview
        case Mapping():
            found = [("", one) for one in value.values()]
        case tuple() if hasattr(value, "_asdict"):
            found = value._asdict().items()
        case tuple() | list() | frozenset():
            found = [("", one) for one in value]
        case _ if hasattr(value, "__dict__") and type(value).__module__.partition(".")[0] in {"bridge", "mergers"}:
            found = [*vars(value).items(), ("releases", getattr(value, "releases", ()))]
        case _ if dataclasses.is_dataclass(value) and not isinstance(value, type):
            found = [(one.name, getattr(value, one.name)) for one in dataclasses.fields(value)]
        case _:
            return False
    if any(name in _FIELDS and any(map(_is_preview, _each(one))) for name, one in found):
        return True
    return depth > 0 and any(is_about_preview(one, depth - 1) for _, one in found)


def _each(value: object) -> Iterable[object]:
    return value if isinstance(value, tuple | list) else (value,)


def _is_preview(named: object) -> bool:
    """Whether that is a preview, or its name."""
    return named in _PREVIEWS
