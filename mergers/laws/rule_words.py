"""Why a law holds or fails, in words: how rules merge, and in what two results differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, assert_never

from mergers.laws.asked import MAKES
from payloads.rules import (
    ByArrival,
    ByColumn,
    ByOrdering,
    Concat,
    Constant,
    FirstNonDefault,
    FirstNonMarker,
    FirstNonNull,
    Greatest,
    IfElse,
    Least,
    Role,
    Sum,
    Take,
    Union,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from payloads.avro import AvroSchema
    from payloads.rules import Column, MergeRule

_MOST: Final = 3
_WHOLE: Final = Take(Role.LATER)


def rules_text(rules: Sequence[MergeRule], schema: AvroSchema, fixed: Collection[str] = ()) -> str:
    """Say in a line how rules merge, but for columns that are the same in all versions."""
    orders = " or ".join(dict.fromkeys(_order_text(rule) for rule in rules))
    made: dict[str, list[str]] = {}
    for field in schema.fields:
        nodes = [rule.column(field.name) for rule in rules if makes(rule)]
        texts = dict.fromkeys(_column_text(node) for node in nodes if node != _WHOLE)
        if texts and field.name not in fixed:
            made.setdefault(" or ".join(texts), []).append(field.name)
    if not made:
        return f"one version stays whole, {orders}"
    named = [f"{_names_text(names)} {text}" for text, names in made.items()]
    return f"{', '.join(named)}; the later version is told {orders}"


def makes(rule: MergeRule) -> bool:
    """Whether a rule makes records column by column."""
    return bool(MAKES & {rule.result, *(case.gives for case in rule.cases)})


def _names_text(names: Sequence[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:_MOST])
    return shown + (f" and {len(names) - _MOST} more" if len(names) > _MOST else "")


def _order_text(rule: MergeRule) -> str:
    match rule.later:
        case ByArrival():
            return "by arrival"
        case ByOrdering():
            return "by ordering value"
        case ByColumn(names):
            return f"by {', '.join(f'`{name}`' for name in names)}"
        case other:
            assert_never(other)


def _column_text(node: Column) -> str:  # noqa: C901, PLR0911 (one a node)
    """Say what the value of a column is, as what follows its name."""
    match node:
        case Take(side):
            return f"is that of the {side.value} version"
        case FirstNonNull():
            return "is the first value that is not null"
        case FirstNonDefault():
            return "is the first value that is not the default"
        case FirstNonMarker():
            return "is the first value that is not the marker"
        case Least():
            return "is the lesser value"
        case Greatest():
            return "is the greater value"
        case Sum():
            return "adds"
        case Concat() | Union():
            return "joins"
        case Constant():
            return "is a constant"
        case IfElse():
            return "depends on a test"
        case other:
            assert_never(other)


def difference_text(sides: tuple[Any, Any], rules: Sequence[MergeRule], schema: AvroSchema) -> str:
    """Say in what two results differ: states of `from_rules`, of which one may be missing."""
    faults = [side.fault.fault.value for side in sides if side is not None and side.fault]
    if len(faults) > 1:
        return " and ".join(faults)
    if faults:
        return f"one side fails ({faults[0]})"
    left, right = (None if side is None or side.version is None else side.version for side in sides)
    if left is None or right is None:
        return "one side deletes the row"
    if left.record is None or right.record is None or left.marked is not right.marked:
        return "one side is a delete"
    for field in schema.fields:
        if left.record[field.name] != right.record[field.name] and any(map(makes, rules)):
            nodes = dict.fromkeys(_column_text(rule.column(field.name)) for rule in rules)
            return f"`{field.name}` {' or '.join(nodes)}"
    return f"another version stays, {' or '.join(dict.fromkeys(map(_order_text, rules)))}"
