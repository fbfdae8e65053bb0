"""How much reading batches takes: files and bytes, estimated from listings and the footers of Parquet files."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from bridge.pipeline.scope import is_null
from bridge.spark import batch_places, files_of, place_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import SparkSession

    from bridge.pipeline.scope import Scope
    from bridge.spark import Place

_FOOTERS: Final = 100
"""How many files are opened at most; the others are taken to be like them."""


class Extent(NamedTuple):
    """What is read.

    Attributes:
        files: how many files.
        bytes: their bytes.
        needed: the bytes that the scope leaves to a reader of Parquet, estimated; None where all are read.
    """

    files: int
    bytes: int
    needed: int | None = None

    def __str__(self) -> str:
        from rich.filesize import decimal  # noqa: PLC0415 (executors lack it)

        files = "1 file" if self.files == 1 else f"{self.files:,} files"
        if self.needed is None:
            return f"{files}, {decimal(self.bytes)}"
        return f"{files}, about {decimal(self.needed)} of {decimal(self.bytes)}"


def extent_of(text: str, scope: Scope, spark: SparkSession | None = None, *, is_one: bool = False) -> Extent:
    """Estimate what reading batches takes; no file is read but for its footer.

    Args:
        text: the folder or pattern of the batches; with `is_one` the one file or folder that a column splits.
        scope: what is taken of it.
        spark: the session with the credentials of the storage; None for the local disk.
        is_one: what `text` is.

    Raises:
        InputError: it can't be listed.
    """
    places = [place_of(text, spark)] if is_one else batch_places(text, spark)
    batches = [files_of(place) for place in places]
    sizes = {path: path.size() for one in batches for path in one.paths}
    parquet = [path for one in batches if one.format == "parquet" for path in one.paths]
    total = sum(sizes.values())
    if is_one or not scope.partitions or not parquet:
        return Extent(len(sizes), total)
    opened = parquet[:: -(-len(parquet) // _FOOTERS)]
    parts = [_needed(path, scope.partitions) for path in opened]
    read = sum(size for size, _ in parts)
    share = sum(needed for _, needed in parts) / read if read else 1.0
    of_parquet = sum(sizes[path] for path in parquet)
    return Extent(len(sizes), total, round(total - of_parquet * (1 - share)))


def _needed(path: Place, partitions: Sequence[Mapping[str, str]]) -> tuple[int, int]:
    """Return the bytes of all row groups of a file, and of those that may have rows of the partitions."""
    with path.open() as stream:
        try:
            footer = pq.read_metadata(stream)
        except pa.ArrowInvalid:  # the reader of the rows names the file
            return 0, 0
    every = needed = 0
    for number in range(footer.num_row_groups):
        group = footer.row_group(number)
        columns = {(column := group.column(at)).path_in_schema: column for at in range(group.num_columns)}
        size = sum(column.total_compressed_size for column in columns.values())
        every += size
        if any(all(_may_have(columns.get(name), value) for name, value in one.items()) for one in partitions):
            needed += size
    return every, needed


def _may_have(column: Any, value: str) -> bool:
    """Whether the statistics of a column in a row group leave room for a value."""
    found = None if column is None else column.statistics
    if found is None or not found.has_min_max or is_null(value):
        return True
    try:
        wanted = _like(found.min, value)
    except ValueError:
        return True
    return wanted is None or bool(found.min <= wanted <= found.max)


def _like(example: object, value: str) -> object:
    """Return a text as a value of the type of `example`; None if that has no rule here."""
    match example:
        case str():
            return value
        case bool():
            return None
        case int():
            return int(value)
        case datetime.datetime():
            return None
        case datetime.date():
            return datetime.date.fromisoformat(value)
        case _:
            return None
