"""Runs histories through the native engine: commit by commit, by the functions of single merge points."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from bridge import append, compact, snapshot, upsert
from bridge.engines import COMMIT, Job, engine_of
from bridge.errors import PlanError
from bridge.pipeline import program_of
from bridge.plan import TableType
from bridge.programs import UPSERTS
from bridge.spark.schema import avro_schema
from tests.conformance.in_process import struct_of
from tests.conformance.spark_histories import plan_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from bridge import MergePlan
    from tests.conformance.histories import History, Run


def refusal(history: History) -> str | None:
    """Say why the native engine has no part in a history; None where it writes or reads it."""
    plan = plan_of(history, engine="native")
    if history.upgrade is not None:
        return "an upgrade is not a merge"
    try:
        struct = struct_of(history.schema_ddl)
        if (program := program_of(plan, UPSERTS)) != "simulate":
            return f"{program} is not done commit by commit"
        merges = "snapshot" if plan.table_type is TableType.MERGE_ON_READ else "upsert"
        engine_of(Job(plan, avro_schema(struct, plan.release), tuple(struct.names), merges))
    except PlanError as error:
        return str(error)
    return None


def runs_at_once(history: History) -> bool:
    """Whether the native engine runs all commits of a history in one plan."""
    if history.upgrade is not None or history.operations:
        return False
    plan, struct = plan_of(history, engine="native"), struct_of(history.schema_ddl)
    try:
        program = program_of(plan, UPSERTS)
        engine_of(Job(plan, avro_schema(struct, plan.release), tuple(struct.names), program))
    except PlanError:
        return False
    return True


def snapshots(versions: DataFrame, plan: MergePlan, history: History, run: Run) -> DataFrame:
    """Return the snapshots of a table: what `simulate_commits` does in one job."""
    writer = dataclasses.replace(plan, engine="auto")  # which writes to logs, or compacts them, by another engine
    stored, log = versions.where("false").drop(COMMIT, "_pb_arrival"), None
    found = []
    for number in range(1, run.commits + 1):
        batch = versions.where(sf.col(COMMIT) == number).drop(COMMIT)
        if plan.table_type is TableType.COPY_ON_WRITE:
            stored = upsert(stored, batch, plan).localCheckpoint()
        else:
            stored, log = (frame.localCheckpoint() for frame in append(stored, log, batch, writer))
            if number in history.compact_after:
                stored, log = compact(stored, log, writer).localCheckpoint(), None
        seen = stored if log is None else snapshot(stored, log, plan)
        found.append(seen.withColumn(COMMIT, sf.lit(number)))
    return functools.reduce(lambda one, other: one.unionByName(other), found)
