"""Rules as Python source: nodes and plain values, laid out as ruff lays them out in lines of 88 characters."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from payloads.rules import DATA, Columns, Role, RuleNode, Take, Word

if TYPE_CHECKING:
    from collections.abc import Iterator

WIDTH: Final = 88
_STEP: Final = 4


class _Group(NamedTuple):
    """A call, dict, list or tuple: what opens and closes it, and its parts with what precedes each."""

    opens: str
    parts: tuple[tuple[str, Any], ...]
    closes: str
    is_tuple: bool = False


def literal(value: object, before: str = "", after: str = "") -> str:
    """Return the source of a rule, a node of one or a plain value, on one line if it fits, else a part a line.

    Args:
        value: what to write.
        before: what stands before it on its line, the indentation included.
        after: what stands after it on its last line.
    """
    group = _group(value)
    flat = _flat(group)
    if isinstance(group, str) or not group.parts or len(before) + len(flat) + len(after) <= WIDTH:
        return f"{before}{flat}{after}"
    indent = " " * (len(before) - len(before.lstrip(" ")))
    inner = indent + " " * _STEP
    lines = [literal(part, f"{inner}{name}", ",") for name, part in group.parts]
    return "\n".join((f"{before}{group.opens}", *lines, f"{indent}{group.closes}{after}"))


def names_in(value: object) -> set[str]:
    """Return the names that the source of a value takes from `payloads.rules`."""
    match value:
        case Word():
            return {type(value).__name__}
        case Columns():
            found = _own(value)
            return set().union(*map(names_in, found.values()), {"DATA"} & {"DATA" for name in found if name == DATA})
        case RuleNode():
            return {type(value).__name__}.union(*(names_in(part) for _, part in _arguments(value)))
        case tuple():
            return set().union(*map(names_in, value))
    return set()


def quoted(text: str) -> str:
    """Return the source of a text, in double quotes where that takes no more escapes."""
    return _double(repr(text))


def _double(written: str) -> str:
    """Return a literal in double quotes, if it has none inside."""
    return written if '"' in written else f'"{written[1:-1]}"'


def _flat(group: _Group | str) -> str:
    if isinstance(group, str):
        return group
    parts = ", ".join(f"{name}{_flat(_group(part))}" for name, part in group.parts)
    lone = "," if group.is_tuple and len(group.parts) == 1 else ""
    return f"{group.opens}{parts}{lone}{group.closes}"


def _group(value: object) -> _Group | str:  # noqa: C901, PLR0911 (one a kind)
    match value:
        case Word():
            return f"{type(value).__name__}.{value.name}"
        case Columns():
            named = {"DATA" if name == DATA else quoted(name): node for name, node in _own(value).items()}
            return _Group("{", tuple((f"{name}: ", node) for name, node in named.items()), "}")
        case RuleNode():
            parts = tuple((f"{name}=" if name else "", part) for name, part in _arguments(value))
            return _Group(f"{type(value).__name__}(", parts, ")")
        case dict():
            return _Group("{", tuple((f"{quoted(name)}: ", part) for name, part in value.items()), "}")
        case list():
            return _Group("[", tuple(("", part) for part in value), "]")
        case tuple():
            return _Group("(", tuple(("", part) for part in value), ")", is_tuple=True)
        case str():
            return quoted(value)
        case bytes():
            return f"b{_double(repr(value)[1:])}"
        case float() if not math.isfinite(value):
            return f'float("{value}")'
        case float():
            return repr(value).replace("e+", "e")
    return repr(value)


def _own(columns: Columns[Any]) -> dict[str, object]:
    """Return the columns that a rule states: all that it leaves out are the later version's."""
    return {name: node for name, node in columns.items() if name != DATA or node != Take(Role.LATER)}


def _arguments(node: RuleNode) -> Iterator[tuple[str, Any]]:
    """Give the arguments of a node: what has a default by its name, where it is not the default."""
    for field in dataclasses.fields(node):  # type: ignore[arg-type]  # every node is one
        value = getattr(node, field.name)
        if field.default is dataclasses.MISSING:
            yield "", value
        elif value != field.default:
            yield field.name, value
