"""Traces of keys along several paths, made in Spark's tasks: the timeline of each answer."""

from __future__ import annotations

import dataclasses
import functools
import json
from typing import TYPE_CHECKING, Final, NamedTuple

import pyarrow as pa

from bridge.config import keys
from bridge.explain.row import ExplainedRow, ExplainedSide
from bridge.explain.timeline import timeline_of_paths
from bridge.explain.trace import Tracer
from bridge.explain.traced_keys import MOST_VERSIONS, check_in_tasks, name_of, record_of, rows_by_key, versions_by_key
from bridge.merge import users_called
from bridge.pipeline import path_words, some_keys
from bridge.redaction import current
from bridge.report import json_record
from bridge.spark import described, map_in_arrow, prepare
from payloads.errors import PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from bridge.pipeline import KeyAnswer, PathsReport
    from bridge.plan import MergePlan, TableType
    from bridge.programs import Path
    from bridge.redaction import Redaction
    from bridge.report import JsonObject
    from payloads import AvroSchema, Record

MOST_PATHS: Final = 6
"""How many answers of a key have a timeline at most: more columns are no place to read."""

_NAME, _STORY = "_pb_name", "_pb_story"
_TRACED = f"{_NAME} string, {_STORY} string"
_ARROW = pa.schema([(_NAME, pa.string()), (_STORY, pa.string())])


def trace_paths(found: PathsReport, answers: Sequence[Sequence[KeyAnswer]]) -> tuple[dict[str, JsonObject], str]:
    """Trace the nearest path to each answer of some keys.

    Args:
        found: the report; its batches are read again.
        answers: the answers of each key.

    Returns:
        the timelines (see `timeline_of_paths`) by `name_of`, and why there are none; empty if there are.
    """
    plan = _without_small_files(found.plan)
    try:
        check_in_tasks(plan)
    except PayloadBridgeError as error:
        return {}, str(error)
    chosen = {name_of(of_key[0].key.values()): [one.path for one in of_key[:MOST_PATHS]] for of_key in answers}
    named, schema = versions_by_key(
        found.batches.versions(plan), some_keys(found.answers, plan, len(answers), spread=True), plan
    )
    prepare(named.sparkSession, plan.payload_name)
    job = _PathTracing(plan, schema, chosen, current())
    traced = map_in_arrow(named, functools.partial(_trace, job), _TRACED)
    with described(traced.sparkSession, "every path: the timelines of the keys that are listed"):
        rows = traced.collect()
    return {row[_NAME]: json.loads(row[_STORY]) for row in rows if row[_STORY] is not None}, ""


def _without_small_files(plan: MergePlan) -> MergePlan:
    """Return the plan without the small-file rule, which plays no part in the paths of a key."""
    return dataclasses.replace(
        plan, props={name: value for name, value in plan.props.items() if name != keys.SMALL_FILE_LIMIT}
    )


class _PathTracing(NamedTuple):
    """What a task needs: the plan, the schema of the versions, the paths of each key, and what is hidden."""

    plan: MergePlan
    schema: AvroSchema
    paths: Mapping[str, Sequence[Path]]
    redaction: Redaction


@users_called(lambda job: job.plan)
def _trace(job: _PathTracing, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Trace the keys of a task, whose rows come in order."""
    job.redaction.activate()  # of the task's own process
    tracers = functools.cache(functools.partial(_tracer, job))
    for arrivals in rows_by_key(job.schema, job.plan.identity, batches):
        versions = [(one.commit, record_of(one)) for one in arrivals]
        row = json_record(versions[0][1], job.schema)
        name = name_of(row[column] for column in job.plan.identity)
        paths = job.paths.get(name, ()) if len(versions) <= MOST_VERSIONS else ()
        sides = [_side(tracers(one.table_type, len(one.commits), one.compact_after), one, versions) for one in paths]
        story = json.dumps(_story(job, versions, paths, sides)) if sides else None
        yield pa.RecordBatch.from_pylist([{_NAME: name, _STORY: story}], _ARROW)


def _tracer(job: _PathTracing, table_type: TableType, commits: int, compact_after: tuple[int, ...]) -> Tracer:
    plan = dataclasses.replace(job.plan, table_type=table_type)
    return Tracer(plan, job.schema, commits=commits, compact_after=compact_after)


def _side(tracer: Tracer, path: Path, versions: Sequence[tuple[int, Record]]) -> ExplainedSide:
    """Trace the versions of a key along a path."""
    numbers = [number for number, size in enumerate(path.commits, start=1) for _ in range(size)]
    numbered = [(number, record) for number, (_, record) in zip(numbers, versions, strict=True)]
    return ExplainedSide(tracer.plan, tracer.trace(numbered))


def _story(
    job: _PathTracing,
    versions: list[tuple[int, Record]],
    paths: Sequence[Path],
    sides: Sequence[ExplainedSide],
) -> dict[str, object]:
    commits = max(len(path.commits) for path in paths)
    batches = [batch for batch, _ in versions]
    told = ExplainedRow({}, versions, job.schema, commits, tuple(sides))
    return timeline_of_paths(told, [path_words(path, batches) for path in paths])
