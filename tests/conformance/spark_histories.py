"""Runs histories through the Spark pipeline: those of one plan and schema as one job, the case as part of the key."""

from __future__ import annotations

import collections
import dataclasses
import json
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as sf

from bridge import MergePlan, simulate_commits, simulate_upgrade
from bridge.engines.jvm_job import Calls
from bridge.errors import PlanError
from tests.conformance.histories import READ

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from tests.conformance.histories import History

_CASE = "conformance_case"
_TABLE_TYPES = {"COPY_ON_WRITE": "cow", "MERGE_ON_READ": "mor"}


def run_histories(
    spark: SparkSession, histories: Sequence[History], engine: str = "auto"
) -> Iterator[tuple[History, int, list[Mapping[str, Any]]]]:
    """Give the snapshots of each history: (history, number of the commit as in `History.snapshots`, rows)."""
    groups: dict[str, list[History]] = collections.defaultdict(list)
    for history in histories:
        groups[_group(history)].append(history)
    for group in groups.values():
        yield from _run_group(spark, group, engine)


def refusal(history: History, engine: str) -> str | None:
    """Say why an engine has no part in a history; None where it runs it."""
    if engine != "jvm":
        return None
    if history.upgrade is not None:
        return "an upgrade is the work of two releases, and the jvm engine runs one"
    try:
        Calls(plan_of(history, engine=engine))
    except PlanError as error:
        return str(error)
    return None


def _group(history: History) -> str:
    """Name what has to be equal in the histories of one job."""
    compactions = [commit.compacted_inline for commit in history.commits]
    plan = (history.payload_class, history.table_type, history.ordering, sorted(history.options.items()))
    upgrade = history.upgrade
    then = upgrade and (str(upgrade.release), upgrade.after, upgrade.keeps_version, upgrade.read is None)
    return json.dumps([str(history.release), history.schema_ddl, plan, compactions, then])


def _run_group(
    spark: SparkSession, group: list[History], engine: str
) -> Iterator[tuple[History, int, list[Mapping[str, Any]]]]:
    first = group[0]
    plan = plan_of(first, (_CASE, "part"), engine)
    if plan.global_index:  # a key is one row in all partitions, but not in all cases
        plan = dataclasses.replace(plan, key=(_CASE, "id"), partition=("part",))
    versions = versions_of(spark, dict(enumerate(group)))
    compact_after = [number for number, commit in enumerate(first.commits, start=1) if commit.compacted_inline]
    rows: dict[tuple[int, int], list[Mapping[str, Any]]] = collections.defaultdict(list)
    for result in _results(versions, plan, first, compact_after):
        for row in result.collect():
            values = row.asDict()
            rows[values.pop(_CASE), values.pop("_pb_commit")].append(values)
    for case, history in enumerate(group):
        for number in history.snapshots:
            yield history, number, rows[case, number]


def plan_of(history: History, partition: tuple[str, ...] = ("part",), engine: str = "auto") -> MergePlan:
    """Return the plan of the release that created a table."""
    return MergePlan(
        payload=history.payload_class,  # type: ignore[arg-type]
        merger=None if history.payload_class else history.rule,  # type: ignore[arg-type]
        release=history.release,
        table_type=_TABLE_TYPES[history.table_type],  # type: ignore[arg-type]
        key=("id",),
        partition=partition,
        ordering=history.ordering,
        props=history.options,
        engine=engine,  # type: ignore[arg-type]
    )


def _results(versions: DataFrame, plan: MergePlan, history: History, compact_after: list[int]) -> Iterator[DataFrame]:
    """Give the frames that together hold the snapshots of a history, numbered as there."""
    commits, upgrade = len(history.commits), history.upgrade
    if upgrade is None or upgrade.after == commits:
        yield simulate_commits(versions, plan, commits=commits, compact_after=compact_after)
    if upgrade is None:
        return
    then = dataclasses.replace(plan, release=upgrade.release)
    number = sf.col("_pb_commit")
    if upgrade.after < commits:
        yield simulate_upgrade(
            versions,
            plan,
            then,
            commits=commits,
            upgrade_after=upgrade.after,
            keep_table_version=upgrade.keeps_version,
            compact_after=compact_after,
        )
    if upgrade.read is not None:
        before = versions.where(number <= upgrade.after)
        only_read = simulate_upgrade(before, plan, then, commits=upgrade.after, upgrade_after=upgrade.after)
        last = only_read.where(number == upgrade.after)
        yield last.withColumn("_pb_commit", sf.lit(READ))


def versions_of(spark: SparkSession, group: dict[int, History]) -> DataFrame:
    """Return all incoming rows of histories of one schema, with case, commit and arrival.

    Values travel as JSON text, so that no type depends on what Spark infers.
    """
    lines = [
        (case, number, arrival, json.dumps(dict(row), default=str))
        for case, history in group.items()
        for number, commit in enumerate(history.commits, start=1)
        for arrival, row in enumerate(commit.incoming)
    ]
    schema_ddl = next(iter(group.values())).schema_ddl
    frame = spark.createDataFrame(lines, f"{_CASE} int, _pb_commit bigint, _pb_arrival bigint, data string")
    parsed = sf.from_json("data", schema_ddl, {"mode": "FAILFAST"}).alias("data")
    names = (_CASE, "_pb_commit", "_pb_arrival")
    return frame.select(*names, parsed).select(*names, "data.*")
