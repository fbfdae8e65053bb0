"""Traces of the keys on which two sides of a replay differ, made in Spark's tasks: all causes, and some timelines."""

from __future__ import annotations

import functools
import itertools
import json
from typing import TYPE_CHECKING, Final, NamedTuple

import pyarrow as pa
from pyspark.sql import functions as sf

from bridge import pipeline
from bridge.engines import COMMIT, IS_DELETE, ORDERING, ORIGIN, RecordReader, ordering_of_text
from bridge.errors import PlanError
from bridge.explain.causes import Cause, cause_of
from bridge.explain.explanation import SidesTracer
from bridge.explain.row import ExplainedRow
from bridge.explain.timeline import timeline_of
from bridge.explain.trace import check_traceable
from bridge.merge import users_called
from bridge.pipeline import ARRIVAL
from bridge.programs import Arrival, Origin
from bridge.redaction import current
from bridge.report import json_record
from bridge.spark import described, in_one_task, kept, map_in_arrow, prepare, quoted
from payloads.errors import PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pyspark.sql import Column, DataFrame

    from bridge.compare import Comparison, ReplayReport
    from bridge.plan import MergePlan
    from bridge.redaction import Redaction
    from bridge.report import JsonObject
    from payloads import AvroSchema, Record

MOST_TRACED: Final = 5_000
"""How many keys are traced at most; each takes some milliseconds."""

MOST_VERSIONS: Final = 500
"""A key with more versions is not traced: its calls would not fit a page, nor a task's memory."""

_NAME, _CAUSE, _STORY = "_pb_name", "_pb_cause", "_pb_story"
TRACED = f"{_NAME} string, {_CAUSE} string, {_STORY} string"
"""The columns of `traced_batch`."""
_ARROW = pa.schema([(name, pa.string()) for name in (_NAME, _CAUSE, _STORY)])


class TracedKeys(NamedTuple):
    """What the traces of the keys of a replay say.

    Attributes:
        causes: how many keys part for each cause, the most frequent first.
        of_key: cause and timeline (see `timeline_of`; None for none) of the requested keys, by `name_of`.
        traced: how many keys were traced.
        untraced: why keys could not be traced; empty if they could.
    """

    causes: dict[Cause, int]
    of_key: dict[str, tuple[Cause, JsonObject | None]]
    traced: int
    untraced: str = ""


def name_of(values: Iterable[object]) -> str:
    """Return the values that identify a row, as JSON values, as one text; null and the empty text are one."""
    return json.dumps(["" if value is None else value for value in values], ensure_ascii=False)


def replay_causes(found: ReplayReport) -> dict[str, int]:
    """Count the causes of the keys that differ after the last batch, by id, the most frequent first.

    At most 5,000 keys are traced; empty where none differs or the plans can't be traced. The page of a replay says what
    each id means.
    """
    return {cause.id: number for cause, number in trace_keys(found, ()).causes.items()}


def trace_keys(found: ReplayReport, told: Sequence[dict[str, object]]) -> TracedKeys:
    """Trace the keys that differ after the last commit, at most `MOST_TRACED`.

    Args:
        found: the replay; its batches are read again.
        told: the identifying columns, as JSON values, of the keys whose timelines are wanted.
    """
    sides = found.comparison
    differing = found.last_differences
    try:
        for plan in (sides.left, sides.right):
            check_in_tasks(plan)
    except PayloadBridgeError as error:
        return TracedKeys({}, {}, 0, str(error))
    if sides.operations.by_commit:
        return TracedKeys({}, {}, 0, "causes and timelines need batches that are all upserts")
    if differing is None or found.is_equal:
        return TracedKeys({}, {}, 0)
    traced = _traced(found.versions, differing, sides, {name_of(key.values()) for key in told})
    return gathered(traced, f"{' and '.join(sides.names)}: traces of the keys that differ")


def gathered(traced: DataFrame, what: str) -> TracedKeys:
    """Collect rows of `traced_batch`; `what` describes the job."""
    traced = kept(traced)
    with described(traced.sparkSession, what):
        counted = traced.where(sf.col(_CAUSE).isNotNull()).groupBy(_CAUSE).count().collect()
        stories = traced.where(sf.col(_STORY).isNotNull()).collect()
    traced.unpersist()
    causes = {Cause[row[_CAUSE]]: row["count"] for row in sorted(counted, key=lambda row: (-row["count"], row[_CAUSE]))}
    of_key = {row[_NAME]: (Cause[row[_CAUSE]], json.loads(row[_STORY])) for row in stories}
    return TracedKeys(causes, of_key, sum(causes.values()))


def check_in_tasks(plan: MergePlan) -> None:
    """Refuse what can't be traced in Spark's tasks, where no class in Java is called from Python.

    Raises:
        PlanError: saying what to do instead.
    """
    check_traceable(plan)
    if plan.runs_java:
        msg = f"{plan.payload_name} is a compiled class: causes and timelines are left out; explain shows one row of it"
        raise PlanError(msg)


def _traced(versions: DataFrame, differing: DataFrame, sides: Comparison, told: set[str]) -> DataFrame:
    """Return a row a key: its name, its cause (null for one with too many versions), and its timeline if wanted."""
    keys = [*map(quoted, sides.left.identity)]
    some = differing.select(*keys).orderBy(sf.xxhash64(*keys), *keys).limit(MOST_TRACED)
    prepare(versions.sparkSession, sides.left.payload_name, sides.right.payload_name)
    named, schema = versions_by_key(versions, some, sides.left)
    job = _Tracing(sides, schema, frozenset(told), current())
    return map_in_arrow(named, functools.partial(_trace, job), TRACED)


def versions_by_key(versions: DataFrame, some: DataFrame, plan: MergePlan) -> tuple[DataFrame, AvroSchema]:
    """Return the versions of some keys, those of one after another in one task, for `rows_by_key`; and their schema."""
    identity = plan.identity
    chosen = pipeline.join_rows(versions, some, identity, "leftsemi", or_empty=plan.partition)
    layout = pipeline.layout_of(plan, versions)
    side = pipeline.incoming_side(chosen, layout, plan, commit=sf.col(COMMIT).cast("long"))
    named = side.withColumn(_NAME, sf.to_json(sf.array(*(_text(quoted(name)) for name in identity))))
    if not in_one_task(versions.sparkSession):
        named = named.repartition(_NAME)
    return named.sortWithinPartitions(_NAME, COMMIT, ARRIVAL), layout.schema


def _text(column: Column) -> Column:
    return sf.coalesce(column.cast("string"), sf.lit(""))


class _Tracing(NamedTuple):
    """What a task needs: both sides, the schema of the versions, the keys with timelines, and what is hidden."""

    sides: Comparison
    schema: AvroSchema
    told: frozenset[str]
    redaction: Redaction


@users_called(lambda job: job.sides.left)
def _trace(job: _Tracing, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Trace the keys of a task, whose rows come in order."""
    job.redaction.activate()  # of the task's own process
    tracer = SidesTracer(job.schema, job.sides)
    for versions in rows_by_key(job.schema, job.sides.left.identity, batches):
        yield traced_batch([_answer(job, tracer, versions)])


def traced_batch(answers: Iterable[tuple[str, Cause | None, str | None]]) -> pa.RecordBatch:
    """Return the name of each key, its cause and its timeline as JSON, in the columns of `TRACED`."""
    rows = [(name, None if cause is None else cause.name, story) for name, cause, story in answers]
    return pa.RecordBatch.from_pylist([dict(zip(_ARROW.names, row, strict=True)) for row in rows], _ARROW)


def rows_by_key(
    schema: AvroSchema, identity: Sequence[str], batches: Iterable[pa.RecordBatch]
) -> Iterator[list[Arrival]]:
    """Give the versions of each key in order; of one with too many, one more than `MOST_VERSIONS`."""
    for _, rows in itertools.groupby(_rows(schema, identity, batches), key=lambda row: row[0]):
        yield [arrival for _, arrival in itertools.islice(rows, MOST_VERSIONS + 1)]


def record_of(arrival: Arrival) -> Record:
    """Return the record of a version; of a delete without data the columns that identify its row."""
    return arrival.record or arrival.identity or {}


def _rows(
    schema: AvroSchema, identity: Sequence[str], batches: Iterable[pa.RecordBatch]
) -> Iterator[tuple[str, Arrival]]:
    read: RecordReader | None = None
    for batch in batches:
        read = read or RecordReader(schema, batch.schema)
        given = set(batch.schema.names)
        names, commits, origins, deletes, orderings = (
            batch.column(name).to_pylist() if name in given else [None] * batch.num_rows
            for name in (_NAME, COMMIT, ORIGIN, IS_DELETE, ORDERING)
        )
        rows = zip(names, commits, origins, deletes, orderings, read.rows(batch), strict=True)
        for source, (name, commit, origin, is_delete, ordering, record) in enumerate(rows):
            is_bare = is_delete and all(value is None for column, value in record.items() if column not in identity)
            data, key = (None, record) if is_bare else (record, None)
            yield name, Arrival(Origin(origin), commit, data, source, bool(is_delete), ordering_of_text(ordering), key)


def _answer(job: _Tracing, tracer: SidesTracer, versions: list[Arrival]) -> tuple[str, Cause | None, str | None]:
    """Trace one key."""
    records = [(one.commit, record_of(one)) for one in versions]
    row = json_record(records[0][1], job.schema)
    name = name_of(row[column] for column in job.sides.left.identity)
    if len(versions) > MOST_VERSIONS:
        return name, None, None
    sides = tracer.explain_arrivals(versions)
    told = ExplainedRow({}, records, job.schema, job.sides.commits, sides, job.sides, job.sides.compact_after)
    story = json.dumps(timeline_of(told)) if name in job.told else None
    return name, cause_of(told), story
