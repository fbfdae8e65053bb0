"""Files of merged rows with Hudi's meta columns in front, as a base file has them: what RFC-46 calls file writers."""

from __future__ import annotations

import contextlib
import datetime
import functools
import json
import posixpath
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import fs
from pyspark import TaskContext
from pyspark.sql import types as spark_types

from bridge.config import capabilities, keys
from bridge.engines import RecordReader
from bridge.errors import InputError
from bridge.hudi import ComputedKeys, TableProperties, arrow_of, converted
from bridge.merge import NO_PARTITION
from bridge.pipeline import data_fields
from bridge.spark import (
    META_COLUMNS,
    Target,
    avro_schema,
    is_renamed,
    map_in_arrow,
    output_folder,
    prepare,
    quoted,
    with_meta,
)
from payloads.avro import AvroSchema, ContainerWriter

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pyspark.sql import DataFrame

    from bridge.plan import MergePlan
    from bridge.spark import ArrowColumn, OutputRun, Place

FILE_FORMATS: Final = ("parquet", "avro")
_WRITTEN: Final = "file string"
_DONE: Final = "_SUCCESS"
_COMMIT, _SEQUENCE, _KEY, _PATH, _FILE = META_COLUMNS
_DIGITS: Final = len("yyyyMMddHHmmssSSS")
_KINDS: Final = (spark_types.StringType, spark_types.IntegralType)
_PATH_KINDS: Final = (*_KINDS, spark_types.DateType, spark_types.BooleanType)


def write_files(  # noqa: PLR0913 (keyword-only settings of one output)
    rows: DataFrame,
    path: str,
    plan: MergePlan,
    *,
    out_format: str = "parquet",
    instant: str | None = None,
    overwrite: bool = False,
) -> tuple[str, ...]:
    """Write rows as files that begin with Hudi's five meta columns, in a folder for each partition path.

    Returns the paths of the files, relative to `path`. They are named like base files, but belong to no table: there is
    no timeline, and the files have no bloom filter. A row that has a commit time keeps it, with sequence number and
    record key; `_hoodie_partition_path` and `_hoodie_file_name` are those of its new file. Control columns (`_pb_*`)
    are omitted. On an object store `_SUCCESS` is written last. Source of the values: HoodieRecord.generateSequenceId,
    KeyGenUtils, FSUtils.makeBaseFileName.

    Args:
        rows: the merged rows.
        path: a folder, local or on a storage; it appears only when it is complete.
        plan: names key and partition; `hoodie.datasource.write.hive_style_partitioning` in its `props` is used.
        out_format: `parquet`, or `avro`: containers of the table's records.
        instant: the commit time of rows that have none, `yyyyMMddHHmmssSSS`; None for now, in UTC.
        overwrite: whether a folder of this name is replaced.

    Raises:
        InputError: the folder exists; or a column of the key or partition is missing or of a type whose text in
            Hudi is not supported.
        EngineError: executors have written elsewhere.
        PySparkException: Spark fails; or a row has no key (each part is null or empty), or a partition value that is no
            name of one folder.
    """
    with output_folder(rows.sparkSession, Target(path, overwrite=overwrite)) as run:
        return _stamped_files(rows, run, plan, form=out_format, instant=instant)


class FilesRun:
    """An output whose rows are written as such files."""

    def __init__(self, run: OutputRun, plan: MergePlan, form: str) -> None:
        """Take the run that has the folder."""
        self._run = run
        self._plan = plan
        self._form = form
        self.aside = run.aside
        self.drop = run.drop

    def write(self, frame: DataFrame, name: str = "") -> None:
        """Write rows, or plainly what is in quarantine; errors as in `write_files`."""
        if name == "quarantine":
            self._run.write(frame, name)
            return
        _stamped_files(frame, self._run, self._plan, name, form=self._form)


def _stamped_files(  # noqa: PLR0913 (those of write_files)
    rows: DataFrame, run: OutputRun, plan: MergePlan, name: str = "", *, form: str, instant: str | None = None
) -> tuple[str, ...]:
    """Write such files below the folder of a run, as `write_files` does."""
    _check(rows, plan, form, instant)
    place = run.place.below(name) if name else run.place
    spark = rows.sparkSession
    meta = [quoted(name) for name in META_COLUMNS if name in rows.columns]
    fields = [field for field in data_fields(rows) if field.name not in META_COLUMNS]
    frame = rows.select(*meta, *(quoted(field.name) for field in fields))
    if plan.partition:
        frame = frame.sortWithinPartitions(*map(quoted, plan.partition))
    schema = with_meta(avro_schema(spark_types.StructType(fields), plan.release))
    now = datetime.datetime.now(datetime.timezone.utc)
    at = instant or f"{now:%Y%m%d%H%M%S}{now.microsecond // 1000:03}"
    job = _FileJob(place, plan.key, plan.partition, _is_hive_style(plan), schema, at, form, _keyed(plan))
    prepare(spark)
    written = [row[0] for row in map_in_arrow(frame, functools.partial(_task, job), _WRITTEN).collect()]
    _remove_others(place, set(written))
    run.check_disks(spark, lambda: all(Path(place.path, file).is_file() for file in written))
    if not is_renamed(place):
        place.below(_DONE).write(b"")
    return tuple(sorted(written))


def _keyed(plan: MergePlan) -> TableProperties:
    """Return the properties by which Hudi makes the record keys of a plan's table.

    Source: KeyGenUtils.inferKeyGeneratorType: complex, unless one field is the key and one at most the partition.
    """
    version = capabilities(plan.release).created_version if plan.table is None else plan.table.version
    stored = {keys.RECORD_KEY.key: ",".join(plan.key), keys.TABLE_VERSION.key: str(version)}
    if len(plan.key) > 1 or len(plan.partition) > 1:
        stored[keys.KEYGEN_TYPE] = "COMPLEX"
    if keys.COMPLEX_KEY_ENCODING in plan.props:
        stored[keys.COMPLEX_KEY_ENCODING] = plan.props[keys.COMPLEX_KEY_ENCODING]
    return TableProperties(stored)


def _is_hive_style(plan: MergePlan) -> bool:
    return plan.props.get(keys.WRITE_HIVE_STYLE, "false").lower() == "true"


def check_form(form: str) -> None:
    """Refuse a format that files with meta columns can't have.

    Raises:
        InputError: naming those that they can.
    """
    if form not in FILE_FORMATS:
        msg = f"files with meta columns are {' or '.join(FILE_FORMATS)}, not {form}; name one of them"
        raise InputError(msg)


def _check(rows: DataFrame, plan: MergePlan, form: str, instant: str | None) -> None:
    check_form(form)
    if instant is not None and not (len(instant) == _DIGITS and instant.isdecimal()):
        msg = f"{instant!r} is not an instant; write it as yyyyMMddHHmmssSSS"
        raise InputError(msg)
    types = {field.name: field.dataType for field in rows.schema}
    for names, kinds in ((plan.key, _KINDS), (plan.partition, _PATH_KINDS)):
        for name in names:
            if name not in types:
                msg = f"the rows have no column {name!r}, from which record keys and partition paths are made"
                raise InputError(msg)
            if not isinstance(types[name], kinds):
                told = types[name].simpleString()
                msg = f"the column {name!r} is {told}, whose text in a record key or partition path is not supported"
                raise InputError(msg)


def _remove_others(place: Place, written: set[str]) -> None:
    """Remove what tasks left that failed, or ran twice."""
    system = place.system or fs.LocalFileSystem()
    for info in system.get_file_info(fs.FileSelector(place.path, recursive=True, allow_not_found=True)):
        if info.is_file and posixpath.relpath(info.path, place.path) not in written:
            system.delete_file(info.path)
    if not written:
        system.create_dir(place.path)


# -- in a task


class _FileJob(NamedTuple):
    """What tasks need.

    Attributes:
        place: the folder.
        key: the key columns.
        partition: the partition columns.
        hive_style: whether folders are `column=value`.
        schema: of the records, with meta columns.
        instant: the commit time of new rows.
        form: of the files.
        properties: by which keys are made.
    """

    place: Place
    key: tuple[str, ...]
    partition: tuple[str, ...]
    hive_style: bool
    schema: AvroSchema
    instant: str
    form: str
    properties: TableProperties


def _task(job: _FileJob, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    with contextlib.ExitStack() as opened:
        writer = _TaskWriter(job, opened)
        for batch in batches:
            writer.write(batch)
        opened.close()
        yield pa.RecordBatch.from_arrays([pa.array(writer.files, pa.string())], ["file"])


class _TaskWriter:
    """Writes the rows of one task, a file for each partition path that follows another."""

    def __init__(self, job: _FileJob, opened: contextlib.ExitStack) -> None:
        self.files: list[str] = []
        self._job = job
        self._opened = opened
        self._arrow = arrow_of(job.schema)
        self._keys = ComputedKeys(job.properties)
        self._path: str | None = None
        self._file: _ParquetFile | _AvroFile
        self._rows = 0
        context = TaskContext.get()
        self._number = 0 if context is None else context.partitionId()
        self._token = "0-0-0" if context is None else "-".join(map(str, _token(context)))

    def write(self, batch: pa.RecordBatch) -> None:
        """Write rows, sorted by partition."""
        keys_of_rows, paths = self._key_texts(batch), self._path_texts(batch)
        start = 0
        for run in pc.run_end_encode(paths).run_ends.to_pylist() if batch.num_rows else ():
            path = paths[start].as_py()
            if path != self._path:
                self._open(path)
            part = batch.slice(start, run - start)
            self._file.write(self._stamped(part, keys_of_rows.slice(start, run - start), path))
            start = run

    def _open(self, path: str) -> None:
        self._opened.close()
        self._path = path
        name = f"{uuid.uuid4()}-0_{self._token}_{self._job.instant}.{self._job.form}"
        self.files.append(posixpath.join(path, name))
        place = self._job.place
        system = place.system or fs.LocalFileSystem()
        system.create_dir(posixpath.join(place.path, path))
        stream = self._opened.enter_context(system.open_output_stream(posixpath.join(place.path, path, name)))
        kind = _ParquetFile if self._job.form == FILE_FORMATS[0] else _AvroFile
        self._file = kind(stream, self._job.schema, self._arrow)
        self._opened.callback(self._file.close)

    def _stamped(self, rows: pa.RecordBatch, record_keys: ArrowColumn, path: str) -> pa.RecordBatch:
        """Return rows in the columns of the file, with meta columns."""
        count = rows.num_rows
        numbers = pc.cast(pa.array(range(self._rows, self._rows + count), pa.int64()), pa.string())
        self._rows += count
        instant = self._job.instant
        new = {
            _COMMIT: pa.repeat(instant, count),
            _SEQUENCE: pc.binary_join_element_wise(f"{instant}_{self._number}_", numbers, ""),
            _KEY: record_keys,
        }
        own = dict(zip(rows.schema.names, rows.columns, strict=True))
        if _COMMIT in own:
            is_kept = pc.is_valid(own[_COMMIT])
            new |= {name: pc.if_else(is_kept, own[name], new[name]) for name in new.keys() & own.keys()}
        file = posixpath.basename(self.files[-1])
        own |= new | {_PATH: pa.repeat(path, count), _FILE: pa.repeat(file, count)}
        arrays = [converted(own[field.name], field.type) for field in self._arrow]
        return pa.RecordBatch.from_arrays(arrays, schema=self._arrow)

    def _key_texts(self, batch: pa.RecordBatch) -> ArrowColumn:
        """Return the record keys; Hudi names a part of several that is null or empty, but wants one that is neither."""
        texts = (pc.fill_null(pc.cast(batch.column(name), pa.string()), "") for name in self._job.key)
        if pc.any(functools.reduce(pc.and_, [pc.equal(text, "") for text in texts])).as_py():
            msg = f"a row has no {' and no '.join(map(repr, self._job.key))}, from which its record key is made"
            raise InputError(msg)
        return self._keys.of(batch)

    def _path_texts(self, batch: pa.RecordBatch) -> ArrowColumn:
        parts = [self._folders(batch.column(name), name) for name in self._job.partition]
        if not parts:
            return pa.repeat("", batch.num_rows)
        return pc.binary_join_element_wise(*parts, "/") if len(parts) > 1 else parts[0]

    def _folders(self, column: ArrowColumn, name: str) -> ArrowColumn:
        text = pc.cast(column, pa.string())
        text = pc.if_else(pc.fill_null(pc.not_equal(text, ""), False), text, NO_PARTITION)
        for found in pc.unique(text).to_pylist():
            if "/" in found or found in {".", ".."}:
                msg = f"{name}={found!r} names no folder of one partition; write such rows with Hudi itself"
                raise InputError(msg)
        return pc.binary_join_element_wise(f"{name}=", text, "") if self._job.hive_style else text


def _token(context: TaskContext) -> Sequence[int]:
    return context.partitionId(), context.stageId(), context.attemptNumber()


class _ParquetFile:
    """A Parquet file, with the Avro schema by which Hudi reads its records."""

    def __init__(self, stream: Any, schema: AvroSchema, arrow: pa.Schema) -> None:
        told = {"parquet.avro.schema": json.dumps(schema.source)}
        self._writer = pq.ParquetWriter(stream, arrow.with_metadata(told), compression="snappy")

    def write(self, rows: pa.RecordBatch) -> None:
        self._writer.write_batch(rows)

    def close(self) -> None:
        self._writer.close()


class _AvroFile:
    """An Avro container."""

    def __init__(self, stream: Any, schema: AvroSchema, arrow: pa.Schema) -> None:
        self._writer = ContainerWriter(stream, schema)
        self._reader = RecordReader(schema, arrow)

    def write(self, rows: pa.RecordBatch) -> None:
        self._writer.write(self._reader.rows(rows))

    def close(self) -> None:
        self._writer.close()
