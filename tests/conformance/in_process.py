"""Runs table histories in this process: the programs and Arrow batches of a Spark task, without Spark's session.

What Spark does around a task (shuffle, sort, the explosion of commits) is done here on lists.
"""

from __future__ import annotations

import collections
import datetime
import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import types as spark_types

from bridge.engines import ACTION, CLAUSE, COMMIT, FIRST, IS_DELETE, LAST, ORDERING, ORIGIN, Job, arrow_schema
from bridge.engines.python.worker import merged
from bridge.errors import PlanError
from bridge.pipeline import SqlMerge, program_of
from bridge.pipeline.layout import as_nullable
from bridge.plan import MergePlan, TableType
from bridge.programs import (
    Operations,
    WriteOperation,
    check_operated,
    check_operations,
    check_statement,
    check_writes,
    writer_of,
)
from bridge.programs.handover import Handover, handovers
from bridge.programs.program import Origin
from bridge.programs.small_files import small_file_candidates
from bridge.spark.schema import avro_schema
from payloads import HudiRelease, PayloadBridgeError
from tests.conformance.histories import columns_of
from tests.conformance.merged_rows import merged_rows
from tests.conformance.spark_histories import plan_of, steps_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from bridge.programs import MergeStatement
    from tests.conformance.histories import History, RefusedStatement, Row

_TYPES: dict[str, spark_types.DataType] = {
    "string": spark_types.StringType(),
    "boolean": spark_types.BooleanType(),
    "tinyint": spark_types.ByteType(),
    "smallint": spark_types.ShortType(),
    "int": spark_types.IntegerType(),
    "integer": spark_types.IntegerType(),
    "bigint": spark_types.LongType(),
    "long": spark_types.LongType(),
    "float": spark_types.FloatType(),
    "double": spark_types.DoubleType(),
    "date": spark_types.DateType(),
    "timestamp": spark_types.TimestampType(),
}
_ROWS_IN_BATCH = 64  # so few that keys go on in the next batch


def run_histories(histories: Iterable[History]) -> Iterator[tuple[History, int, list[Row] | Exception]]:
    """Give the snapshots of each history: (history, number as in `History.snapshots`, rows or what failed)."""
    for history in histories:
        try:
            yield from list(_snapshots(history))
        except Exception as error:  # noqa: BLE001 (one history that fails must not hide the others)
            yield from ((history, number, error) for number in history.snapshots)


def statements_of(history: History) -> dict[int, MergeStatement]:
    """Return the MERGE INTO statements of a history, parsed."""
    table = list(columns_of(history.schema_ddl))
    return {
        number: SqlMerge(commit.statement).parsed(list(columns_of(commit.source_ddl or history.schema_ddl)), table)
        for number, commit in enumerate(history.commits, start=1)
        if commit.statement is not None
    }


def refusal(history: History) -> str | None:
    """Say why a history can't be run here; None where it can."""
    try:
        struct_of(history.schema_ddl)
    except PlanError as error:
        return str(error)
    return None


def _snapshots(history: History) -> Iterator[tuple[History, int, list[Row]]]:
    plan, struct = plan_of(history), struct_of(history.schema_ddl)
    for run in history.runs:
        steps = steps_of(history, run, plan)
        change = handovers(plan, steps, commits=run.commits) if steps else None
        batches = [commit.incoming for commit in history.commits[: run.commits]]
        operations = {number: one for number, one in history.operations.items() if number <= run.commits}
        settings: dict[str, Any] = {"compact_after": history.compact_after, "operations": operations}
        statements = statements_of(history).items()
        settings["statements"] = {number: one for number, one in statements if number <= run.commits}
        rows = simulate(batches, struct, plan, **settings, change=change)
        for commit, number in run.numbers.items():
            yield history, number, rows[commit]
    for one in history.refused:
        if one.incoming is not None and runs_here(history, one):
            msg = f"Hudi refused this statement after commit {one.after}, and here it runs: {one.statement}"
            raise AssertionError(msg)


def runs_here(history: History, refused: RefusedStatement) -> bool:
    """Whether a statement that real Hudi refused runs here, on its rows and the table that they met."""
    struct, table = struct_of(history.schema_ddl), list(columns_of(history.schema_ddl))
    commits, number = history.commits[: refused.after], refused.after + 1
    statements = {n: one for n, one in statements_of(history).items() if n < number}
    try:
        given = list(columns_of(refused.source_ddl or history.schema_ddl))
        statements[number] = SqlMerge(refused.statement).parsed(given, table)
        operations = {n: one for n, one in history.operations.items() if n < number}
        operations[number] = WriteOperation.SQL_MERGE
        batches = [*(commit.incoming for commit in commits), refused.incoming or ()]
        plan, compacted = plan_of(history), [n for n in history.compact_after if n < number]
        simulate(batches, struct, plan, compact_after=compacted, operations=operations, statements=statements)
    except PayloadBridgeError:
        return False
    return True


def simulate(  # noqa: PLR0913 (keyword-only settings of one table)
    batches: Sequence[Sequence[Row]],
    struct: spark_types.StructType,
    plan: MergePlan,
    *,
    compact_after: Collection[int] = (),
    change: Handover | None = None,
    operations: Mapping[int, WriteOperation] | None = None,
    statements: Mapping[int, MergeStatement] | None = None,
) -> dict[int, list[Row]]:
    """Write batches to an empty table, as `pipeline.simulate_commits` and `simulate_upgrade` do; return the snapshots.

    `change` is what takes the table over; the plan is then the old release's.
    """
    operations = operations or {}
    given = Operations(operations, _assigned(batches, plan, operations), statements or {})
    for number, statement in given.statements.items():
        is_upgraded = change is not None and any(one.after >= number for one in change.steps)
        writer, deletes = writer_of(plan, change, number), given.delete_by_merge
        check_statement(statement, number, writer, struct.names, is_upgraded=is_upgraded, deletes=deletes)
        table: list[Row] = []
        if plan.table_type is TableType.COPY_ON_WRITE and any(one.reads for one in statement.written):
            until = change.until(number - 1) if change is not None and change.after < number - 1 else None
            table = _run(batches[: number - 1], struct, plan, given.until(number - 1), (), until)[number - 1]
        rows = merged_rows(statement, batches[number - 1], table, plan, struct.names)
        batches = [*batches[: number - 1], list(rows), *batches[number:]]
    return _run(batches, struct, plan, given, compact_after, change)


def _run(  # noqa: PLR0913, PLR0917 (settings of one table)
    batches: Sequence[Sequence[Row]],
    struct: spark_types.StructType,
    plan: MergePlan,
    given: Operations,
    compact_after: Collection[int],
    change: Handover | None,
) -> dict[int, list[Row]]:
    operations = given.by_commit
    check_operations(plan, given, len(batches))
    if change is not None and operations:
        check_operated(plan, change, given)
    check_writes(plan, len(batches), change=change, operations=given)
    program = program_of(plan, given, upgraded=change is not None)
    arguments: dict[str, Any] = {"commits": len(batches), "compact_after": tuple(compact_after)}
    if program == "simulate_small_files":
        arguments["candidates"] = small_file_candidates(plan.props)
    else:
        arguments["log_updates"] = plan.table_type is TableType.MERGE_ON_READ
    if operations:
        arguments["operations"] = given
    if change is not None:
        arguments["handover"] = change
    schema = avro_schema(struct, plan.release)
    job = Job(plan, schema, tuple(struct.names), program, arguments)
    found: dict[int, list[Row]] = collections.defaultdict(list)
    for batch in merged(job, _arrow(batches, struct, plan, job.order, operations)):
        for row in batch.drop_columns([ACTION]).to_pylist():
            first, last = row.pop(FIRST), row.pop(LAST)
            values = {name: _naive(value) for name, value in row.items()}
            for commit in range(first, last + 1):
                found[commit].append(values)
    return found


def _assigned(
    batches: Sequence[Sequence[Row]], plan: MergePlan, operations: Mapping[int, WriteOperation]
) -> dict[int, tuple[str, ...]]:
    updates = (number for number, one in operations.items() if one is WriteOperation.SQL_UPDATE)
    named = {*plan.key, *plan.partition}
    return {n: tuple(name for name in batches[n - 1][0] if name not in named) for n in updates}


def _arrow(
    batches: Sequence[Sequence[Row]],
    struct: spark_types.StructType,
    plan: MergePlan,
    order: tuple[str, ...],
    operations: Mapping[int, WriteOperation],
) -> list[pa.RecordBatch]:
    """Return all rows as a Spark task gets them: sorted by key, commit and arrival, null first."""
    rows: list[dict[str, Any]] = []
    named = (*plan.partition, *plan.key)
    for number, batch in enumerate(batches, start=1):
        operation = operations.get(number, WriteOperation.UPSERT)
        control = {ORIGIN: int(Origin.INCOMING), COMMIT: number}
        if operation.replaces:
            paths = {tuple(row[name] for name in plan.partition) for row in batch}
            found = {tuple(row[name] for name in named): row for row in rows}.values()
            replaced = [
                row for row in found if operation.replaces_table or tuple(row[name] for name in plan.partition) in paths
            ]
            rows += [{name: row[name] for name in named} | control | {IS_DELETE: True} for row in replaced]
        for row in () if operation is WriteOperation.DELETE_PARTITION else batch:
            stored = _stored(row, plan)
            if operation.deletes_keys:
                stored = {name: stored[name] for name in named} | {IS_DELETE: True}
            rows.append({**stored, **control})
    rows.sort(key=lambda row: [(row[name] is not None, row[name]) for name in order])  # stable: commit and arrival stay
    control_fields = [pa.field(ORIGIN, pa.int8()), pa.field(COMMIT, pa.int64())]
    if operations:
        ordering = pa.struct([("type", pa.string()), ("value", pa.string())])
        control_fields += [pa.field(IS_DELETE, pa.bool_()), pa.field(CLAUSE, pa.int32()), pa.field(ORDERING, ordering)]
    table = pa.Table.from_pylist(rows, pa.schema([*arrow_schema(struct), *control_fields]))
    batches_found: list[pa.RecordBatch] = table.to_batches(max_chunksize=_ROWS_IN_BATCH)
    return batches_found


def _stored(row: Row, plan: MergePlan) -> Row:
    """Make the empty text in a partition column null where `frames.without_empty_partitions` does."""
    if plan.release < HudiRelease.V1_0 and plan.table_type is TableType.MERGE_ON_READ:
        return row
    empty = {name: None for name in plan.partition if name not in plan.key and row[name] == ""}
    return {**row, **empty}


def _naive(value: Any) -> Any:
    return value.replace(tzinfo=None) if isinstance(value, datetime.datetime) else value


def struct_of(schema_ddl: str) -> spark_types.StructType:
    """Return the columns of a Spark DDL, nullable as Spark reads them.

    Raises:
        PlanError: a type is nested, or otherwise none that is read here.
    """
    struct = spark_types.StructType()
    for name, kind in columns_of(schema_ddl).items():
        digits = [int(number) for number in re.findall(r"\d+", kind)]
        is_decimal = re.match(r"(decimal|numeric|dec)\b", kind) is not None
        found = spark_types.DecimalType(*digits) if is_decimal else _TYPES.get(kind)
        if found is None:
            msg = f"the column {name} is {kind}, which only Spark reads; run it with --engine auto"
            raise PlanError(msg)
        struct.add(as_nullable(spark_types.StructField(name, found)))
    return struct
