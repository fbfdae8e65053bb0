"""Why a law holds or fails, in words: how rules merge, and in what two results differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mergers.laws.rule_preconditions import MAKES
from payloads.backports import assert_never
from payloads.rules import (
    AllOf,
    AnyOf,
    ByArrival,
    ByColumn,
    ByOrdering,
    ColumnIs,
    Concat,
    Constant,
    Effect,
    FirstNonDefault,
    FirstNonMarker,
    FirstNonNull,
    Greatest,
    IfElse,
    IsListed,
    JoinedLists,
    Least,
    MergeRule,
    Not,
    Role,
    Sum,
    Take,
    TextIs,
    Union,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from payloads.avro import AvroSchema
    from payloads.rules import Case, Column, Later, Test

_MOST: Final = 3
_WHOLE: Final = Take(Role.LATER)


Judged = dict[str, MergeRule]
"""The rules that a law is about, by where they merge: as what follows a verb."""


def rules_text(judged: Judged, schema: AvroSchema, fixed: Collection[str] = ()) -> str:
    """Say in a line how rules merge, but for columns that are the same in all versions."""
    orders = _by_place({place: _order_text(rule) for place, rule in judged.items()})
    made: dict[str, list[str]] = {}
    for field in schema.fields:
        if field.name not in fixed and not _is_whole(field.name, judged):
            made.setdefault(_values_text(field.name, judged), []).append(field.name)
    if not made:
        return f"one version is kept whole, {orders}"
    named = [f"{_names_text(names)} {text}" for text, names in made.items()]
    return f"{', '.join(named)}; the later version is determined {orders}"


def makes(rule: MergeRule) -> bool:
    """Whether a rule makes records column by column."""
    return bool(MAKES & {rule.result, *(case.gives for case in rule.cases)})


def _node(name: str, rule: MergeRule) -> Column:
    return rule.column(name) if makes(rule) else _WHOLE


def _is_whole(name: str, judged: Judged) -> bool:
    return all(_node(name, rule) == _WHOLE for rule in judged.values())


def _values_text(name: str, judged: Judged) -> str:
    return _by_place({place: _column_text(_node(name, rule)) for place, rule in judged.items()})


def _by_place(texts: dict[str, str]) -> str:
    """Say what is so where, and where only if it is not the same everywhere."""
    if len(set(texts.values())) == 1:
        return next(iter(texts.values()))
    return " and ".join(f"{text} {place}" for place, text in texts.items())


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
        case Concat() | Union() | JoinedLists():
            return "joins"
        case Constant():
            return "is a constant"
        case IfElse():
            return "depends on a test"
        case other:
            assert_never(other)


def difference_text(sides: tuple[Any, Any], judged: Judged, schema: AvroSchema) -> str:
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
        if left.record[field.name] != right.record[field.name] and not _is_whole(field.name, judged):
            return f"`{field.name}` {_values_text(field.name, judged)}"
    orders = _by_place({place: _order_text(rule) for place, rule in judged.items()})
    names = [name for rule in judged.values() for case in rule.cases for name in tested(case.when)]
    tests = f", unless a test of {_names_text(list(dict.fromkeys(names)))} decides" if names else ""
    return f"another version stays, {orders}{tests}"


def parting_text(
    judged: Judged, ordering_fields: tuple[str, ...], schema: AvroSchema, fixed: Collection[str] = ()
) -> str:
    """Say in what rules of several places differ, but for what they do with deletes; empty text if in nothing."""
    orders = {place: _order_of(rule.later, ordering_fields) for place, rule in judged.items()}
    parts = [] if len(set(orders.values())) == 1 else [f"the later version is determined {_by_place(orders)}"]
    columns: dict[str, list[str]] = {}
    for field in schema.fields:
        made = {place: _node(field.name, rule) for place, rule in judged.items()}
        plain = {_WHOLE if _is_newer(node, judged[place]) else node for place, node in made.items()}
        if field.name not in fixed and len(plain) > 1:
            columns.setdefault(_values_text(field.name, judged), []).append(field.name)
    parts += [f"{_names_text(names)} {text}" for text, names in columns.items()]
    looks = {
        place: _names_text(list(dict.fromkeys(name for one in rule.cases for name in _decides(one)))) or "no column"
        for place, rule in judged.items()
    }
    parts += [] if len(set(looks.values())) == 1 else [f"tests look at {_by_place(looks)}"]
    return "; ".join(parts)


def _is_newer(node: Column, rule: MergeRule) -> bool:
    """Whether a column is that of the newer version, which by arrival is the later one."""
    return node == Take(Role.NEWER) and isinstance(rule.later, ByArrival)


def _order_of(later: Later, ordering_fields: tuple[str, ...]) -> str:
    match later:
        case ByArrival():
            return "by arrival"
        case ByOrdering(tie=tie, reverse=reverse):
            name = "ordering value"
        case ByColumn(names, tie=tie, reverse=reverse):
            name = "ordering value" if names == ordering_fields else ", ".join(f"`{one}`" for one in names)
        case other:
            assert_never(other)
    return f"by the {'lesser' if reverse else 'greater'} {name}, of equal ones the {tie.value} version,"


def _decides(case: Case) -> Iterator[str]:
    """Yield the columns that a case looks at, unless it is one of a delete."""
    if case.gives is not Effect.DELETE:
        yield from tested(case.when)


def tested(test: Test) -> list[str]:
    """Return the columns that a test looks at."""
    match test:
        case ColumnIs(column=name) | TextIs(column=name) | IsListed(column=name):
            return [name]
        case AllOf(tests) | AnyOf(tests):
            return [name for one in tests for name in tested(one)]
        case Not(inner):
            return tested(inner)
        case _:
            return []
