"""The native engine: the winners of the newer side meet the stored rows in one full outer join, on flat columns.

The stored side is not sorted: its rows stream past a hash table of the winners. That table does not spill, so it is
built only where its size is known and bounded; else Spark sorts both sides and merges them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from bridge.engines.control_columns import ACTION, NEWER, visible
from bridge.engines.native.failures import NULL_ORDERING, UNLIKE_CLASSES
from bridge.engines.native.lowering import lowered
from bridge.engines.native.ordering import later
from bridge.engines.native.size import fits_in_memory
from bridge.engines.native.versions import CLASS, DEAD, NATURAL, RESET, TYPED, Versions
from bridge.engines.written_meta import stamped
from bridge.merge import Action
from bridge.spark import META_COLUMNS, quoted

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructField

    from bridge.engines.job import Job


def run(sides: list[DataFrame], job: Job, fields: tuple[StructField, ...]) -> DataFrame:
    """Run a job on the stored side and the newer one; return what `bridge.engines.Engine` says.

    The failure of a key is raised by Spark where it evaluates the result, in the words of the python engine.

    Raises:
        NotLoweredError: the job needs another engine.
    """
    stored, newer = sides
    versions = Versions(lowered(job), job.plan, fields)
    winners = versions.winners(newer, counted=job.books)
    if fits_in_memory(newer):
        winners = winners.hint("shuffle_hash")
    met = versions.rows(stored).join(winners, versions.same_key(), "full_outer")
    outcomes = met.withColumn(ACTION, _action(versions).cast("tinyint"))
    if job.only_rows:
        outcomes = outcomes.where(_is(Action.INSERT, Action.UPDATE, Action.KEEP))
    identity = {*job.plan.partition, *job.plan.key}
    data = [_data(versions, field.name, is_key=field.name in identity, only_rows=job.only_rows) for field in fields]
    counted = [sf.coalesce(sf.col(NEWER), sf.lit(0)).alias(NEWER)] if job.books else []
    outcomes = outcomes.select(*data, ACTION, *counted)
    if job.instant is not None and META_COLUMNS[0] in versions.names:
        outcomes = stamped(outcomes, job.plan, job.instant)
    return visible(outcomes) if job.only_rows else outcomes


def _action(versions: Versions) -> Column:
    """Return what becomes of a key; see `bridge.programs.Action`."""
    dead, ordering = sf.col(DEAD), versions.rule.ordering
    new = sf.when(dead, int(Action.SKIP)).otherwise(int(Action.INSERT))
    won = sf.when(dead, int(Action.DELETE)).otherwise(int(Action.UPDATE))
    action = sf.when(versions.is_absent_above(), int(Action.KEEP)).when(versions.is_absent_below(), new)
    if ordering:
        action = action.when(sf.col(RESET), int(Action.DELETE)).when(_stays(versions), int(Action.KEEP))
    return action.otherwise(won)


def _stays(versions: Versions) -> Column:
    """Whether the stored row has the greater ordering value, so that it stays.

    A null of it is Integer 0, a value that compares with integers alone.
    """
    rule = versions.rule
    field = versions.ordering_field
    null = versions.stored_failures.raised(rule.merge_point, NULL_ORDERING, field=field)
    unlike = versions.stored_failures.raised(rule.merge_point, UNLIKE_CLASSES, field=field)
    older = [value for kind in rule.ordering for value in kind.values_where_stored(quoted(kind.name))]
    newer = [sf.col(name) for name in versions.values]
    if not rule.reads_log:
        is_null = sf.lit(False)
        for value in newer:
            is_null |= value.isNull()
        return later(older, newer, sf.when(is_null, null).otherwise(unlike))
    # Both are of one class, or both are null, which is a tie.
    own_class = sf.when(older[0].isNull(), NATURAL).otherwise(TYPED)
    return sf.when(own_class != sf.col(CLASS), unlike).otherwise(sf.coalesce(older[0] > newer[0], sf.lit(False)))


def _data(versions: Versions, name: str, *, is_key: bool, only_rows: bool) -> Column:
    """Return a data column of the outcome: of the newer version, of the stored row, or of a bare key."""
    old, new = quoted(name), sf.col(versions.new[name])
    data = sf.when(_is(Action.INSERT, Action.UPDATE), new)
    if only_rows:
        return data.otherwise(old).alias(name)
    bare = sf.coalesce(old, new) if is_key else sf.lit(None)
    return data.when(_is(Action.KEEP), old).otherwise(bare).alias(name)


def _is(*actions: Action) -> Column:
    return sf.col(ACTION).isin(*map(int, actions))
