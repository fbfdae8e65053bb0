"""Base files as Arrow batches: Parquet, ORC, and the two halves that a metadata-only bootstrap leaves.

A file is read row group by row group, or stripe by stripe, so memory holds one batch of it.
"""

from __future__ import annotations

import bisect
import io
import posixpath
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pyarrow as pa
from pyarrow import orc

from bridge.hudi.errors import DamagedFileError, UnreadableTableError
from bridge.hudi.hfile import read_cells
from bridge.hudi.parquet_footers import open_parquet
from bridge.spark import META_COLUMNS
from payloads.avro import read_container
from payloads.errors import parse_error_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    import pyarrow.parquet as pq

    from bridge.hudi.files import TableFiles

BOOTSTRAP_INSTANT = "00000000000001"
_INDEX_FOLDER = ".hoodie/.aux/.bootstrap/.fileids"
_OTHER_FORMATS = {".hfile", ".lance"}
_ROWS = 1 << 15
_UNREAD = (pa.ArrowException, OSError, UnicodeDecodeError)
"""What Arrow raises of a damaged file, the last for the name of a column."""
_AVRO_SCHEMA = b"parquet.avro.schema"
_KEY_EDGES = (b"hoodie_min_record_key", b"hoodie_max_record_key")


def read_base(
    files: TableFiles, path: str, columns: Sequence[str] | None = None, keys: AbstractSet[str] | None = None
) -> Iterator[pa.RecordBatch]:
    """Give the rows of a base file.

    Args:
        files: the table's.
        path: the file.
        columns: what to read of it, if there; None for all.
        keys: the record keys of interest; row groups that by their statistics have none of them are skipped.

    Raises:
        DamagedFileError: it can't be read in the format that its name says.
        UnreadableTableError: it has another format than Parquet and ORC.
    """
    _check_format(files, path)
    yield from _orc(files, path, columns) if path.endswith(".orc") else _parquet(files, path, columns, keys)


def schema_of(files: TableFiles, path: str) -> pa.Schema:
    """Return the columns that a base file stores.

    Raises:
        DamagedFileError: it can't be read in the format that its name says.
        UnreadableTableError: it has another format than Parquet and ORC.
    """
    _check_format(files, path)
    try:
        with files.open(path) as stream:
            return orc.ORCFile(stream).schema if path.endswith(".orc") else open_parquet(stream).schema_arrow
    except _UNREAD as error:
        raise _unreadable(files, path, error) from error


def avro_schema_of(files: TableFiles, path: str) -> str | None:
    """Return the Avro schema in the footer of a base file, as JSON; None where it has none.

    Raises:
        DamagedFileError: it can't be read in the format that its name says.
    """
    written = (schema_of(files, path).metadata or {}).get(_AVRO_SCHEMA)
    return None if written is None else written.decode(errors="replace")


def _check_format(files: TableFiles, path: str) -> None:
    _, suffix = posixpath.splitext(path)
    if suffix in _OTHER_FORMATS:
        msg = (
            f"{files.described(path)} is a base file in {suffix[1:].upper()}, but only PARQUET and ORC are "
            "supported; read this table with Hudi itself"
        )
        raise UnreadableTableError(msg)


def key_edges(files: TableFiles, path: str) -> tuple[str, ...]:
    """Return the least and the greatest record key of a base file, as its footer says; none where it does not.

    Source: HoodieBloomFilterWriteSupport.HOODIE_MIN_RECORD_KEY_FOOTER and HOODIE_MAX_RECORD_KEY_FOOTER.

    Raises:
        DamagedFileError: it can't be read in the format that its name says.
    """
    if path.endswith(".orc"):
        return ()
    try:
        with files.open(path) as stream:
            footer = open_parquet(stream).metadata.metadata or {}
    except _UNREAD as error:
        raise _unreadable(files, path, error) from error
    return tuple(footer[name].decode() for name in _KEY_EDGES if name in footer)


def read_bootstrapped(files: TableFiles, path: str, sources: TableFiles, source: str) -> Iterator[pa.RecordBatch]:
    """Give the rows of a bootstrapped file group: meta columns from its skeleton, all others from its source file.

    Args:
        files: the table's.
        path: the skeleton.
        sources: the bootstrapped folder's.
        source: the source file.

    Raises:
        DamagedFileError: a file can't be read, or the two have not the same number of rows.
    """
    expected, found = _rows_in(files, path), _rows_in(sources, source)
    if expected != found:
        msg = (
            f"{sources.described(source)} has {found} rows, and {files.described(path)} was made from {expected}; "
            "restore the source as it was when it was bootstrapped"
        )
        raise DamagedFileError(msg)
    for meta, data in _side_by_side(_parquet(files, path, META_COLUMNS), _parquet(sources, source)):
        names = [*data.schema.names, *META_COLUMNS]
        yield pa.RecordBatch.from_arrays([*data.columns, *(meta.column(name) for name in META_COLUMNS)], names)


def _side_by_side(
    left: Iterator[pa.RecordBatch], right: Iterator[pa.RecordBatch]
) -> Iterator[tuple[pa.RecordBatch, pa.RecordBatch]]:
    """Give the rows of two files of as many rows, as many of each at a time."""
    other: pa.RecordBatch | None = None
    for each in left:
        one = each
        while one.num_rows:
            while other is None or not other.num_rows:
                other = next(right)
            size = min(one.num_rows, other.num_rows)
            yield one.slice(0, size), other.slice(0, size)
            one, other = one.slice(size), other.slice(size)


def _rows_in(files: TableFiles, path: str) -> int:
    try:
        with files.open(path) as stream:
            rows: int = open_parquet(stream).metadata.num_rows
    except _UNREAD as error:
        raise _unreadable(files, path, error) from error
    return rows


def _parquet(
    files: TableFiles, path: str, columns: Sequence[str] | None = None, keys: AbstractSet[str] | None = None
) -> Iterator[pa.RecordBatch]:
    try:
        with files.open(path) as stream, open_parquet(stream) as parquet:
            stored = parquet.schema_arrow
            # A file that has none of the columns still has its number of rows.
            names = None if columns is None else [n for n in columns if n in stored.names] or stored.names[:1]
            groups = range(parquet.num_row_groups) if keys is None else _groups_with(parquet, sorted(keys))
            yield from parquet.iter_batches(_ROWS, row_groups=list(groups), columns=names)
            if not parquet.metadata.num_rows:
                yield pa.RecordBatch.from_pylist([], schema=stored)
    except _UNREAD as error:
        raise _unreadable(files, path, error) from error


def _orc(files: TableFiles, path: str, columns: Sequence[str] | None) -> Iterator[pa.RecordBatch]:
    try:
        with files.open(path) as stream:
            found = orc.ORCFile(stream)
            stored = found.schema
            names = None if columns is None else [n for n in columns if n in stored.names] or stored.names[:1]
            for number in range(found.nstripes):
                yield from pa.Table.from_batches([found.read_stripe(number, names)]).to_batches(_ROWS)
            if not found.nrows:
                yield pa.RecordBatch.from_pylist([], schema=stored)
    except _UNREAD as error:
        raise _unreadable(files, path, error) from error


def _unreadable(files: TableFiles, path: str, error: Exception) -> DamagedFileError:
    reason = parse_error_text(error)
    msg = f"{files.described(path)} can't be read: {reason}; restore the file, or roll its commit back with Hudi"
    return DamagedFileError(msg)


def _groups_with(parquet: pq.ParquetFile, keys: Sequence[str]) -> Iterator[int]:
    """Give the row groups whose record keys may have one of `keys`, sorted by code point as Parquet sorts UTF-8."""
    column = parquet.schema_arrow.get_field_index(META_COLUMNS[2])
    for number in range(parquet.num_row_groups):
        known = parquet.metadata.row_group(number).column(column).statistics if column >= 0 else None
        if known is None or not known.has_min_max or _any_between(keys, known.min, known.max):
            yield number


def _any_between(keys: Sequence[str], first: str, last: str) -> bool:
    at = bisect.bisect_left(keys, first)
    return at < len(keys) and keys[at] <= last


def bootstrap_sources(files: TableFiles, base: str) -> Mapping[tuple[str, str], str]:
    """Return the source file of each bootstrapped file group, by (partition, file id), below the bootstrapped folder.

    Args:
        files: the table's.
        base: the folder as the table's properties name it.

    Raises:
        UnreadableTableError: the index has no entry, or names a file outside that folder.
    """
    found: dict[tuple[str, str], str] = {}
    for name in files.names(_INDEX_FOLDER):
        if not name.endswith(".hfile"):
            continue
        for key, value in read_cells(files.read(f"{_INDEX_FOLDER}/{name}")):
            partition, _, file_id = key.decode().removeprefix("part=").rpartition(";fileid=")
            (entry,) = read_container(io.BytesIO(value))[1]
            uri = entry["bootstrapFileStatus"]["path"]["uri"]
            found[partition, file_id] = _below(_plain(base), _plain(uri))
    return found


def _plain(uri: str) -> str:
    """Return a local URI as a path, any other as it is."""
    return unquote(uri.removeprefix("file://")) if uri.startswith("file://") else unquote(uri.removeprefix("file:"))


def _below(base: str, path: str) -> str:
    relative = posixpath.relpath(path, base)
    if relative.startswith(".."):
        msg = f"the bootstrap index names {path}, which is not below {base}; read this table with Hudi itself"
        raise UnreadableTableError(msg)
    return relative
