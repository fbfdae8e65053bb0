"""Symptoms of damage in one file slice, counted with an example of each; plain Python, no session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from bridge.config import capabilities
from bridge.engines import KIND, ORDERING, PREFIX
from bridge.hudi.base_files import schema_of
from bridge.hudi.log_blocks import BlockType, HeaderKey
from bridge.hudi.readers import ComparedRows, Differing, ReaderQuery, SliceReaders
from bridge.hudi.schema_text import stored_schema
from bridge.hudi.slice_reader import SliceReader
from bridge.hudi.slice_versions import BASE, DATA, DELETE, FILE, GroupVersions
from bridge.hudi.timestamp_units import Label, labelled_micros, millis_of
from bridge.spark import META_COLUMNS
from payloads.backports import StrEnum
from payloads.builtin import IS_DELETED, UNAVAILABLE
from payloads.errors import PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from bridge.hudi.file_slices import FileSlice
    from bridge.hudi.slice_query import SliceQuery
    from bridge.report import JsonObject
    from payloads.avro import AvroSchema

_KEY = META_COLUMNS[2]
_NATURAL = {"type": "int", "value": "0"}
"""The ordering value of a delete that came without one."""
_JAVA_TYPES = (
    (pa.types.is_int32, {"int"}),
    (pa.types.is_int64, {"long"}),
    (pa.types.is_float32, {"float"}),
    (pa.types.is_float64, {"double"}),
    (pa.types.is_string, {"string", "utf8"}),
)
"""The Java types of ordering values by the type of their column; others are not checked."""
_ABSENT = (None, UNAVAILABLE, UNAVAILABLE.encode())
_AVRO_TYPES = {"int": pa.int32(), "long": pa.int64(), "float": pa.float32(), "double": pa.float64()}


class SymptomKind(StrEnum):
    """What is wrong with rows of a slice; the last four are no damage: cases in which rules of merging differ."""

    DIFFERS = "differs"
    UNREADABLE = "unreadable"
    LIVE_DELETE = "live-delete"
    NULL_ORDERING = "null-ordering"
    OTHER_TYPE = "other-type"
    SHARED_ORDERING = "shared-ordering"
    MILLIS_AS_MICROS = "millis-as-micros"
    LATE = "late"
    TIE = "tie"
    DELETE = "delete"
    NULL_VALUE = "null-value"


class Symptom(NamedTuple):
    """One kind of damage in one slice.

    Attributes:
        kind: what it is.
        about: the reader (a release) that shows other rows or can't read the slice; the marker (`column=value`) of live
            deletes; the ordering field; the field and its two types; or the column that a file, or blocks of a log,
            call microseconds and the table's schema milliseconds. For `shared-ordering` the text ordering field
            of rows in Parquet log blocks that have another value than the last row of their block: readers from 1.0 on
            compare all of them by that row's.
        number: how many rows, versions or slices.
        partition: the partition of the slice.
        key: the smallest record key; empty where the slice as a whole is meant.
        file: the file with the last version of that key.
        reason: why the slice can't be read.
    """

    kind: SymptomKind
    about: str
    number: int
    partition: str
    key: str
    file: str
    reason: str = ""


class SliceSymptoms:
    """Looks for damage in the slices of a table; compiled once a task."""

    def __init__(
        self,
        readers: Mapping[str, SliceQuery],
        ordering: Sequence[str],
        markers: Sequence[tuple[str, str]],
        *,
        with_cases: bool = False,
    ) -> None:
        """Compile the readers.

        Args:
            readers: the query of each release; the first is what the others are compared with.
            ordering: the ordering fields, by which versions merge.
            markers: columns and the values that say that a row deletes its key; only columns of text or booleans count.
            with_cases: whether keys are counted, too, of which the log has a version that is late, ties with the one
                before it, deletes, or has null (or Debezium's marker) where that one has a value.

        Raises:
            PayloadBridgeError: a reader can't read the table.
        """
        self._names = list(readers)
        self._query = next(iter(readers.values()))
        self._readers = SliceReaders([ReaderQuery(query) for query in readers.values()])
        self._own = SliceReader(self._query)
        self._versions = GroupVersions(self._query)
        names = self._own.arrow.names
        self._ordering = [name for name in ordering if name in names]
        self._markers = [
            (name, value) for name, value in markers if name in names and _can_mark(self._own.arrow.field(name).type)
        ]
        self._with_cases = with_cases
        self._millis = frozenset[Label]().union(*(millis_of(query.schema) for query in readers.values()))
        self._shares = any(capabilities(query.rules.release).file_group_reader for query in readers.values())

    def of(self, found: FileSlice) -> Iterator[Symptom]:
        """Give the symptoms of a slice; that its own reader can't read it is one."""
        try:
            yield from self._labels(found)
            yield from self._shared_orderings(found)
            counted = _Counted()
            self._live_deletes(found, counted)
            refused, files = self._compare(found, counted)
        except PayloadBridgeError as error:
            reason = str(error)
            yield Symptom(SymptomKind.UNREADABLE, self._names[0], 1, found.partition, "", _first_file(found), reason)
            return
        for number, reason in refused.items():
            name = self._names[number]
            yield Symptom(SymptomKind.UNREADABLE, name, 1, found.partition, "", _first_file(found), reason)
        for (kind, about), (count, key) in counted.items():
            yield Symptom(kind, about, count, found.partition, key, files.get(key, _first_file(found)))

    def _compare(self, found: FileSlice, counted: _Counted) -> tuple[dict[int, str], dict[str, str]]:
        """Count the rows that other readers show differently, and what is stored, by the same ranges of keys.

        Returns why readers can't read the slice, and the file of the last version of each example.
        """
        refused: dict[int, str] = {}
        files: dict[str, str] = {}
        for part in self._readers.compare(found):
            if isinstance(part, Differing):
                counted.add(SymptomKind.DIFFERS, self._names[part.reader], part.keys)
            else:
                files |= self._stored(found, counted, part)
                refused = part.refused
        for number in refused:
            counted.pop((SymptomKind.DIFFERS, self._names[number]), None)
        return refused, files

    def _live_deletes(self, found: FileSlice, counted: _Counted) -> None:
        for batch in self._own.read(found) if self._markers else ():
            for name, value in self._markers:
                says_so = pc.equal(pc.cast(batch.column(name), pa.string()), value)
                flagged = batch.filter(pc.fill_null(says_so, fill_value=False))
                if flagged.num_rows:
                    counted.add(SymptomKind.LIVE_DELETE, f"{name}={value}", self._own.keys_of(flagged))

    def _stored(self, found: FileSlice, counted: _Counted, seen: ComparedRows) -> dict[str, str]:
        """Count stored versions by their ordering values; return the file of the last version of each example."""
        files: dict[str, str] = {}
        cases = _Cases(seen.logged, self._ordering) if self._with_cases else None
        examples = {key for _, key in counted.values()}
        for every in self._versions.read([found]):
            batch = every if seen.within is None else every.filter(seen.within.mask(every.column(_KEY)))
            keys, kinds = batch.column(_KEY), set(pc.unique(batch.column(KIND)).to_pylist())
            for name in self._ordering if kinds & {BASE, DATA} else ():
                counted.add(SymptomKind.NULL_ORDERING, name, keys.filter(pc.is_null(batch.column(name))).to_pylist())
            if DELETE in kinds:
                self._deletes(batch, counted)
            if cases is not None:
                cases.add(batch)
                examples |= {min(each) for each in cases.keys.values()}
            examples |= {key for _, key in counted.values()}
            here = pc.is_in(keys, pa.array(sorted(examples), pa.string()))
            files.update(zip(keys.filter(here).to_pylist(), batch.column(FILE).filter(here).to_pylist(), strict=True))
        for kind, each in ({} if cases is None else cases.keys).items():
            counted.add(kind, "", sorted(each))
        return files

    def _deletes(self, batch: pa.RecordBatch, counted: _Counted) -> None:
        """Count the deletes whose ordering value has another Java type than the one ordering field."""
        if len(self._ordering) != 1:
            return
        (name,) = self._ordering
        column = self._own.arrow.field(name).type
        expected = next((types for is_type, types in _JAVA_TYPES if is_type(column)), None)
        pairs = zip(batch.column(_KEY).to_pylist(), batch.column(ORDERING).to_pylist(), strict=True)
        for key, value in pairs:
            if expected and value and value != _NATURAL and value["type"] not in expected:
                about = f"{name}: {column} in the table, {value['type']} in a delete"
                counted.add(SymptomKind.OTHER_TYPE, about, [key])

    def _labels(self, found: FileSlice) -> Iterator[Symptom]:
        """Give the files that store a column in another type, or name another unit for it, than the table does now."""
        for file, written in self._schemas(found) if self._ordering or self._millis else ():
            for name in self._ordering:
                own, kind = self._own.arrow.field(name).type, _number_type(written, name)
                if kind is not None and kind != own:
                    about = f"{name}: {own} in the table, {kind} in a file"
                    yield Symptom(SymptomKind.OTHER_TYPE, about, 1, found.partition, "", file)
            for name in sorted(labelled_micros(written, self._millis)):
                yield Symptom(SymptomKind.MILLIS_AS_MICROS, name, 1, found.partition, "", file)

    def _schemas(self, found: FileSlice) -> Iterator[tuple[str, pa.Schema | AvroSchema]]:
        """Give the schema of each file; of a log those of its blocks."""
        if found.base_file is not None:
            yield found.base_file, schema_of(self._query.files, found.path_of(found.base_file))
        if not found.data_logs:
            return
        with self._own.folder.blocks(found) as blocks:
            headers = {
                (block.file.rpartition("/")[2], block.header[HeaderKey.SCHEMA]): None
                for block, _ in blocks
                if HeaderKey.SCHEMA in block.header
            }
        yield from ((file, stored_schema(text)) for file, text in headers)

    def _shared_orderings(self, found: FileSlice) -> Iterator[Symptom]:
        """Give the text ordering fields by whose values rows of Parquet log blocks are not compared."""
        names = [name for name in self._ordering if pa.types.is_string(self._own.arrow.field(name).type)]
        if not self._shares or not names or not found.data_logs:
            return
        for name, file, keys in shared_orderings(self._own, found, names):
            key = pc.min(keys).as_py()
            yield Symptom(SymptomKind.SHARED_ORDERING, name, len(keys), found.partition, key, file)


def shared_orderings(
    reader: SliceReader, found: FileSlice, names: Sequence[str]
) -> Iterator[tuple[str, str, pa.ChunkedArray[Any]]]:
    """Give the rows of Parquet log blocks that have another value of a text ordering field than their block's last row.

    Each of the fields `names`, with the log file of a block and the record keys of these rows, if there are any.

    Source: seen in real Hudi 1.0.2, 1.1.1 and 1.2.0, in queries and compactions: the ordering value of a record
    points into a buffer that the next row of the block fills again. Numbers, and Avro blocks, are not concerned.

    Raises:
        HudiTableError: a file can't be read.
    """
    with reader.folder.blocks(found) as blocks:
        for each in blocks:
            if each.block.type is not BlockType.PARQUET_DATA:
                continue
            versions = list(reader.folder.versions(each, found.partition))
            keys = pa.chunked_array([some for _, some in versions], pa.string())
            for name in names if len(keys) else ():
                values = pa.chunked_array([batch.column(name) for batch, _ in versions], pa.string())
                last = values[-1]
                unlike = pc.fill_null(pc.not_equal(values, last), True) if last.is_valid else pc.is_valid(values)
                others = keys.filter(unlike)
                if len(others):
                    yield name, each.block.file.rpartition("/")[2], others


def _without_dates(rows: pa.RecordBatch) -> pa.RecordBatch:
    """Return rows with their days as numbers, since Python has no days after the year 9999."""
    columns = [column.cast(pa.int32()) if pa.types.is_date32(column.type) else column for column in rows.columns]
    return pa.RecordBatch.from_arrays(columns, rows.schema.names)


class _Cases:
    """The keys of a log of which two versions that follow each other are a case."""

    def __init__(self, logged: Collection[str], ordering: Sequence[str]) -> None:
        self._logged = pa.array(sorted(logged), pa.string())
        self._ordering = ordering
        self._last: dict[str, JsonObject] = {}
        self.keys: dict[SymptomKind, set[str]] = {}

    def add(self, batch: pa.RecordBatch) -> None:
        """Look at the next versions."""
        rows = batch.filter(pc.is_in(batch.column(_KEY), self._logged)) if len(self._logged) else batch.slice(0, 0)
        for row in _without_dates(rows).to_pylist():
            key, before = row[_KEY], self._last.get(row[_KEY])
            if row[KIND] == DELETE:
                self._note(SymptomKind.DELETE, key)
                continue
            self._last[key] = row
            if before is not None:
                self._compare(key, before, row)

    def _compare(self, key: str, before: JsonObject, row: JsonObject) -> None:
        older, newer = ([one[name] for name in self._ordering] for one in (before, row))
        if newer and None not in (*older, *newer):
            if newer == older:
                self._note(SymptomKind.TIE, key)
            elif newer < older:
                self._note(SymptomKind.LATE, key)
        data = (name for name in row if name not in {*META_COLUMNS, IS_DELETED} and not name.startswith(PREFIX))
        if any(row[name] in _ABSENT and before[name] not in _ABSENT for name in data):
            self._note(SymptomKind.NULL_VALUE, key)

    def _note(self, kind: SymptomKind, key: str) -> None:
        self.keys.setdefault(kind, set()).add(key)


class _Counted(dict[tuple[SymptomKind, str], tuple[int, str]]):
    """How many keys have each symptom, and the smallest of them."""

    def add(self, kind: SymptomKind, about: str, keys: Sequence[str | None]) -> None:
        """Count keys; a row of a foreign file has none."""
        if keys:
            texts = [key or "" for key in keys]
            count, key = self.get((kind, about), (0, texts[0]))
            self[kind, about] = count + len(keys), min(key, *texts)


def _number_type(written: pa.Schema | AvroSchema, name: str) -> pa.DataType | None:
    """Return the type of a numeric column of a file; None for another kind of column, or none."""
    if isinstance(written, pa.Schema):
        kind = written.field(name).type if name in written.names else None
        return kind if kind in _AVRO_TYPES.values() else None
    field = written.by_name.get(name)
    source = None if field is None else field.schema.source
    branches = source if isinstance(source, list) else [source]
    kinds = [_AVRO_TYPES[branch] for branch in branches if isinstance(branch, str) and branch in _AVRO_TYPES]
    return kinds[0] if len(kinds) == 1 else None


def _can_mark(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_boolean(kind) or pa.types.is_integer(kind))


def _first_file(found: FileSlice) -> str:
    return found.base_file or next(iter(found.data_logs), "")
