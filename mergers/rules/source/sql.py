"""The rules of a class as one MERGE INTO statement of Spark SQL, for tables of Delta, Iceberg or Hudi.

What SQL does not say exactly as `payloads.records` does is refused by its name. Errors stay errors: where the class
fails on two versions, so does the statement.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Final, NamedTuple

from mergers.rules.source.merger import PointRule
from mergers.rules.source.python import word_table
from mergers.rules.source.sql_parts import is_ranked, quoted_name, raised
from mergers.rules.source.sql_rule import ALWAYS, DELETES, NEVER, WRITES, SqlRule
from payloads.rules import META_COLUMNS, ByArrival, ByColumn, ByOrdering, Effect, How, Point, Role

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from payloads.avro import AvroSchema
    from payloads.rules import MergeRule

_WIDTH: Final = 120
_KEEPS: Final = frozenset({Effect.CURRENT, Effect.SENTINEL})
_TWICE: Final = "the batch has two versions of one key; keep one per key"
_TIE: Final = "the batch has two versions of one key with equal ordering values; name the order in which they arrived"
_NULL: Final = "an ordering value is null; fill the ordering field"


class Merging(NamedTuple):
    """What a statement is about.

    Attributes:
        schema: the columns.
        key: those that tell rows apart, with those of the partition.
        ordering: the ordering fields.
        arrival: a column of the batch that says in which order its rows arrived; empty without one.
    """

    schema: AvroSchema
    key: Sequence[str]
    ordering: Sequence[str] = ()
    arrival: str = ""


def merge_statement(rules: Mapping[Point, MergeRule], of: Merging, about: str) -> str:
    """Return a statement that merges the table `incoming` into the table `target` by the rules of a class.

    Args:
        rules: the rules of the class for a stored row and for a version alone, and in a batch where that has one.
        of: the columns.
        about: the first lines of its comment.

    Raises:
        NotStatedError: naming the node that SQL has no form of.
    """
    stored, alone = (SqlRule(rules[point], of.schema, point) for point in (Point.STORED, Point.ALONE))
    names = [field.name for field in of.schema.fields if field.name not in META_COLUMNS]
    same = " AND ".join(f"older.{quoted_name(name)} = newer.{quoted_name(name)}" for name in of.key)
    comment = [*textwrap.wrap(about, _WIDTH - 3), "", *word_table(PointRule(rules[Point.STORED]), Point.STORED)]
    lines = [*(f"-- {one}".rstrip() for one in comment), "MERGE INTO target AS older", "USING ("]
    lines += [textwrap.indent(_batch(rules.get(Point.BATCH), of), "  "), ") AS newer", f"ON {same}"]
    deletes, updates, inserts = stored.when(DELETES), stored.when(WRITES), alone.when(WRITES)
    if deletes != NEVER:
        lines.append(f"WHEN MATCHED{_and(deletes)} THEN DELETE")
    values = [f"  {quoted_name(one)} = {stored.value(one)}" for one in names if one not in of.key]
    if updates != NEVER and values:  # a row that is nothing but its key stays as it is
        lines += [f"WHEN MATCHED{_and(updates)} THEN UPDATE SET", ",\n".join(values)]
    if inserts != NEVER:
        lines.append(f"WHEN NOT MATCHED{_and(inserts)} THEN INSERT ({', '.join(map(quoted_name, names))})")
        lines.append(f"  VALUES ({', '.join(map(alone.value, names))})")
    return "\n".join(lines) + ";\n"


def _and(test: str) -> str:
    return "" if test == ALWAYS else f" AND {test}"


# -- two versions of one batch


def _batch(rule: MergeRule | None, of: Merging) -> str:
    """Return the query for the version of each key that stands for a batch.

    A rule that keeps one version whole is a rank. Under any other, and where nothing says which of two equal versions
    came last, a batch with two versions of a key fails.
    """
    keys = ", ".join(map(quoted_name, of.key))
    order = None if rule is None else _order(rule, of)
    arrival = quoted_name(of.arrival) if of.arrival else ""
    count, rank = _free("_versions", of), _free("_rank", of)
    if rule is None or order is None or (not order and not arrival):
        counted = f"count(*) OVER (PARTITION BY {keys}) AS {count}"
        return _chosen([counted], f"CASE WHEN {count} > 1 THEN {raised(_TWICE)} ELSE true END")
    by_value = [f"{value}{' DESC' if descends else ''}" for value, descends in order]
    last = rule.later.tie is Role.NEWER if isinstance(rule.later, ByOrdering | ByColumn) else rule.result not in _KEEPS
    if arrival:
        by = ", ".join((*by_value, f"{arrival}{' DESC' if last else ''}"))
        return _chosen([f"row_number() OVER (PARTITION BY {keys} ORDER BY {by}) AS {rank}"], f"{rank} = 1")
    equal = ", ".join((keys, *(value for value, _ in order)))
    windows = [
        f"rank() OVER (PARTITION BY {keys} ORDER BY {', '.join(by_value)}) AS {rank}",
        f"count(*) OVER (PARTITION BY {equal}) AS {count}",
    ]
    return _chosen(windows, f"CASE WHEN {rank} > 1 THEN false WHEN {count} > 1 THEN {raised(_TIE)} ELSE true END")


def _chosen(windows: Sequence[str], which: str) -> str:
    columns = ",\n    ".join(("SELECT *", *windows))
    return "\n".join(("SELECT * FROM (", f"  {columns}", "  FROM incoming", ")", f"WHERE {which}"))


def _free(name: str, of: Merging) -> str:
    """Return a name that no column has; Spark's names know no case."""
    taken = {field.name.lower() for field in of.schema.fields} | {of.arrival.lower()}
    return next(one for one in (f"{'_' * more}{name}" for more in range(len(taken) + 1)) if one not in taken)


def _order(rule: MergeRule, of: Merging) -> list[tuple[str, bool]] | None:
    """Return what the rows of a key are ranked by, and whether the greater comes first; None if no rank is the rule."""
    later = rule.later
    if rule.cases or rule.result not in {Effect.WINNER, Effect.INCOMING, Effect.CURRENT}:
        return None
    if rule.result is not Effect.WINNER or isinstance(later, ByArrival):
        return []
    names = tuple(of.ordering) if isinstance(later, ByOrdering) else later.names
    fields = [of.schema.by_name[name] for name in names if name in of.schema.by_name]
    plain = later.how is How.JAVA and not (isinstance(later, ByOrdering) and later.unlike_wins)
    of_columns = isinstance(later, ByOrdering) or not any(field.schema.nullable for field in fields)
    if not plain or not of_columns or len(fields) != len(names) or not all(is_ranked(field) for field in fields):
        return None
    values = [
        f"coalesce({quoted_name(field.name)}, {raised(_NULL)})" if field.schema.nullable else quoted_name(field.name)
        for field in fields
    ]
    return [(value, not later.reverse) for value in values]
