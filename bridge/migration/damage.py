"""Damage that is visible in a table: what its timeline has left open, and symptoms in its rows, as findings."""

from __future__ import annotations

import functools
import pickle
import shlex
import zlib
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
from pyspark.sql import functions as sf

from bridge.config import DELETE_KEY, DELETE_MARKER, capabilities, implicit_delete_marker
from bridge.errors import sentence_of
from bridge.hudi import SliceSymptoms, SymptomKind, TableQueries, UnreadableTableError
from bridge.migration.findings import Finding, Severity
from bridge.redaction import current, without_values
from bridge.report import Table
from bridge.spark import META_COLUMNS, prepare
from mergers import RecordMergeMode
from payloads import HudiRelease, PayloadBridgeError
from payloads.builtin import IS_DELETED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pyspark.sql import SparkSession

    from bridge.hudi import Answer, FileSlice, Instant, SliceQuery

MOST_SLICES = 100
"""How many file slices are read unless the caller says otherwise."""

_SYMPTOM = "kind string, about string, number long, partition string, key string, file string, reason string"
_CHANGE_FEEDS = (("Op", "D"), ("Op", "d"), ("_change_operation_type", "d"))
"""How DMS and Debezium mark deletes; a table that lost its class shows such rows."""


class Damage(NamedTuple):
    """One kind of damage, with the smallest example.

    Attributes:
        kind: `altered` (files that are missing or have another size than their commit says), `listing`
            (the metadata table can't be read), `unlisted` (files that the
            storage or the metadata table alone has), `differs` (rows that another reader
            shows differently), `unreadable` (file slices), `live-delete` (rows that say that they are deleted, and are
            shown), `null-ordering` (stored versions), `other-type` (ordering values of another type), `shared-ordering`
            (logged rows that releases from 1.0 on compare by the text ordering value of another row), `pending` (work
            that was planned and has not run), `open` (instants that never completed). With a release to move to also
            keys of which logs hold a case: `late` (a version that comes after a greater one), `tie`, `delete`,
            `null-value` (null, or Debezium's marker, after a value).
        about: the reader, the marker, the ordering field and its types, or the action.
        number: how many rows, versions, file slices, files or instants.
        partition: of the example.
        key: its record key; empty where no key is meant.
        file: the file with its last version; for `pending` and `open` the file of the instant.
        reason: why slices are unreadable.

    Added in 0.1.0.
    """

    kind: str
    about: str
    number: int
    partition: str = ""
    key: str = ""
    file: str = ""
    reason: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return it without values that are hidden."""
        shown = {"key": current().text(META_COLUMNS[2], self.key)}
        shown["partition"] = current().text(META_COLUMNS[3], self.partition)
        if self.reason and current().is_active:
            shown["reason"] = without_values(self.reason, "an error")
        return self._asdict() | shown


class TableDamage(NamedTuple):
    """What `find_damage` answers.

    Attributes:
        path: the table.
        reader: the release that counts as its writer, whose reader the others are compared with.
        damage: what was found, the timeline first.
        read: how many file slices were read.
        slices: how many there are.
        unread: why no rows were read; None if they were.
        columns: those of the table; empty where they are not known.

    Added in 0.1.0.
    """

    path: str
    reader: str
    damage: tuple[Damage, ...]
    read: int
    slices: int
    unread: str | None = None
    columns: tuple[str, ...] = ()

    def compared(self, to: str) -> int:
        """In how many of the file slices that were read the rows of a release are compared with those of `reader`."""
        if self.unread is not None:
            return 0
        failed = {one.about: one.number for one in self.damage if one.kind == SymptomKind.UNREADABLE}
        # What its own reader can't read is not read by another.
        return self.read - sum(failed.get(name, 0) for name in {self.reader, to})

    def is_complete(self, to: str) -> bool:
        """Whether the rows of all file slices are compared with those of a release."""
        return self.compared(to) == self.slices

    @property
    def is_whole(self) -> bool:
        """Whether the rows of all file slices were read."""
        return self.unread is None and self.read == self.slices

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The damage as warnings."""
        return tuple(_finding(one, self) for one in self.damage if one.kind in _TEXTS)

    def of(self, kind: SymptomKind) -> Damage | None:
        """Return what was found of a kind, the first where there are several."""
        return next((one for one in self.damage if one.kind == kind), None)

    def to_json(self) -> dict[str, Any]:
        """Return it in JSON values."""
        return {
            "reader": self.reader,
            "slices": self.slices,
            "slices_read": self.read,
            "rows_not_read": self.unread,
            "found": [one.as_json() for one in self.damage],
        }

    def table(self) -> Table:
        """Return it as text."""
        columns = ("kind", "about", "number", "key", "file")
        lines = [{name: one.as_json()[name] for name in columns} for one in self.damage]
        return Table.of_rows(columns, lines, f"Damage that is visible, {self.extent}")

    @property
    def extent(self) -> str:
        """How much of the table was read."""
        if self.unread is not None:
            return f"in the timeline alone: {self.unread}"
        return f"in {self.read} of {self.slices} file slices" if self.read < self.slices else "in all file slices"


def find_damage(  # noqa: PLR0913 (what is read, and how)
    path: str,
    session: Callable[[], SparkSession] | None = None,
    *,
    most: int | None = MOST_SLICES,
    payload: str | None = None,
    bootstrap: str | None = None,
    to: HudiRelease | None = None,
) -> TableDamage:
    """Look for damage: instants that never completed, planned work, and symptoms in the rows of file slices.

    A task reads each slice once as every release reads it. Of more slices than `most` an even choice by file id is
    read, always the same one.

    Args:
        path: the table.
        session: gives the session that reads rows, if there are any; None: the timeline alone is read.
        most: how many file slices are read at most; None for all.
        payload: the Python class that merges a table whose own class Hudi does not ship.
        bootstrap: where bootstrapped files lie now, if not where the table says.
        to: the only other release whose reader is compared; then the cases in which rules of merging differ are
            counted, too. None: every release.

    Raises:
        HudiTableError: the path has no table, or its timeline can't be read.

    Added in 0.1.0.
    """
    opened = TableQueries(path, bootstrap=bootstrap)
    if opened.unnamed_class is not None and payload is not None and ":" in payload:
        opened = TableQueries(path, payload=payload, bootstrap=bootstrap)
    noted = (*_open_work(opened),)
    total, reader = 0, str(opened.release)
    try:
        noted = (*noted, *_altered(opened), *_unlisted(opened))
        answer = opened.snapshot()
        total = len(answer.slices)
        if session is None or not total:
            return TableDamage(path, reader, noted, 0, total, "rows were not read (--slices)" if total else None)
        if opened.unnamed_class is not None and any(one.data_logs for one in answer.slices):
            return TableDamage(path, reader, noted, 0, total, opened.unnamed_class)
        settings = _settings(opened, answer, to)
        SliceSymptoms(*settings)  # refuses here what each task would refuse
    except PayloadBridgeError as error:
        return TableDamage(path, reader, noted, 0, total, sentence_of(error))
    chosen = sorted(answer.slices, key=lambda one: zlib.crc32(one.file_id.encode()))[:most]
    spark = session()
    prepare(spark, answer.query.plan.payload_name)
    rows = spark.createDataFrame([(pickle.dumps(one),) for one in chosen], "slice binary")
    found = rows.mapInArrow(functools.partial(_scan, settings, with_cases=to is not None), _SYMPTOM)
    example = sf.min(sf.struct("key", "partition", "file", "reason")).alias("example")
    counted = found.groupBy("kind", "about").agg(sf.sum("number"), example).orderBy("kind", "about").collect()
    damage = (Damage(kind, about, number, **one.asDict()) for kind, about, number, one in counted)
    columns = tuple(answer.query.schema.by_name)
    return TableDamage(path, reader, (*noted, *damage), len(chosen), total, columns=columns)


def _settings(
    opened: TableQueries, answer: Answer, to: HudiRelease | None = None
) -> tuple[Mapping[str, SliceQuery], Sequence[str], Any]:
    """Return what `SliceSymptoms` takes."""
    properties = opened.properties
    config = properties.config(opened.release)
    readers = {str(opened.release): answer.query}
    for release in HudiRelease:
        if (
            release is not opened.release
            and to in {None, release}
            and capabilities(release).created_version >= properties.version
        ):
            readers[str(release)] = opened.read_by(release).snapshot().query
    ordering = () if config.read.mode is RecordMergeMode.COMMIT_TIME_ORDERING else properties.merge.ordering
    own = {**config.merge_properties} | implicit_delete_marker(properties.merge.payload)
    named = (own.get(DELETE_KEY.key), own.get(DELETE_MARKER.key))
    markers = ((IS_DELETED, "true"), *_CHANGE_FEEDS, *([named] if all(named) else []))
    return readers, ordering, tuple(dict.fromkeys(markers))


def _scan(
    settings: tuple[Any, ...], batches: Iterable[pa.RecordBatch], *, with_cases: bool
) -> Iterator[pa.RecordBatch]:
    """Give the symptoms of one task's slices."""
    scan = SliceSymptoms(*settings, with_cases=with_cases)
    for batch in batches:
        for pickled in batch.column(0).to_pylist():
            found: FileSlice = pickle.loads(pickled)  # noqa: S301 (the driver pickled it)
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
    found = opened.altered_files()
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
        unlisted = opened.unlisted()
    except UnreadableTableError as error:
        yield Damage("listing", _LISTINGS[1], 1, reason=sentence_of(error))
        return
    for about, paths in zip(_LISTINGS, unlisted, strict=True):
        if paths:
            partition, _, name = min(paths).rpartition("/")
            yield Damage("unlisted", about, len(paths), partition, "", name)


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


# -- as warnings

_LISTINGS = ("storage", "metadata table")

_OF_PENDING = {
    "compaction": (
        "an upgrade to 1.0 or later does not run it: what was written to its file groups since is hidden then (table "
        "version 6) or merged by the new settings (8)"
    ),
    "clustering": "Hudi refuses to update its file groups until it has run or is rolled back",
    "logcompaction": "log blocks stay as they are until it has run",
}

_ROLLED_BACK, _RUN_AGAIN = ": the next write or an upgrade rolls it back", ": the next write runs it again"
_OF_OPEN = dict.fromkeys(("commit", "deltacommit", "replacecommit"), _ROLLED_BACK) | dict.fromkeys(
    ("clean", "rollback", "restore"), _RUN_AGAIN
)


def _finding(one: Damage, table: TableDamage) -> Finding:
    shown = one.as_json()
    such = f", such as {shown['key']} in {one.file}" if one.key else f", such as {one.file}" if one.file else ""
    sampled = "" if table.read >= table.slices else f" (in {table.read} of {table.slices} file slices)"
    severity, text, remedy = _TEXTS[one.kind](one, table)
    where = sampled if one.kind in {*SymptomKind} else ""
    return Finding(severity, f"{text}{such}{where}", remedy, shown)


def _many(number: int, one: str, more: str) -> str:
    return f"1 {one}" if number == 1 else f"{number} {more}"


_TEXTS: dict[str, Callable[[Damage, TableDamage], tuple[Severity, str, str]]] = {
    SymptomKind.DIFFERS: lambda one, table: (
        Severity.CHANGES,
        f"Hudi {one.about} shows {_many(one.number, 'row', 'rows')} differently from Hudi {table.reader}",
        f"payload-bridge replay --table {shlex.quote(table.path)} --to {one.about} lists them",
    ),
    SymptomKind.UNREADABLE: lambda one, _: (
        Severity.FAILS,
        f"Hudi {one.about} can't read {_many(one.number, 'file slice', 'file slices')} ({one.as_json()['reason']})",
        "compact the table with the release that wrote it",
    ),
    SymptomKind.LIVE_DELETE: lambda one, _: (
        Severity.DAMAGE,
        f"{_many(one.number, 'live row says', 'live rows say')} {one.about}",
        "store the payload class or the delete marker in the table, and delete them",
    ),
    SymptomKind.NULL_ORDERING: lambda one, _: (
        Severity.CHANGES,
        f"{_many(one.number, 'stored version has', 'stored versions have')} no value in the ordering field {one.about}",
        "write these keys again with a value: releases rank null differently",
    ),
    SymptomKind.OTHER_TYPE: lambda one, _: (
        Severity.FAILS,
        f"ordering values of two types ({one.about}), {one.number} times",
        "compact the table with the release that wrote it: Hudi from 1.0 on can't compare them",
    ),
    SymptomKind.SHARED_ORDERING: lambda one, _: (
        Severity.CHANGES,
        f"Hudi from 1.0 on compares {_many(one.number, 'row', 'rows')} of Parquet log blocks by another's {one.about}",
        "write Avro log blocks (hoodie.logfile.data.block.format=avro), and these keys again",
    ),
    "pending": lambda one, _: (
        Severity.CHANGES,
        f"{_many(one.number, one.about, one.about + 's')} pending",
        f"{_OF_PENDING[one.about]}: run it with the release that planned it",
    ),
    "altered": lambda one, _: (
        Severity.DAMAGE,
        f"{_many(one.number, 'file of a completed commit', 'files of completed commits')}: {one.as_json()['reason']}",
        "restore the files, or restore the table to an instant before (hudi-cli savepoint rollback)",
    ),
    "listing": lambda one, _: (
        Severity.FAILS,
        f"the {one.about} can't be read ({one.as_json()['reason']})",
        "Hudi from 1.0 on fails to read the table until the metadata table is rebuilt",
    ),
    "unlisted": lambda one, _: (
        Severity.DAMAGE,
        f"{_many(one.number, 'file is', 'files are')} on the {one.about} alone"
        if one.about == _LISTINGS[0]
        else f"{_many(one.number, 'file is', 'files are')} in the {one.about} alone, and missing on the storage",
        "rebuild the metadata table with hudi-cli (metadata delete, metadata create): Hudi reads by it from 1.0 on",
    ),
    "open": lambda one, _: (
        Severity.ADVICE,
        f"{_many(one.number, one.about + ' has', one.about + 's have')} not completed",
        f"if no writer is running it was interrupted{_OF_OPEN.get(one.about, '')}",
    ),
}
