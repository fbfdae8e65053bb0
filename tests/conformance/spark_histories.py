"""Runs histories through the Spark pipeline: those of one plan and schema as one job, the case as part of the key."""

from __future__ import annotations

import collections
import dataclasses
import json
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as sf

from bridge import Batch, Batches, MergePlan, SqlMerge
from bridge.config import WRITE_PRECOMBINE, WRITE_TABLE_VERSION
from bridge.config.keys import INLINE_COMPACTION, SMALL_FILE_LIMIT
from bridge.engines import COMMIT
from bridge.engines.jvm.job import Calls
from bridge.errors import PlanError
from bridge.pipeline import simulate, simulate_commits, upgrade_commits
from bridge.programs import NextWriter
from tests.conformance.histories import columns_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from tests.conformance.histories import History, Run

    Simulated = Callable[[DataFrame, MergePlan, History, Run], DataFrame]

_CASE = "conformance_case"
_TABLE_TYPES = {"COPY_ON_WRITE": "cow", "MERGE_ON_READ": "mor"}


def run_histories(
    spark: SparkSession, histories: Sequence[History], engine: str = "auto", simulated: Simulated | None = None
) -> Iterator[tuple[History, int, list[Mapping[str, Any]] | Exception]]:
    """Give the snapshots of each history: (history, number as in `History.snapshots`, rows or what failed).

    `simulated` makes the snapshots of the tables of one job; by default one program does.
    """
    groups: dict[str, list[History]] = collections.defaultdict(list)
    for history in histories:
        groups[_group(history)].append(history)
    for group in groups.values():
        if group[0].operations:
            yield from (answer for history in group for answer in _operated(spark, history, engine))
            continue
        try:
            yield from list(_run_group(spark, group, engine, simulated or _result))
        except Exception as error:  # noqa: BLE001 (one job that fails must not hide the others)
            yield from ((history, number, error) for history in group for number in history.snapshots)


def _operated(
    spark: SparkSession, history: History, engine: str
) -> Iterator[tuple[History, int, list[Mapping[str, Any]] | Exception]]:
    """Give the snapshots of a history whose commits are not all upserts: its batches name their operations."""
    try:
        plan = plan_of(history, engine=engine)
        batches = batches_of(spark, history)
        rows: dict[int, list[Mapping[str, Any]]] = collections.defaultdict(list)
        for run in history.runs:
            written, steps = Batches.of(batches[: run.commits]), steps_of(history, run, plan)
            operations = written.operations_of(plan)
            settings: dict[str, Any] = {"commits": run.commits, "compact_after": history.compact_after}
            if steps:
                found = upgrade_commits(written.versions(plan), plan, steps, **settings, operations=operations)
            else:
                found = simulate(written, plan, compact_after=history.compact_after).snapshots
            for row in found.collect():
                values = row.asDict()
                commit = values.pop(COMMIT)
                if commit in run.numbers:
                    rows[run.numbers[commit]].append(values)
        yield from [(history, number, rows[number]) for number in history.snapshots]
    except Exception as error:  # noqa: BLE001 (as in `run_histories`)
        yield from ((history, number, error) for number in history.snapshots)


def batches_of(spark: SparkSession, history: History) -> list[Batch]:
    """Return the batches of a history, each with its operation and with the columns that its rows have."""
    kinds = columns_of(history.schema_ddl)
    found = []
    for commit in history.commits:
        if commit.statement is not None:
            ddl = commit.source_ddl or history.schema_ddl
            source = [tuple(row.values()) for row in commit.incoming]
            found.append(Batch(spark.createDataFrame(source, ddl).coalesce(1), SqlMerge(commit.statement)))
            continue
        names = [name for name in kinds if name in commit.incoming[0]]
        if commit.operation.deletes_keys:
            names = ["id", "part"]
        rows = [tuple(row[name] for name in names) for row in commit.incoming]
        frame = spark.createDataFrame(rows, ", ".join(f"{name} {kinds[name]}" for name in names)).coalesce(1)
        found.append(Batch(frame, commit.operation.value))
    return found


def refusal(history: History, engine: str) -> str | None:
    """Say why an engine has no part in a history; None where it runs it."""
    if engine != "jvm":
        return None
    if history.operations:
        return "operations other than upsert run in the python engine alone"
    if history.upgrade is not None:
        return "after an upgrade the mode of its table decides, and no class merges"
    try:
        Calls(plan_of(history, engine=engine))
    except PlanError as error:
        return str(error)
    return None


def _group(history: History) -> str:
    """Name what has to be equal in the histories of one job."""
    plan = (history.payload_class, history.table_type, history.ordering, sorted(history.options.items()))
    then = [(str(one.release), one.after, one.keeps_version, one.version, one.read is None) for one in history.upgrades]
    return json.dumps(
        [
            str(history.release),
            history.schema_ddl,
            plan,
            len(history.commits),
            history.compact_after,
            then,
            history.plain_after,
        ]
    )


def _run_group(
    spark: SparkSession, group: list[History], engine: str, simulated: Simulated
) -> Iterator[tuple[History, int, list[Mapping[str, Any]]]]:
    first = group[0]
    plan = plan_of(first, (_CASE, "part"), engine)
    if plan.global_index:  # a key is one row in all partitions, but not in all cases
        plan = dataclasses.replace(plan, key=(_CASE, "id"), partition=("part",))
    versions = versions_of(spark, dict(enumerate(group)))
    rows: dict[tuple[int, int], list[Mapping[str, Any]]] = collections.defaultdict(list)
    for run in first.runs:
        for row in simulated(versions, plan, first, run).collect():
            values = row.asDict()
            case, commit = values.pop(_CASE), values.pop(COMMIT)
            if commit in run.numbers:
                rows[case, run.numbers[commit]].append(values)
    for case, history in enumerate(group):
        for number in history.snapshots:
            yield history, number, rows[case, number]


_WRITER = {SMALL_FILE_LIMIT: "0", INLINE_COMPACTION: "false"}
"""What all recorded writers have, unless a case says otherwise: see tests/data/histories/FORMAT.md."""


def plan_of(history: History, partition: tuple[str, ...] = ("part",), engine: str = "auto") -> MergePlan:
    """Return the plan of the release that created a table."""
    return MergePlan(
        payload=history.payload_class,
        merger=None if history.payload_class else history.rule,
        release=history.release,
        table_type=_TABLE_TYPES[history.table_type],
        key=("id",),
        partition=partition,
        ordering=history.ordering,
        props={name: text for name, text in (_WRITER | history.options).items() if text is not None},
        engine=engine,  # type: ignore[arg-type]
    )


def steps_of(history: History, run: Run, plan: MergePlan) -> list[NextWriter]:
    """Return how other writers take a table over in a run: of another release, or of the same without a class."""
    if history.upgrade is None and history.plain_after is not None:
        return [NextWriter(history.plain_after, plan.as_plain(), keep_table_version=True)]
    steps = []
    for one in run.upgrades:
        props = {key: text for key, text in plan.props.items() if key != WRITE_TABLE_VERSION.key}
        if one.version is not None:
            props[WRITE_TABLE_VERSION.key] = str(one.version)
        # No writer passes the ordering fields of both: the write that upgrades is held against the older ones.
        props = {key: text for key, text in props.items() if not (one.reorders and key == WRITE_PRECOMBINE.key)}
        ordering = () if one.reorders else plan.ordering
        then = dataclasses.replace(plan, release=one.release, props=props, ordering=ordering)
        then = then.as_plain() if history.plain_after == one.after else then
        steps.append(NextWriter(one.after, then, one.keeps_version))
    return steps


def _result(versions: DataFrame, plan: MergePlan, history: History, run: Run) -> DataFrame:
    """Return the snapshots of one simulation."""
    written = versions.where(sf.col(COMMIT) <= run.commits)
    settings: dict[str, Any] = {"commits": run.commits, "compact_after": history.compact_after}
    steps = steps_of(history, run, plan)
    if not steps:
        return simulate_commits(written, plan, **settings)
    return upgrade_commits(written, plan, steps, **settings)


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
