"""What a batch becomes beside the stored rows: a combined batch, and what a merge-on-read table writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from bridge.engines.control_columns import ACTION, ADDED_TYPES, IS_DELETE, MADE, NEWER, ORDERING, PREFIX, TO_LOG
from bridge.engines.native.met import counted
from bridge.engines.native.ordering import written
from bridge.engines.native.size import full_outer, is_scan, right_outer
from bridge.engines.native.versions import DEAD, Versions
from bridge.merge import Action
from bridge.spark import quoted

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from bridge.engines.job import Job

_STORED, _ADDED = f"{PREFIX}stored", f"{PREFIX}added"


def combined(versions: Versions, sides: list[DataFrame], job: Job) -> DataFrame:
    """Return the outcomes of `combine_input`: one version a key, whether it is a delete, its ordering value."""
    winners = versions.winners(sides[0], counted=job.books)
    data = [sf.col(new).alias(name) for name, new in versions.new.items()]
    action = sf.lit(int(Action.INSERT)).cast("tinyint").alias(ACTION)
    books = counted(versions) if job.books else []
    return winners.select(*data, action, sf.col(DEAD).alias(IS_DELETE), _ordering(versions, through_log=False), *books)


def appended(versions: Versions, sides: list[DataFrame], job: Job) -> DataFrame:
    """Return the outcomes of `append`: the stored rows as they are, and what the batch adds to them or to the log.

    The stored rows only pass if they are cheap to read again, for their keys; else a key with both has its row twice.
    """
    stored, newer = sides
    winners = versions.winners(newer, counted=job.books)
    rows, keys = versions.rows(stored), versions.keys(stored)
    kept, added = _kept(versions, job), _added(versions, job)
    if is_scan(stored):
        found = keys.withColumn(_STORED, sf.lit(True))
        beside = right_outer(found, winners, versions.key.matches(), newer, versions.twice())
        return _selected(rows, kept).unionByName(_selected(beside, added))
    both = full_outer(rows, keys, winners, versions.key.matches(), newer, versions.twice())
    is_stored = ~versions.is_absent_below()
    copies = sf.when(versions.is_absent_above(), sf.array(sf.lit(False))).when(
        is_stored, sf.array(sf.lit(False), sf.lit(True))
    )
    each = both.withColumn(_STORED, sf.when(is_stored, sf.lit(True)))
    each = each.withColumn(_ADDED, sf.explode(copies.otherwise(sf.array(sf.lit(True)))))
    return _selected(each, {name: sf.when(sf.col(_ADDED), added[name]).otherwise(kept[name]) for name in kept})


def _kept(versions: Versions, job: Job) -> dict[str, Column]:
    """Return the columns of a stored row."""
    books = {NEWER: sf.lit(0).cast("long"), MADE: sf.lit(False)} if job.books else {}
    return {
        **{name: quoted(name) for name in versions.names},
        ACTION: sf.lit(int(Action.KEEP)).cast("tinyint"),
        TO_LOG: sf.lit(False),
        ORDERING: sf.lit(None).cast(ADDED_TYPES[ORDERING]),
        **books,
    }


def _added(versions: Versions, job: Job) -> dict[str, Column]:
    """Return the columns of what a winner becomes: a row of the table or of the log, or a delete entry."""
    is_stored = sf.col(_STORED).isNotNull()
    to_log = is_stored if job.plan.inserts_to == "base" else sf.lit(True)
    dead, new = sf.col(DEAD), sf.when(is_stored, int(Action.UPDATE)).otherwise(int(Action.INSERT))
    action = sf.when(~dead, new).when(to_log, int(Action.DELETE)).otherwise(int(Action.SKIP))
    identity = {*job.plan.partition, *job.plan.key}
    data = {
        name: sf.col(column) if name in identity else sf.when(~dead, sf.col(column))
        for name, column in versions.new.items()
    }
    ordering = sf.when(dead & to_log, _ordering(versions, through_log=True))
    books = dict(zip((NEWER, MADE), counted(versions), strict=True)) if job.books else {}
    return {**data, ACTION: action.cast("tinyint"), TO_LOG: to_log, ORDERING: ordering, **books}


def _selected(frame: DataFrame, columns: dict[str, Column]) -> DataFrame:
    return frame.select(*(column.alias(name) for name, column in columns.items()))


def _ordering(versions: Versions, *, through_log: bool) -> Column:
    """Return `_pb_ordering` of a winner."""
    kinds = versions.rule.told
    values = [sf.col(versions.new[kind.name]) for kind in kinds]
    return written(kinds, values, plain_texts=through_log and versions.rule.plain_texts)
