"""The search for damage in a table: what its timeline has left open, its files, and symptoms in its rows."""

from __future__ import annotations

import functools
import zlib
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import functions as sf

from bridge.compare import class_named
from bridge.config import DELETE_KEY, DELETE_MARKER, capabilities, implicit_delete_marker
from bridge.errors import sentence_of
from bridge.hudi import (
    HudiTable,
    SliceSymptoms,
    SymptomKind,
    TableQueries,
    UnreadableTableError,
    files_of,
    slices_in,
    slices_of,
)
from bridge.merge import users_called
from bridge.migration.damage import APART, LISTINGS, MOST_SLICES, UNREAD, Damage, TableDamage
from bridge.plan import CALL_TIMEOUT
from bridge.spark import map_in_arrow
from mergers import RecordMergeMode
from payloads import HudiRelease, PayloadBridgeError, PayloadRef
from payloads.builtin import IS_DELETED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pyspark.sql import SparkSession

    from bridge.hudi import Answer, Instant, SliceQuery

_SYMPTOM = "kind string, about string, number long, partition string, key string, file string, reason string"
_CHANGE_FEEDS = (("Op", "D"), ("Op", "d"), ("_change_operation_type", "d"))
"""How DMS and Debezium mark deletes; a table that lost its class shows such rows."""


def find_damage(  # noqa: PLR0913 (what is read, and how)
    path: str,
    session: Callable[[], SparkSession] | None = None,
    *,
    most: int | None = MOST_SLICES,
    payload: str | PayloadRef | None = None,
    bootstrap: str | None = None,
    to: str | HudiRelease | None = None,
    call_timeout: int = CALL_TIMEOUT,
) -> TableDamage:
    """Look for damage: instants that never completed, planned work, and symptoms in the rows of file slices.

    Each slice is read once, in one task, as every release reads it. Of more slices than `most`, an even selection by
    file id is read, always the same.

    Args:
        path: the table.
        session: returns the session that reads rows, if there are any; None: only the timeline is read.
        most: how many file slices are read at most; None for all.
        payload: the class that merges a table whose own class Hudi does not ship: a Python class, or a compiled one
            with its jars.
        bootstrap: the folder with the source files of a bootstrapped table, if they have moved.
        to: the only other release whose reader is compared; cases in which its merge rules differ are counted, too.
            None: every release.
        call_timeout: how many seconds a call of the class may take.

    Raises:
        HudiTableError: the path has no table, or its timeline can't be read.
    """
    opened = TableQueries(path, bootstrap=bootstrap)
    release = None if to is None else HudiRelease.asked(to)
    named = PayloadRef(payload) if isinstance(payload, str) else payload
    ask = class_named(opened, named)
    if opened.unnamed_class is not None and session is not None and named and (named.is_compiled or ":" in named.name):
        given: dict[str, Any] = {"payload": named, "bootstrap": bootstrap, "call_timeout": call_timeout}
        try:
            opened = HudiTable(session(), path, **given).queries(looks=False)  # they are findings
        except PayloadBridgeError as error:
            return _unread(path, str(opened.release), (), 0, sentence_of(error), (), ask)
    noted = (*_open_work(opened),)
    total, reader = 0, str(opened.release)
    columns: tuple[str, ...] = ()
    try:
        noted = (*noted, *_altered(opened), *_unlisted(opened))
        answer = opened.snapshot()
        total, columns = len(answer.slices), (*answer.query.schema.by_name,)
        noted = (*noted, *_change_data(answer))
        if session is None or not total:
            why = "rows were not read (--slices)" if total else None
            return TableDamage(path, reader, noted, 0, total, why, columns, payload=ask)
        if opened.unnamed_class is not None and any(one.data_logs for one in answer.slices):
            return TableDamage(path, reader, noted, 0, total, opened.unnamed_class, columns, payload=ask)
        settings, apart = _settings(opened, answer, release)
        noted = (*noted, *apart)
        SliceSymptoms(*settings)  # refuses here what each task would refuse
    except PayloadBridgeError as error:
        return _unread(path, reader, noted, total, sentence_of(error), columns, ask)
    chosen = sorted(answer.slices, key=lambda one: zlib.crc32(one.file_id.encode()))[:most]
    rows = slices_of(session(), answer.query, chosen)
    found = map_in_arrow(rows, functools.partial(_scan, settings, with_cases=to is not None), _SYMPTOM)
    example = sf.min(sf.struct("key", "partition", "file", "reason")).alias("example")
    counted = found.groupBy("kind", "about").agg(sf.sum("number"), example).orderBy("kind", "about").collect()
    damage = (Damage(kind, about, number, **one.asDict()) for kind, about, number, one in counted)
    logs = sum(bool(one.data_logs) for one in chosen)
    return TableDamage(path, reader, (*noted, *damage), len(chosen), total, None, columns, logs, ask)


def _unread(  # noqa: PLR0913, PLR0917 (the parts of the answer)
    path: str,
    reader: str,
    noted: Sequence[Damage],
    total: int,
    why: str,
    columns: tuple[str, ...],
    payload: PayloadRef | None,
) -> TableDamage:
    """Return the answer for a table of which no row can be read, which is damage, too."""
    return TableDamage(
        path, reader, (*noted, Damage(UNREAD, reader, total, reason=why)), 0, total, why, columns, payload=payload
    )


def _settings(
    opened: TableQueries, answer: Answer, to: HudiRelease | None = None
) -> tuple[tuple[Mapping[str, SliceQuery], Sequence[str], Any], list[Damage]]:
    """Return what `SliceSymptoms` takes, and which releases can't read these files, or read others."""
    properties = opened.properties
    config = properties.config(opened.release)
    readers, number = {str(opened.release): answer.query}, len(answer.slices)
    apart: list[Damage] = []
    for release in HudiRelease:
        if (
            release is opened.release
            or to not in {None, release}
            or capabilities(release).created_version < properties.version
        ):
            continue
        try:
            other = opened.read_by(release).snapshot()
        except PayloadBridgeError as error:
            if release < opened.release and opened.plan.runs_java:  # older ones may have no bundle for this Spark
                continue
            apart.append(Damage(SymptomKind.UNREADABLE, str(release), number, reason=sentence_of(error)))
            continue
        if files_of(other.slices) == files_of(answer.slices):
            readers[str(release)] = other.query
        else:
            apart.append(Damage(APART, str(release), number))
    ordering = () if config.read.mode is RecordMergeMode.COMMIT_TIME_ORDERING else properties.merge.ordering
    own = {**config.merge_properties} | implicit_delete_marker(properties.merge.payload)
    named = (own.get(DELETE_KEY.key), own.get(DELETE_MARKER.key))
    markers = ((IS_DELETED, "true"), *_CHANGE_FEEDS, *([named] if all(named) else []))
    return (readers, ordering, tuple(dict.fromkeys(markers))), apart


@users_called(lambda settings: next(iter(settings[0].values())).plan)
def _scan(
    settings: tuple[Any, ...], batches: Iterable[pa.RecordBatch], *, with_cases: bool
) -> Iterator[pa.RecordBatch]:
    """Give the symptoms of one task's slices."""
    scan = SliceSymptoms(*settings, with_cases=with_cases)
    for found in slices_in(batches):
        rows = [one._asdict() | {"kind": one.kind.value} for one in scan.of(found)]
        names = [word.split()[0] for word in _SYMPTOM.split(", ")]
        kinds = [pa.int64() if name == "number" else pa.string() for name in names]
        yield pa.RecordBatch.from_pylist(rows, schema=pa.schema(list(zip(names, kinds, strict=True))))


# -- the timeline


def _open_work(opened: TableQueries) -> Iterator[Damage]:
    """Give planned work and open instants, by action, with the first of each."""
    groups: dict[tuple[str, str], list[Instant]] = {}
    for instant in opened.timeline.instants:
        if not instant.is_completed:
            groups.setdefault(_kind_of(opened, instant), []).append(instant)
    for (kind, action), instants in sorted(groups.items(), key=lambda group: group[0][0], reverse=True):
        partition, file = _first_group(opened, instants[0]) if kind == "pending" else ("", "")
        yield Damage(kind, action, len(instants), partition, "", file or instants[0].file)


def _altered(opened: TableQueries) -> Iterator[Damage]:
    """Give the files that are missing, and those of another size than their commits say."""
    found = opened.listings.altered_files()
    for about, files in (
        ("missing", [one for one in found if one.found is None]),
        ("size", [one for one in found if one.found is not None]),
    ):
        if files:
            partition, _, name = files[0].path.rpartition("/")
            yield Damage("altered", about, len(files), partition, "", name, str(files[0]))


def _unlisted(opened: TableQueries) -> Iterator[Damage]:
    """Give what a snapshot reads by one listing of the files alone, the storage's or the metadata table's."""
    try:
        unlisted = opened.listings.unlisted()
    except UnreadableTableError as error:
        yield Damage("listing", LISTINGS[1], 1, reason=sentence_of(error))
        return
    for about, paths in zip(LISTINGS, unlisted, strict=True):
        if paths:
            partition, _, name = min(paths).rpartition("/")
            yield Damage("unlisted", about, len(paths), partition, "", name)


def _change_data(answer: Answer) -> Iterator[Damage]:
    """Count the files with change data, which a snapshot does not need."""
    found = [(one, name) for one in answer.slices for name in one.log_files if name not in one.data_logs]
    if found:
        yield Damage("change-data", ".cdc", len(found), found[0][0].partition, "", found[0][1])


def _kind_of(opened: TableQueries, instant: Instant) -> tuple[str, str]:
    if instant.action in {"compaction", "logcompaction", "clustering"}:
        return "pending", instant.action
    if instant.action == "replacecommit" and opened.timeline.plan(instant).get("clusteringPlan"):
        return "pending", "clustering"
    return "open", instant.action


def _first_group(opened: TableQueries, instant: Instant) -> tuple[str, str]:
    """Return partition and file group of the first operation of a plan."""
    plan = opened.timeline.plan(instant)
    clustered = [
        one for group in (plan.get("clusteringPlan") or plan).get("inputGroups") or () for one in group["slices"]
    ]
    first: Mapping[str, Any] = next(iter(plan.get("operations") or clustered), {})
    return first.get("partitionPath") or "", first.get("fileId") or ""
