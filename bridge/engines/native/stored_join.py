"""Keys that have a stored row, a newer version or both: what becomes of each in one full outer join, on flat columns.

The stored side is not sorted: its rows stream past a hash table of the combined batch. That table does not spill, so it
is built only where its size is known and bounded; else Spark sorts both sides and merges them.
"""

from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from bridge.engines.control_columns import ACTION, GROUP, MADE, NEWER, PREFIX
from bridge.engines.native.failures import NULL_ORDERING, UNLIKE_CLASSES, Failures
from bridge.engines.native.ordering import later
from bridge.engines.native.partial_updates import any_gap
from bridge.engines.native.size import full_outer
from bridge.engines.native.versions import CLASS, DEAD, NATURAL, RESET, TYPED, Versions
from bridge.merge import Action
from bridge.spark import META_COLUMNS, quoted, quoted_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import Column, DataFrame

    from bridge.engines.job import Job

_STAYS, _WRITES = f"{PREFIX}stays", f"{PREFIX}writes"
_COLUMNS_OF_A_LOOP = 100
"""Up to how many columns Spark compiles operators into one loop (`spark.sql.codegen.maxFields`, its default).

Above, adding a column copies all others: with `_WRITES` an upsert of 200 columns took 4.7 s, without it 4.3.
"""


def joined(versions: Versions, sides: list[DataFrame], job: Job) -> DataFrame:
    """Return the outcomes of `upsert`, `snapshot` and `compact`: the stored side, then the newer one."""
    stored, newer = sides
    outer = versions.outer(stored, newer)
    combined = versions.combined(newer, counted=job.row_counts, in_one=outer.broadcast)
    both = full_outer(versions.rows(stored), versions.keys(stored), combined, outer)
    gaps = versions.rule.gaps
    if gaps:
        both = both.withColumn(_STAYS, _compared(versions))
    action = _action(versions).cast("tinyint")
    if not outer.broadcast:
        # Spark would push the filter below this column and evaluate the action twice, unless it is not deterministic:
        # the number of the partition makes it so. Beside stored rows the column itself goes below a union, the faster.
        action = sf.when(sf.spark_partition_id() >= 0, action)
    outcomes, writes = both.withColumn(ACTION, action), _is_sql(Action.INSERT, Action.UPDATE)
    if 2 * len(versions.names) <= _COLUMNS_OF_A_LOOP:
        outcomes, writes = outcomes.withColumn(_WRITES, sf.expr(writes)), _WRITES
    if job.only_rows:
        outcomes = outcomes.where(_is(Action.INSERT, Action.UPDATE, Action.KEEP))
    if gaps:
        outcomes = outcomes.withColumn(MADE, sf.expr(writes) & _made(versions))
    identity = {*job.plan.partition, *job.plan.key}
    written = _Written(versions, job.plan.key[0])
    data = []
    for name in versions.names:
        old = quoted_name(name)
        cases = f"WHEN {writes} THEN {written(name, old)}"
        if not job.only_rows:
            cases += f" WHEN {_is_sql(Action.KEEP)} THEN {old}"
        rest = old if job.only_rows else f"COALESCE({old}, {versions.new[name]})" if name in identity else "NULL"
        data.append(f"CASE {cases} ELSE {rest} END AS {old}")
    row_counts = counted(versions) if job.row_counts else {}
    return outcomes.selectExpr(*data, ACTION, *(f"{value} AS {name}" for name, value in row_counts.items()))


def counted(versions: Versions) -> dict[str, str]:
    """Return, as SQL, the columns of which the row counts are made."""
    return {NEWER: f"COALESCE({NEWER}, 0)", MADE: MADE if versions.rule.gaps else "FALSE"}


def _action(versions: Versions) -> Column:
    """Return what becomes of a key; see `bridge.programs.Action`."""
    dead, rule = sf.col(DEAD), versions.rule
    new = sf.when(dead, int(Action.SKIP)).otherwise(int(Action.INSERT))
    won = sf.when(dead, int(Action.DELETE)).otherwise(int(Action.UPDATE))
    action = sf.when(versions.is_absent_above(), int(Action.KEEP)).when(versions.is_absent_below(), new)
    if rule.compares:
        always = dead if rule.deletes_first else sf.col(RESET)
        stays, outcome = _stays(versions), sf.lit(int(Action.KEEP))
        if rule.gaps:
            is_filled = ~dead & any_gap(rule.gaps)
            stays, outcome = sf.col(_STAYS), sf.when(is_filled, int(Action.UPDATE)).otherwise(int(Action.KEEP))
        action = action.when(always, int(Action.DELETE)).when(stays, outcome)
    return action.otherwise(won)


def _compared(versions: Versions) -> Column:
    """Return whether there is a stored row and a combined version, and the stored row wins."""
    if not versions.rule.compares:
        return sf.lit(False)
    absent = versions.is_absent_above() | versions.is_absent_below() | sf.col(RESET)
    return sf.when(absent, sf.lit(False)).otherwise(_stays(versions))


def _made(versions: Versions) -> Column:
    """Return whether a row that is written is none of the two: the one that wins has gaps, or a fold made it."""
    new = any_gap(versions.rule.gaps, versions.new) & ~versions.is_absent_below()
    return sf.when(sf.col(_STAYS), True).otherwise(sf.col(MADE) | new)


def _stays(versions: Versions) -> Column:
    """Whether the stored row has the greater ordering value, so that it stays."""
    newer = [sf.col(name) for name in versions.values]
    return outlasts(versions, held_values(versions, quoted), newer, versions.stored_failures)


def held_values(versions: Versions, column_of: Callable[[str], Column]) -> list[Column]:
    """Return what to compare of a stored row; `column_of` gives its columns."""
    rule = versions.rule
    if not rule.by_mode:
        return [value for kind in rule.ordering for value in kind.values(column_of(kind.name))]
    return [value for kind in rule.ordering for value in kind.values_where_stored(column_of(kind.name))]


def outlasts(versions: Versions, older: list[Column], newer: list[Column], failures: Failures) -> Column:
    """Whether a stored row with the values `older` stays when a version with the values `newer` merges with it.

    To a merge mode a null of it is Integer 0, a value that compares with integers alone; to a payload no value, which
    every other one replaces.
    """
    rule, field = versions.rule, versions.ordering_field
    if not rule.by_mode:
        return later(older, newer, sf.lit(False))
    if not rule.reads_log:
        is_null = functools.reduce(operator.or_, (value.isNull() for value in newer))
        reason = sf.when(is_null, NULL_ORDERING).otherwise(UNLIKE_CLASSES)
        return later(older, newer, failures.raised(rule.merge_point, reason, field=field))
    # Both are of one class, or both are null, which is a tie.
    unlike = failures.raised(rule.merge_point, UNLIKE_CLASSES, field=field)
    own_class = sf.when(older[0].isNull(), NATURAL).otherwise(TYPED)
    return sf.when(own_class != sf.col(CLASS), unlike).otherwise(sf.coalesce(older[0] > newer[0], sf.lit(False)))


class _Written:
    """The data columns of a row that is written, as SQL.

    One that a merge made has no meta columns yet; a table in place shows those of the version that wins.
    """

    def __init__(self, versions: Versions, key: str) -> None:
        self._new = versions.new
        self._gaps = {gap.name: gap for gap in versions.rule.gaps}
        self._unknown = () if GROUP in versions.names else META_COLUMNS
        self._is_stored = f"{quoted_name(key)} IS NOT NULL"

    def __call__(self, name: str, old: str) -> str:
        """Return a column, whose stored value is `old`."""
        new = self._new[name]
        if not self._gaps:
            return new
        if name in self._unknown:
            return f"CASE WHEN NOT {MADE} THEN {new} END"
        if name not in self._gaps:
            return f"CASE WHEN {_STAYS} THEN {old} ELSE {new} END"
        gap = self._gaps[name]
        if gap.marker is None:  # without a stored row `old` is null
            return f"CASE WHEN {_STAYS} THEN COALESCE({old}, {new}) ELSE COALESCE({new}, {old}) END"
        filled = f"CASE WHEN {gap.of(new)} AND {self._is_stored} THEN {old} ELSE {new} END"
        return f"CASE WHEN {_STAYS} THEN CASE WHEN {gap.of(old)} THEN {new} ELSE {old} END ELSE {filled} END"


def _is(*actions: Action) -> Column:
    return sf.expr(_is_sql(*actions))


def _is_sql(*actions: Action) -> str:
    return f"{ACTION} IN ({', '.join(str(int(action)) for action in actions)})"
