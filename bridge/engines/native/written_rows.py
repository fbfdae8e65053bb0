"""What a batch becomes beside the stored rows: a combined batch, and what a merge-on-read table writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from bridge.engines.control_columns import ACTION, ADDED_TYPES, IS_DELETE, MADE, NEWER, ORDERING, PREFIX, TO_LOG
from bridge.engines.native.ordering import written
from bridge.engines.native.size import full_outer, is_few, is_scan, right_outer
from bridge.engines.native.stored_join import counted
from bridge.engines.native.versions import DEAD, Versions
from bridge.merge import Action
from bridge.spark import quoted_name

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from bridge.engines.job import Job

_STORED, _ADDED = f"{PREFIX}stored", f"{PREFIX}added"


def combined(versions: Versions, sides: list[DataFrame], job: Job) -> DataFrame:
    """Return the outcomes of `combine_input`: one version a key, whether it is a delete, its ordering value."""
    combined = versions.combined(sides[0], counted=job.row_counts, in_one=is_few(sides[0]))
    told = combined.withColumn(ORDERING, _ordering(versions, through_log=False))
    control = {ACTION: f"CAST({int(Action.INSERT)} AS TINYINT)", IS_DELETE: DEAD, ORDERING: ORDERING}
    row_counts = counted(versions) if job.row_counts else {}
    return _selected(told, versions.new | control | row_counts)


def appended(versions: Versions, sides: list[DataFrame], job: Job) -> DataFrame:
    """Return the outcomes of `append`: the stored rows as they are, and what the batch adds to them or to the log.

    The stored rows only pass if they are cheap to read again, for their keys; else a key with both has its row twice.
    """
    stored, newer = sides
    outer = versions.outer(stored, newer)
    combined = versions.combined(newer, counted=job.row_counts, in_one=outer.broadcast)
    rows, keys = versions.rows(stored), versions.keys(stored)
    kept, added = _kept(versions, job), _added(versions, job)
    if is_scan(stored):
        found = keys.withColumn(_STORED, sf.lit(True))
        beside = right_outer(found, combined, outer)
        beside = beside.withColumn(ORDERING, _ordering(versions, through_log=True))
        return _selected(rows, kept).unionByName(_selected(beside, added))
    both = full_outer(rows, keys, combined, outer)
    is_stored = ~versions.is_absent_below()
    copies = sf.when(versions.is_absent_above(), sf.array(sf.lit(False))).when(
        is_stored, sf.array(sf.lit(False), sf.lit(True))
    )
    each = both.withColumn(_STORED, sf.when(is_stored, sf.lit(True)))
    each = each.withColumn(_ADDED, sf.explode(copies.otherwise(sf.array(sf.lit(True)))))
    each = each.withColumn(ORDERING, _ordering(versions, through_log=True))
    return _selected(each, {name: f"CASE WHEN {_ADDED} THEN {added[name]} ELSE {kept[name]} END" for name in kept})


def _kept(versions: Versions, job: Job) -> dict[str, str]:
    """Return, as SQL, the columns of a stored row."""
    row_counts = {NEWER: "0L", MADE: "FALSE"} if job.row_counts else {}
    return {
        **{name: quoted_name(name) for name in versions.names},
        ACTION: f"CAST({int(Action.KEEP)} AS TINYINT)",
        TO_LOG: "FALSE",
        ORDERING: f"CAST(NULL AS {ADDED_TYPES[ORDERING].simpleString()})",
        **row_counts,
    }


def _added(versions: Versions, job: Job) -> dict[str, str]:
    """Return, as SQL, the columns of what a version becomes: a row of the table or of the log, or a delete entry."""
    is_stored = f"{_STORED} IS NOT NULL"
    to_log = is_stored if job.plan.inserts_to == "base" else "TRUE"
    new = f"CASE WHEN {is_stored} THEN {int(Action.UPDATE)} ELSE {int(Action.INSERT)} END"
    action = f"CASE WHEN NOT {DEAD} THEN {new} WHEN {to_log} THEN {int(Action.DELETE)} ELSE {int(Action.SKIP)} END"
    identity = {*job.plan.partition, *job.plan.key}
    data = {
        name: column if name in identity else f"CASE WHEN NOT {DEAD} THEN {column} END"
        for name, column in versions.new.items()
    }
    ordering = f"CASE WHEN {DEAD} AND {to_log} THEN {ORDERING} END"
    row_counts = counted(versions) if job.row_counts else {}
    return {**data, ACTION: f"CAST({action} AS TINYINT)", TO_LOG: to_log, ORDERING: ordering, **row_counts}


def _selected(frame: DataFrame, columns: dict[str, str]) -> DataFrame:
    return frame.selectExpr(*(f"{column} AS {quoted_name(name)}" for name, column in columns.items()))


def _ordering(versions: Versions, *, through_log: bool) -> Column:
    """Return `_pb_ordering` of a combined version."""
    kinds = versions.rule.written_ordering
    values = [sf.col(versions.new[kind.name]) for kind in kinds]
    return written(kinds, values, plain_texts=through_log and versions.rule.plain_texts)
