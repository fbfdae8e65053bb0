"""Traces of the rows that two readers of a table show differently, made in Spark's tasks, slice by slice.

What a query merges in whole columns is merged call by call here, which is what whole columns stand for.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import json
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as sf

from bridge.engines import KIND, SEQUENCE, RecordReader
from bridge.explain.causes import Cause, cause_of
from bridge.explain.row import ExplainedRow
from bridge.explain.slice_calls import noted_calls
from bridge.explain.timeline import timeline_of_files
from bridge.explain.traced_keys import (
    MOST_TRACED,
    MOST_VERSIONS,
    TRACED,
    TracedKeys,
    check_in_tasks,
    gathered,
    name_of,
    traced_batch,
)
from bridge.explain.versions import plain
from bridge.hudi import GroupVersions, files_of, slices_in
from bridge.merge import users_called
from bridge.redaction import current
from bridge.report import SAMPLE
from bridge.spark import META_COLUMNS, map_in_arrow, with_meta
from payloads.errors import PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from bridge.compare import ReadersReport
    from bridge.explain.slice_calls import SliceCalls
    from bridge.hudi import FileSlice, SliceQuery
    from bridge.redaction import Redaction
    from payloads import Record

_KEY, _PARTITION = META_COLUMNS[2], META_COLUMNS[3]
_INSTANT = "_pb_instant"


class _Version(NamedTuple):
    """A version of a key: its instant, its kind (`_pb_kind`), its record, and the order in which it merges."""

    sequence: int
    instant: str
    kind: str
    record: Record


class _SliceTracing(NamedTuple):
    """What a task needs: both queries and their names, the keys by partition, those with timelines, what is hidden."""

    queries: tuple[SliceQuery, SliceQuery]
    names: tuple[str, str]
    keys: Mapping[str, frozenset[str]]
    told: frozenset[tuple[str, str]]
    redaction: Redaction


def trace_rows(
    found: ReadersReport, reader: str, names: tuple[str, str], told: Collection[tuple[str, str]] | None = None
) -> TracedKeys:
    """Trace the rows that a reader shows differently, at most `MOST_TRACED`.

    Args:
        found: the comparison of the readers, still open; the file slices of these rows are read again.
        reader: the other reader, a release.
        names: what both are called.
        told: partition path and record key of the rows whose timelines are wanted; they are the names in `of_key`.
            None: a few rows.
    """
    differing = found.differences(reader)
    if differing is None or differing.isEmpty():
        return TracedKeys({}, {}, 0)
    opened = found.table.queries()
    if opened.timeline.latest != found.instant:
        return _untraced("the table was written during the run, so causes and timelines are left out; run it again")
    own, other = opened.snapshot(), opened.read_by(reader).snapshot()
    try:
        check_in_tasks(own.query.plan)
        check_in_tasks(other.query.plan)
    except PayloadBridgeError as error:
        return _untraced(str(error))
    if files_of(own.slices) != files_of(other.slices):
        return _untraced(
            f"{names[1]} finds other files of the table, so causes and timelines are left out; explain --table shows "
            "the versions of one row"
        )
    places = [_PARTITION, _KEY]
    chosen = differing.select(*places).distinct().orderBy(sf.xxhash64(*places), *places).limit(MOST_TRACED).collect()
    told = [(partition, key) for partition, key in chosen[:SAMPLE]] if told is None else told
    keys: dict[str, set[str]] = collections.defaultdict(set)
    for partition, key in chosen:
        keys[partition].add(key)
    slices = own._replace(slices=[one for one in own.slices if one.partition in keys])
    frozen = {partition: frozenset(of_partition) for partition, of_partition in keys.items()}
    job = _SliceTracing((own.query, other.query), names, frozen, frozenset(told), current())
    traced = map_in_arrow(found.table.slices_of(slices), functools.partial(_trace, job), TRACED)
    return _with_unmerged(gathered(traced, f"{' and '.join(names)}: traces of the rows that differ"), chosen, told)


def _untraced(why: str) -> TracedKeys:
    return TracedKeys({}, {}, 0, why)


def _with_unmerged(
    traced: TracedKeys, chosen: Collection[tuple[str, str]], told: Collection[tuple[str, str]]
) -> TracedKeys:
    """Add the rows that no log has: nothing merges, so only what is stored can be read differently."""
    rest = len(chosen) - traced.traced
    if rest <= 0:
        return traced
    causes = dict(traced.causes)
    causes[Cause.STORED] = causes.get(Cause.STORED, 0) + rest
    wanted = {name_of(place) for place in chosen} & {name_of(place) for place in told}
    unmerged = dict.fromkeys(wanted - traced.of_key.keys(), (Cause.STORED, None))
    ordered = dict(sorted(causes.items(), key=lambda one: (-one[1], one[0].name)))
    return TracedKeys(ordered, {**unmerged, **traced.of_key}, len(chosen))


@users_called(lambda job: job.queries[0].plan)
def _trace(job: _SliceTracing, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Trace the keys of a task's slices."""
    job.redaction.activate()  # of the task's own process
    for found in slices_in(batches):
        wanted = job.keys[found.partition]
        if not found.data_logs:
            continue
        calls = tuple(noted_calls(_of_keys(query, wanted), found) for query in job.queries)
        in_log = wanted & {*calls[0].shown, *calls[1].shown}
        told = {key for key in in_log if (found.partition, key) in job.told}
        versions = _versions(job.queries[0], found, frozenset(told)) if told else {}
        yield traced_batch([_answer(job, key, found, calls, versions.get(key, ())) for key in sorted(in_log)])


def _of_keys(query: SliceQuery, keys: frozenset[str]) -> SliceQuery:
    return dataclasses.replace(query, keys=keys, shown=None)


def _answer(
    job: _SliceTracing, key: str, found: FileSlice, calls: tuple[SliceCalls, ...], versions: Collection[_Version]
) -> tuple[str, Cause, str | None]:
    """Return the name of a key, why it differs, and its timeline if that is wanted."""
    query = job.queries[0]
    ordered = sorted(versions)
    records = [(1, one.record) for one in ordered]
    told = ExplainedRow({}, records, query.schema, 1, tuple(one.side(key) for one in calls))
    story = None
    if 0 < len(ordered) <= MOST_VERSIONS:
        story = json.dumps(timeline_of_files(told, job.names, [(one.instant, one.kind) for one in ordered]))
    return name_of((found.partition, key)), _cause(told, calls, key), story


def _cause(told: ExplainedRow, calls: tuple[SliceCalls, ...], key: str) -> Cause:
    if told.ends_equal:
        return Cause.STORED
    return cause_of(told) if any(key in one.by_key for one in calls) else Cause.PARTIAL


def _versions(query: SliceQuery, found: FileSlice, keys: frozenset[str]) -> dict[str, list[_Version]]:
    """Return the versions that a slice has of some keys, in any order."""
    groups = GroupVersions(_of_keys(query, keys))
    records = RecordReader(with_meta(query.schema), groups.arrow)
    wanted: Any = pa.array(sorted(keys), pa.string())
    versions: dict[str, list[_Version]] = collections.defaultdict(list)
    for batch in groups.read([found]):
        rows = batch.filter(pc.is_in(batch.column(_KEY), wanted))
        columns = (rows.column(name).to_pylist() for name in (_KEY, SEQUENCE, _INSTANT, KIND))
        for key, sequence, instant, kind, record in zip(*columns, records.rows(rows), strict=True):
            versions[key].append(_Version(sequence, instant, kind, plain(record) or {}))
    return versions
