"""Keys that have a stored row, a newer version or both: what becomes of each in one full outer join, on flat columns.

The stored side is not sorted: its rows stream past a hash table of the winners. That table does not spill, so it is
built only where its size is known and bounded; else Spark sorts both sides and merges them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from bridge.engines.control_columns import ACTION, MADE, NEWER, PREFIX
from bridge.engines.native.failures import NULL_ORDERING, UNLIKE_CLASSES, Failures
from bridge.engines.native.gaps import any_gap
from bridge.engines.native.ordering import later
from bridge.engines.native.size import full_outer
from bridge.engines.native.versions import CLASS, DEAD, NATURAL, RESET, TYPED, Versions
from bridge.merge import Action
from bridge.spark import META_COLUMNS, quoted

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import Column, DataFrame

    from bridge.engines.job import Job

_STAYS = f"{PREFIX}stays"


def met(versions: Versions, sides: list[DataFrame], job: Job) -> DataFrame:
    """Return the outcomes of `upsert`, `snapshot` and `compact`: the stored side, then the newer one."""
    stored, newer = sides
    winners = versions.winners(newer, counted=job.books)
    rows, keys = versions.rows(stored), versions.keys(stored)
    both = full_outer(rows, keys, winners, versions.key.matches(), newer, versions.twice())
    gaps = versions.rule.gaps
    if gaps:
        both = both.withColumn(_STAYS, _compared(versions))
    outcomes = both.withColumn(ACTION, _action(versions).cast("tinyint"))
    if job.only_rows:
        outcomes = outcomes.where(_is(Action.INSERT, Action.UPDATE, Action.KEEP))
    if gaps:
        outcomes = outcomes.withColumn(MADE, _made(versions))
    identity = {*job.plan.partition, *job.plan.key}
    written = _Written(versions)
    is_written, is_kept = _is(Action.INSERT, Action.UPDATE), _is(Action.KEEP)
    data = []
    for name in versions.names:
        old = quoted(name)
        column = sf.when(is_written, written(name, old))
        if not job.only_rows:
            bare = sf.coalesce(old, sf.col(versions.new[name])) if name in identity else sf.lit(None)
            old, column = bare, column.when(is_kept, old)
        data.append(column.otherwise(old).alias(name))
    return outcomes.select(*data, ACTION, *(counted(versions) if job.books else []))


def counted(versions: Versions) -> list[Column]:
    """Return the columns of which the books are made."""
    made = sf.col(MADE) if versions.rule.gaps else sf.lit(False)
    return [sf.coalesce(sf.col(NEWER), sf.lit(0)).alias(NEWER), made.alias(MADE)]


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
    """Return whether there is a stored row and a winner, and the stored row wins."""
    if not versions.rule.compares:
        return sf.lit(False)
    absent = versions.is_absent_above() | versions.is_absent_below() | sf.col(RESET)
    return sf.when(absent, sf.lit(False)).otherwise(_stays(versions))


def _made(versions: Versions) -> Column:
    """Return whether a row that is written is none of the two: the one that wins has gaps, or a fold made it."""
    new = any_gap(versions.rule.gaps, versions.new) & ~versions.is_absent_below()
    made = sf.when(sf.col(_STAYS), True).otherwise(sf.col(MADE) | new)
    return _is(Action.INSERT, Action.UPDATE) & made


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
    """Whether a stored row with the values `older` stays where a winner with the values `newer` meets it.

    To a merge mode a null of it is Integer 0, a value that compares with integers alone; to a payload no value, which
    every other one replaces.
    """
    rule, field = versions.rule, versions.ordering_field
    if not rule.by_mode:
        return later(older, newer, sf.lit(False))
    null = failures.raised(rule.merge_point, NULL_ORDERING, field=field)
    unlike = failures.raised(rule.merge_point, UNLIKE_CLASSES, field=field)
    if not rule.reads_log:
        is_null = sf.lit(False)
        for value in newer:
            is_null |= value.isNull()
        return later(older, newer, sf.when(is_null, null).otherwise(unlike))
    # Both are of one class, or both are null, which is a tie.
    own_class = sf.when(older[0].isNull(), NATURAL).otherwise(TYPED)
    return sf.when(own_class != sf.col(CLASS), unlike).otherwise(sf.coalesce(older[0] > newer[0], sf.lit(False)))


class _Written:
    """The data columns of a row that is written; one that a merge made has no meta columns yet."""

    def __init__(self, versions: Versions) -> None:
        self._versions = versions
        # Once for all columns: each expression takes calls of the JVM.
        self._stays, self._is_stored = sf.col(_STAYS), ~versions.is_absent_below()

    def __call__(self, name: str, old: Column) -> Column:
        """Return a column, whose stored value is `old`."""
        new, gaps = sf.col(self._versions.new[name]), self._versions.rule.gaps
        if not gaps:
            return new
        if name in META_COLUMNS:
            return sf.when(~sf.col(MADE), new)
        gap = next((gap for gap in gaps if gap.name == name), None)
        if gap is None:
            return sf.when(self._stays, old).otherwise(new)
        filled = sf.when(gap.of(new) & self._is_stored, old).otherwise(new)
        return sf.when(self._stays, sf.when(gap.of(old), new).otherwise(old)).otherwise(filled)


def _is(*actions: Action) -> Column:
    return sf.col(ACTION).isin(*map(int, actions))
