"""Side names: naming two plans in a comparison by what distinguishes them."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bridge.plan import MergePlan
    from bridge.report import JsonObject

_LONGEST = 60
"""Settings with longer values are named without the value."""


def side_names(left: MergePlan, right: MergePlan) -> tuple[str, str]:
    """Return two distinct names: by release, payload or mode, table type, else by the settings that differ.

    `Hudi 0.15` and `Hudi 1.2`; `AWSDmsAvroPayload under 0.15` and `EVENT_TIME_ORDERING under 1.2`; `copy-on-write` and
    `merge-on-read`; `ordering=ts` and `ordering=seq`.
    """
    one, other = _merging(left, right)
    parts: list[tuple[str, str]] = []
    if one != other:
        parts.append((f"{one} under {left.release}", f"{other} under {right.release}"))
    elif left.release != right.release:
        parts.append((f"Hudi {left.release}", f"Hudi {right.release}"))
    if left.table_type is not right.table_type:
        parts.append((left.table_type.long_name, right.table_type.long_name))
    if not parts:
        parts.append(_by_settings(left, right))
    one, other = (", ".join(part[side] for part in parts) for side in (0, 1))
    return (one, other) if one != other else (f"Hudi {left.release}, first run", f"Hudi {right.release}, second run")


def _merging(left: MergePlan, right: MergePlan) -> tuple[str, str]:
    """Return what merges on each side; classes without packages, unless two share a name."""
    full = _merges(left), _merges(right)
    one, other = map(_without_package, full)
    return full if one == other else (one, other)


def _merges(plan: MergePlan) -> str:
    partial = None if plan.table is None or plan.payload is not None else plan.table.partial_update_mode
    return f"{plan.payload_name} with {partial}" if partial else plan.payload_name


def _without_package(name: str) -> str:
    return name if ":" in name else name.rpartition(".")[2]


def _by_settings(left: MergePlan, right: MergePlan) -> tuple[str, str]:
    one, other = _settings(left), _settings(right)
    names = [name for name in dict.fromkeys((*one, *other)) if one.get(name) != other.get(name)]
    first, second = (", ".join(_text(name, side.get(name)) for name in names) for side in (one, other))
    return first, second


def _settings(value: Any, prefix: str = "") -> JsonObject:
    """Return the settings in a dataclass by name; those of a property under its key."""
    found: JsonObject = {}
    for field in dataclasses.fields(value):
        inner = getattr(value, field.name)
        if isinstance(inner, Mapping):
            found |= inner
        elif dataclasses.is_dataclass(inner):
            found |= _settings(inner, f"{field.name} ")
        else:
            found[prefix + field.name] = inner
    return found


def _text(name: str, value: object) -> str:
    if value is None or value == ():
        return f"no {name}"
    if isinstance(value, enum.Enum):
        value = value.value
    text = ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return f"{name}={text}" if len(text) <= _LONGEST else name
