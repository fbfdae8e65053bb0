"""How one row came about, call by call, on one side or two; only the versions of its key are collected."""

from __future__ import annotations

import contextlib
import dataclasses
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
from pyspark.sql import functions as sf
from pyspark.sql import types as spark_types

from bridge import pipeline
from bridge.compare import comparison_of
from bridge.engines import (
    ADDED_TYPES,
    CLAUSE,
    COMMIT,
    ORDERING,
    RecordReader,
    arrow_schema,
    in_driver,
    ordering_of_text,
)
from bridge.errors import InputError, MergeFailedError
from bridge.explain.report import ExplainReport
from bridge.explain.row import ExplainedSide
from bridge.explain.trace import Taken, Trace, Tracer, check_followed, check_traceable, trace_key
from bridge.pipeline import ARRIVAL, Course, as_batches
from bridge.redaction import shown_values
from bridge.spark import described, map_in_arrow, prepare, quoted
from payloads.avro import decode, encode
from payloads.errors import PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pyspark.sql import Column, DataFrame, SparkSession

    from bridge.compare import Comparison, Target
    from bridge.pipeline import Batches, BatchesLike
    from bridge.plan import MergePlan
    from bridge.programs import Arrival, Handover, Operations
    from payloads import AvroSchema, Record

_DATA = "_pb_data"
_CONTROL = (COMMIT, ARRIVAL, CLAUSE, ORDERING)
_NEAR = 5
_MOST = 10_000  # versions of a row that are gathered and explained


def explain_batches(
    batches: BatchesLike, plan: MergePlan, row: Mapping[str, str], to: Target | None = None, **course: Any
) -> ExplainReport:
    """Explain a row of batches as if written to a new table; `course` and errors are those of `explain`."""
    written = as_batches(batches)
    commits = len(written)
    written_as = Course.of(commits, {plan.table_type}, **course)
    written_as.check_target(to)
    if to is not None:
        return explain_comparison(written, comparison_of(plan, to, written_as, commits), row)
    check_traceable(plan)
    compactions, operations = written_as.compact_after, written.operations_of(plan)
    check_followed(operations)
    identity, found, schema, spark = _found(written, plan, row)
    driven = in_driver(plan, spark)
    settings: dict[str, Any] = {"compact_after": compactions, "operations": operations}
    arrived = _arrived(written, plan, operations, identity) or Arrived(found)
    trace = trace_key(arrived.versions, driven, schema, commits=commits, clauses=arrived.clauses, **settings)
    _raise_unless_aside(trace, plan)
    return ExplainReport(identity, found, schema, commits, (ExplainedSide(plan, trace),), compact_after=compactions)


def explain_comparison(batches: Batches, sides: Comparison, row: Mapping[str, str]) -> ExplainReport:
    """Explain how a row came about on both sides of a comparison; errors as in `explain`."""
    for plan in (sides.left, sides.right):
        check_traceable(plan)
    sides = dataclasses.replace(sides, operations=batches.operations_of(sides.left))
    check_followed(sides.operations)
    identity, found, schema, spark = _found(batches, sides.left, row)
    left, right = in_driver(sides.left, spark), in_driver(sides.right, spark)
    arrived = _arrived_on_sides(batches, sides, identity)
    explained = explain_sides(found, schema, dataclasses.replace(sides, left=left, right=right), arrived)
    _raise_unless_aside(explained[0].trace, sides.left)
    return ExplainReport(identity, found, schema, sides.commits, explained, sides, sides.compact_after)


def _raise_unless_aside(trace: Trace, plan: MergePlan) -> None:
    """Raise the error of a trace, unless the plan quarantines keys and it is the key's fault."""
    aside = plan.on_error == "quarantine" and isinstance(trace.error, MergeFailedError)
    if trace.error is not None and not aside:
        raise trace.error


def _found(
    batches: Batches, plan: MergePlan, row: Mapping[str, str]
) -> tuple[dict[str, str], list[tuple[int, Record]], AvroSchema, SparkSession]:
    """Return the identity of a row, its versions, their schema, and the session that found them."""
    versions = batches.versions(plan)
    layout = pipeline.layout_of(plan, versions)
    spark = versions.sparkSession
    with described(spark, "explain: the row, and its versions"):
        identity = find_row(versions, plan.identity, row)
        return identity, _versions_of(versions, layout, plan, identity), layout.schema, spark


class Arrived(NamedTuple):
    """The versions of a row as one table gets them, and the clause that takes each; see `Tracer.trace`."""

    versions: Sequence[tuple[int, Record]]
    clauses: Sequence[Taken] = ()


def _arrived(
    batches: Batches,
    plan: MergePlan,
    operations: Operations,
    identity: Mapping[str, str],
    change: Handover | None = None,
) -> Arrived | None:
    """Return what the statements of a table make of the versions of a row; None where there are no statements."""
    if not operations.statements:
        return None
    own = batches.versions(plan).where(_is(identity))
    versions = pipeline.evaluated(own, plan, operations, change)
    rows = _rows_of(versions, pipeline.layout_of(plan, versions), plan, identity)
    return Arrived([row[:2] for row in rows], [row[2] for row in rows])


def _arrived_on_sides(
    batches: Batches, sides: Comparison, identity: Mapping[str, str]
) -> tuple[Arrived | None, Arrived | None]:
    """Return what `_arrived` does for both sides."""
    change, right = None, sides.right
    if sides.upgrade_after is not None:
        right = sides.left
        with contextlib.suppress(PayloadBridgeError):  # the trace of the side says so
            change = sides.handover()
    left = _arrived(batches, sides.left, sides.operations, identity)
    return left, _arrived(batches, right, sides.operations, identity, change)


class SidesTracer:
    """Traces one key after the other through both sides of a comparison, in this process."""

    def __init__(self, schema: AvroSchema, sides: Comparison) -> None:
        """Set up both sides; the versions are of `schema`.

        Raises:
            PlanError: a plan can't be traced.
        """
        settings: dict[str, Any] = {"commits": sides.commits, "compact_after": sides.compact_after}
        settings["operations"] = sides.operations
        self._sides = sides
        self._left = Tracer(sides.left, schema, **settings)
        self._right: Tracer | PayloadBridgeError
        if sides.upgrade_after is None:
            self._right = Tracer(sides.right, schema, **settings)
            return
        try:
            change = sides.handover()
        except PayloadBridgeError as error:
            self._right = error
        else:
            self._right = Tracer(sides.left, schema, **settings, handover=change)

    def explain(
        self, versions: Sequence[tuple[int, Record]], arrived: Sequence[Arrived | None] = (None, None)
    ) -> tuple[ExplainedSide, ExplainedSide]:
        """Trace the versions of one key through both sides; errors become part of the traces.

        With `arrived` each side has versions of its own.
        """
        of_left, of_right = (one or Arrived(versions) for one in arrived)
        return self._sides_of(lambda tracer: tracer.trace(*of_left), lambda tracer: tracer.trace(*of_right))

    def explain_arrivals(self, arrivals: Sequence[Arrival]) -> tuple[ExplainedSide, ExplainedSide]:
        """Trace the versions of one key, also those that its table has before the first commit; as `explain`."""
        return self._sides_of(*[lambda tracer: tracer.trace_arrivals(arrivals)] * 2)

    def _sides_of(
        self, on_left: Callable[[Tracer], Trace], on_right: Callable[[Tracer], Trace]
    ) -> tuple[ExplainedSide, ExplainedSide]:
        sides, right = self._sides, self._right
        left = ExplainedSide(sides.left, on_left(self._left))
        trace = on_right(right) if isinstance(right, Tracer) else Trace([], {}, right)
        if sides.upgrade_after is None:
            return left, ExplainedSide(sides.right, trace)
        return left, ExplainedSide(sides.left, trace, sides.right)


def explain_sides(
    versions: Sequence[tuple[int, Record]],
    schema: AvroSchema,
    sides: Comparison,
    arrived: Sequence[Arrived | None] = (None, None),
) -> tuple[ExplainedSide, ExplainedSide]:
    """Trace the versions of one key through both sides; of several keys, take a `SidesTracer`.

    Raises:
        PlanError: a plan can't be traced.
    """
    return SidesTracer(schema, sides).explain(versions, arrived)


# -- finding the row


def find_row(versions: DataFrame, identity: tuple[str, ...], row: Mapping[str, str]) -> dict[str, str]:
    """Return all identifying columns, as text, of the one row that has the given values.

    Raises:
        InputError: an unknown column; no row or several.
    """
    unknown = [name for name in row if name not in identity]
    if unknown or not row:
        given = ", ".join(unknown) or "nothing"
        msg = f"a row is named by {' and '.join(identity)}, not by {given}; give `row` these columns"
        raise InputError(msg)
    rows = versions.select(*(_text(name).alias(name) for name in identity)).distinct()
    matching = rows.where(_is(row)).limit(_NEAR + 1).collect()
    if len(matching) == 1:
        return {name: matching[0][name] for name in identity}
    wanted = _words(row)
    if matching:
        shown = "; ".join(_words(one.asDict()) for one in matching[:_NEAR])
        more = " and more" if len(matching) > _NEAR else ""
        msg = f"several rows have {wanted}: {shown}{more}; add the other columns"
        raise InputError(msg)
    distance = sum((sf.levenshtein(quoted(name), sf.lit(value)) for name, value in row.items()), sf.lit(0))
    near = rows.orderBy(distance, *map(quoted, identity)).limit(_NEAR).collect()
    shown = "; ".join(_words(one.asDict()) for one in near)
    msg = f"no version has {wanted}; " + (f"similar ones are {shown}" if near else "the batches have no rows")
    raise InputError(msg)


def _is(row: Mapping[str, str]) -> Column:
    matches = sf.lit(True)
    for name, value in row.items():
        matches &= _text(name) == sf.lit(value)
    return matches


def _text(name: str) -> Column:
    """Return a column as text; null as the empty one, which is the same partition."""
    return sf.coalesce(quoted(name).cast("string"), sf.lit(""))


def _words(row: Mapping[str, str]) -> str:
    return ", ".join(f"{name}={text}" for name, text in shown_values(row).items())


def _versions_of(
    versions: DataFrame, layout: pipeline.Layout, plan: MergePlan, identity: Mapping[str, str]
) -> list[tuple[int, Record]]:
    """Collect the versions of one row in order."""
    return [row[:2] for row in _rows_of(versions, layout, plan, identity)]


def _rows_of(
    versions: DataFrame, layout: pipeline.Layout, plan: MergePlan, identity: Mapping[str, str]
) -> list[tuple[int, Record, Taken]]:
    """Collect them as Avro bytes, so that no value is lost, each with the clause that takes it."""
    for name, kind in ((CLAUSE, "int"), (ORDERING, ADDED_TYPES[ORDERING])):
        if name not in versions.columns:
            versions = versions.withColumn(name, sf.lit(None).cast(kind))
    side = pipeline.incoming_side(versions.where(_is(identity)), layout, plan, commit=sf.col(COMMIT).cast("long"))
    schema, data = layout.schema, side.select(*map(quoted, layout.names)).schema

    def encoded(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        read = RecordReader(schema, arrow_schema(data))
        for batch in batches:
            rows = [encode(schema, record) for record in read.rows(batch)]
            own = [batch.column(name) for name in _CONTROL]
            yield pa.RecordBatch.from_arrays([*own, pa.array(rows, pa.binary())], names=[*_CONTROL, _DATA])

    kept = spark_types.StructType(
        [*(side.schema[name] for name in _CONTROL), spark_types.StructField(_DATA, spark_types.BinaryType())]
    )
    prepare(side.sparkSession)
    ordered = map_in_arrow(side, encoded, kept).orderBy(COMMIT, ARRIVAL).limit(_MOST + 1).collect()
    if len(ordered) > _MOST:
        msg = f"{_words(identity)} has more than {_MOST:,} versions, too many to explain one by one; give fewer batches"
        raise InputError(msg)
    if not ordered:
        msg = f"no version has {_words(identity)} any more; the batches changed while they were read: run it again"
        raise InputError(msg)
    return [
        (
            row[COMMIT],
            decode(schema, bytes(row[_DATA])),
            Taken(row[CLAUSE], row[ORDERING] and ordering_of_text(row[ORDERING])),
        )
        for row in ordered
    ]
