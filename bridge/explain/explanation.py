"""How one row came about, call by call, on one side or two; only the versions of its key are collected."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import functions as sf
from pyspark.sql import types as spark_types

from bridge import pipeline
from bridge.compare import comparison_of
from bridge.engines import COMMIT, RecordReader, arrow_schema, in_driver
from bridge.errors import InputError, PlanError
from bridge.explain.report import parting_words, report_of
from bridge.explain.trace import Trace, TracedCall, check_one_row, check_traceable, trace_key
from bridge.explain.versions import same_record
from bridge.pipeline import ARRIVAL, as_batches
from bridge.spark import prepare, quoted
from payloads.avro import decode, encode
from payloads.errors import PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from pyspark.sql import Column, DataFrame, SparkSession

    from bridge.compare import Comparison, Target
    from bridge.pipeline import Batches, BatchesLike
    from bridge.plan import MergePlan
    from bridge.report import Report
    from payloads import AvroSchema, Record

_DATA = "_pb_data"
_NEAR = 5


@dataclasses.dataclass(frozen=True)
class ExplainedSide:
    """What one table did with the versions of the row.

    Attributes:
        plan: what it merges by; after an upgrade, `new`.
        trace: its calls, and the visible row after each commit.
        new: the plan that took over the table, if any.
    """

    plan: MergePlan
    trace: Trace
    new: MergePlan | None = None


@dataclasses.dataclass(frozen=True)
class ExplainReport:
    """How one row came about.

    Attributes:
        row: the columns that identify it, with their values as text; empty for a null partition.
        versions: what arrived for it, with the numbers of the commits, in order; physical Avro values.
        schema: the Avro schema of the versions.
        commits: how many commits there are.
        sides: one side or two.
        comparison: both sides, where there are two.
        compact_after: the commits after which the log was compacted.

    Added in 0.1.0.
    """

    row: Mapping[str, str]
    versions: list[tuple[int, Record]]
    schema: AvroSchema
    commits: int
    sides: tuple[ExplainedSide, ...]
    comparison: Comparison | None = None
    compact_after: tuple[int, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """What the sides are called, in a few words."""
        if self.comparison is not None:
            return self.comparison.names
        plan = self.sides[0].plan
        return (f"{plan.table_type.long_name}, Hudi {plan.release}",)

    @property
    def long_names(self) -> tuple[str, ...]:
        """What the sides are called, with table type, releases and what merges."""
        return tuple(self._long_name(name, side) for name, side in zip(self.names, self.sides, strict=True))

    @staticmethod
    def _long_name(name: str, side: ExplainedSide) -> str:
        last = side.plan if side.new is None else side.new
        release = "" if str(side.plan.release) in name else f"Hudi {side.plan.release}"
        said = (side.plan.table_type.long_name, release, last.payload_name.rpartition(".")[2])
        return ", ".join((name, *(text for text in said if text and text not in name)))

    @property
    def success(self) -> bool:
        """Whether all sides have the same row after the last commit."""
        return self.ends_equal

    @property
    def verdict(self) -> str:
        """How the row ends, and where two sides part, in one sentence."""
        return parting_words(self)

    def to_report(self) -> Report:
        """Return the report of the command line."""
        return report_of(self)

    def to_json(self) -> str:
        """Return what `payload-bridge explain --output json` prints."""
        return self.to_report().as_json()

    @property
    def ends_equal(self) -> bool:
        """Whether all sides run and have the same row after the last commit; always true for a single side."""
        traces = [side.trace for side in self.sides]
        first = traces[0].row_after(self.commits)
        return all(trace.error is None and self._same(trace.row_after(self.commits), first) for trace in traces)

    def first_difference(self) -> int | None:
        """Return the first commit after which the sides show different rows; None if there is none."""
        traces = [side.trace for side in self.sides]
        for commit in range(1, self.commits + 1):
            first = traces[0].row_after(commit)
            if not all(self._same(trace.row_after(commit), first) for trace in traces):
                return commit
        return None

    def deciding_calls(self) -> tuple[TracedCall | None, ...]:
        """Return the call of each side at which they begin to differ; None if there is none.

        That is the first pair at one merge point with unlike results. Where the sides don't go through the same points,
        it is on each the first call that gave what is visible then.
        """
        commit = self.first_difference()
        if commit is None:
            return (None,) * len(self.sides)
        here = [[call for call in side.trace.calls if call.commit == commit] for side in self.sides]
        for calls in zip(*here, strict=False):
            if len({call.point for call in calls}) > 1:
                break
            results = [_data(call) for call in calls]
            if not all(self._same(result, results[0]) for result in results):
                return calls
        return tuple(
            self._deciding(calls, side.trace.row_after(commit)) for calls, side in zip(here, self.sides, strict=True)
        )

    def _deciding(self, calls: list[TracedCall], end: Record | None) -> TracedCall | None:
        """Return the call that produced `end`: those after it only pass it on."""
        decided = None
        for call in reversed(calls):
            if decided is not None and not self._same(_data(call), end):
                break
            decided = call
        return decided

    def _same(self, left: Record | None, right: Record | None) -> bool:
        return same_record(left, right, self.schema)


def _data(call: TracedCall) -> Record | None:
    return None if call.result is None else call.result.record


def explain(  # noqa: PLR0913 (keyword-only settings of one comparison)
    batches: BatchesLike,
    plan: MergePlan,
    row: Mapping[str, str],
    to: Target | None = None,
    *,
    upgrade_after: int | None = None,
    keep_table_version: bool = False,
    compact_after: Collection[int] = (),
) -> ExplainReport:
    """Explain how a row came about: every merge call of its key in order, and what decided each.

    Only the versions of this row are collected; they are merged in this process.

    Args:
        batches: the batches, or one DataFrame a batch.
        plan: what merges, and how; of two sides the first.
        row: the values of the identifying columns as Spark writes them as text, the empty one for a null partition; a
            column that is not needed to find the row may be left out.
        to: the other side, where there are two, as in `replay`.
        upgrade_after: see `replay`.
        keep_table_version: see `replay`.
        compact_after: the batches after which the log of a merge-on-read table is compacted.

    Raises:
        InputError: no row, or several, have these values; the message names some that are near.
        PlanError: a plan can't be traced in this process, or the two are not an upgrade.
        PayloadBridgeError: the side of `plan` fails; a failure of the other one is part of its trace.

    Added in 0.1.0.
    """
    written = as_batches(batches)
    if to is not None:
        settings: dict[str, Any] = {"upgrade_after": upgrade_after, "keep_table_version": keep_table_version}
        sides = comparison_of(plan, to, commits=len(written), compact_after=compact_after, **settings)
        return explain_comparison(written, sides, row)
    check_traceable(plan)
    identity, found, schema, spark = _found(written, plan, row)
    commits = len(written)
    settings = {"commits": commits, "compact_after": compact_after, "operations": written.operations_of(plan)}
    trace = trace_key(found, in_driver(plan, spark), schema, **settings)
    if trace.error is not None:
        raise trace.error
    return ExplainReport(
        identity, found, schema, commits, (ExplainedSide(plan, trace),), compact_after=tuple(compact_after)
    )


def explain_comparison(batches: Batches, sides: Comparison, row: Mapping[str, str]) -> ExplainReport:
    """Explain how a row came about on both sides of a comparison; errors as in `explain`."""
    for plan in (sides.left, sides.right):
        check_traceable(plan)
    sides = dataclasses.replace(sides, operations=batches.operations_of(sides.left))
    if sides.operations.by_commit and sides.upgrade_after is not None:
        msg = "explain does not follow operations other than upserts through an upgrade; leave one of them out"
        raise PlanError(msg)
    identity, found, schema, spark = _found(batches, sides.left, row)
    left, right = in_driver(sides.left, spark), in_driver(sides.right, spark)
    explained = explain_sides(found, schema, dataclasses.replace(sides, left=left, right=right))
    if explained[0].trace.error is not None:
        raise explained[0].trace.error
    return ExplainReport(identity, found, schema, sides.commits, explained, sides, sides.compact_after)


def _found(
    batches: Batches, plan: MergePlan, row: Mapping[str, str]
) -> tuple[dict[str, str], list[tuple[int, Record]], AvroSchema, SparkSession]:
    """Return the identity of a row, its versions, their schema, and the session that found them."""
    check_one_row(batches.operations_of(plan))
    versions = batches.versions(plan)
    layout = pipeline.layout_of(plan, versions)
    identity = find_row(versions, plan.identity, row)
    return identity, _versions_of(versions, layout, plan, identity), layout.schema, versions.sparkSession


def explain_sides(
    versions: list[tuple[int, Record]], schema: AvroSchema, sides: Comparison
) -> tuple[ExplainedSide, ExplainedSide]:
    """Trace the versions of one key through both sides, in this process; errors become part of the traces.

    Raises:
        PlanError: the plans make no upgrade.
    """
    settings: dict[str, Any] = {"commits": sides.commits, "compact_after": sides.compact_after}
    settings["operations"] = sides.operations
    left = ExplainedSide(sides.left, trace_key(versions, sides.left, schema, **settings))
    if sides.upgrade_after is None:
        return left, ExplainedSide(sides.right, trace_key(versions, sides.right, schema, **settings))
    try:
        change = sides.handover()
    except PayloadBridgeError as error:
        return left, ExplainedSide(sides.left, Trace([], {}, error), sides.right)
    trace = trace_key(versions, sides.left, schema, **settings, handover=change)
    return left, ExplainedSide(sides.left, trace, sides.right)


# -- finding the row


def find_row(versions: DataFrame, identity: tuple[str, ...], row: Mapping[str, str]) -> dict[str, str]:
    """Return all identifying columns, as text, of the one row that has the given values.

    Raises:
        InputError: an unknown column; no row or several.
    """
    unknown = [name for name in row if name not in identity]
    if unknown or not row:
        given = ", ".join(unknown) or "nothing"
        msg = f"a row is named by {' and '.join(identity)}, not by {given}; give --row COLUMN=VALUE"
        raise InputError(msg)
    rows = versions.select(*(_text(name).alias(name) for name in identity)).distinct()
    matching = rows.where(_is(row)).limit(_NEAR + 1).collect()
    if len(matching) == 1:
        return {name: matching[0][name] for name in identity}
    wanted = _words(row)
    if matching:
        shown = "; ".join(_words(one.asDict()) for one in matching[:_NEAR])
        more = " and more" if len(matching) > _NEAR else ""
        msg = f"several rows have {wanted}: {shown}{more}; add the other columns, --row COLUMN=VALUE for each"
        raise InputError(msg)
    distance = sum((sf.levenshtein(quoted(name), sf.lit(value)) for name, value in row.items()), sf.lit(0))
    near = rows.orderBy(distance, *map(quoted, identity)).limit(_NEAR).collect()
    shown = "; ".join(_words(one.asDict()) for one in near)
    msg = f"no version has {wanted}; " + (f"near ones are {shown}" if near else "the batches have no rows")
    raise InputError(msg)


def _is(row: Mapping[str, str]) -> Column:
    matches = sf.lit(True)
    for name, value in row.items():
        matches &= _text(name) == sf.lit(value)
    return matches


def _text(name: str) -> Column:
    """Return a column as text; null as the empty one, which is the same partition."""
    return sf.coalesce(quoted(name).cast("string"), sf.lit(""))


def _words(row: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in row.items())


def _versions_of(
    versions: DataFrame, layout: pipeline.Layout, plan: MergePlan, identity: Mapping[str, str]
) -> list[tuple[int, Record]]:
    """Collect the versions of one row in order, as Avro bytes, so that no value is lost."""
    side = pipeline.incoming_side(versions.where(_is(identity)), layout, plan, commit=sf.col(COMMIT).cast("long"))
    schema, data = layout.schema, side.select(*map(quoted, layout.names)).schema

    def encoded(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        read = RecordReader(schema, arrow_schema(data))
        for batch in batches:
            rows = [encode(schema, record) for record in read.rows(batch)]
            columns = [batch.column(COMMIT), batch.column(ARRIVAL), pa.array(rows, pa.binary())]
            yield pa.RecordBatch.from_arrays(columns, names=[COMMIT, ARRIVAL, _DATA])

    kept = spark_types.StructType(
        [side.schema[COMMIT], side.schema[ARRIVAL], spark_types.StructField(_DATA, spark_types.BinaryType())]
    )
    prepare(side.sparkSession)
    ordered = side.mapInArrow(encoded, kept).orderBy(COMMIT, ARRIVAL).collect()
    if not ordered:
        msg = f"no version has {_words(identity)} any more; the batches changed while they were read: run it again"
        raise InputError(msg)
    return [(row[COMMIT], decode(schema, bytes(row[_DATA]))) for row in ordered]
