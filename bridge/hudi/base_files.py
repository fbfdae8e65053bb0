"""Base files as Arrow batches: Parquet, and the two halves that a metadata-only bootstrap leaves.

A file is read row group by row group, so memory holds one batch of it.
"""

from __future__ import annotations

import io
import posixpath
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq

from bridge.hudi.errors import DamagedFileError, UnreadableTableError
from bridge.hudi.hfile import read_cells
from bridge.spark import META_COLUMNS
from payloads.avro import read_container

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from bridge.hudi.files import TableFiles

BOOTSTRAP_INSTANT = "00000000000001"
_INDEX_FOLDER = ".hoodie/.aux/.bootstrap/.fileids"
_ROWS = 1 << 15


def read_base(files: TableFiles, path: str) -> Iterator[pa.RecordBatch]:
    """Give the rows of a base file.

    Raises:
        DamagedFileError: it is not a readable Parquet file.
    """
    yield from _parquet(files, path)


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
    skeleton = pa.Table.from_batches(list(_parquet(files, path))).select(META_COLUMNS)
    data = pa.Table.from_batches(list(_parquet(sources, source)))
    if skeleton.num_rows != data.num_rows:
        msg = (
            f"{sources.described(source)} has {data.num_rows} rows, and {files.described(path)} was made from "
            f"{skeleton.num_rows}; restore the source as it was when it was bootstrapped"
        )
        raise DamagedFileError(msg)
    for name in skeleton.column_names:
        data = data.append_column(name, skeleton.column(name))
    yield from data.combine_chunks().to_batches(max_chunksize=_ROWS)


def _parquet(files: TableFiles, path: str) -> Iterator[pa.RecordBatch]:
    try:
        with files.open(path) as stream, pq.ParquetFile(stream) as parquet:
            schema = parquet.schema_arrow
            yield from parquet.iter_batches(_ROWS)
            if not parquet.metadata.num_rows:
                yield pa.RecordBatch.from_pylist([], schema=schema)
    except (pa.ArrowException, OSError) as error:
        msg = f"{files.described(path)} can't be read: {error}; restore the file, or roll its commit back with Hudi"
        raise DamagedFileError(msg) from error


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
