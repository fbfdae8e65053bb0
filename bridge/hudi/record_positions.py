"""The positions of a block's records in the base file, which its header may have, and by which Hudi merges from 1.0 on.

Rows merge by key here, so a row that the log names has the key of that name, whatever the base file says, and no other
row has one. Source: LogReaderUtils.decodeRecordPositionsHeader, the portable format of Roaring64NavigableMap, and
PositionBasedFileGroupRecordBuffer.
"""

from __future__ import annotations

import base64
import struct
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bridge.hudi.log_blocks import HeaderKey

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt
    from typing_extensions import Self

    from bridge.hudi.block_order import FoundBlock
    from bridge.hudi.file_slices import FileSlice
    from bridge.hudi.key_ranges import KeyRange
    from bridge.hudi.log_blocks import Block
    from bridge.hudi.slice_query import SliceQuery
    from bridge.spark import ArrowColumn

    Rows = npt.NDArray[np.int64]

_PLAIN: Final = 12346
_WITH_RUNS: Final = 12347
_OFFSETS_FROM: Final = 4
_ARRAY_AT_MOST: Final = 4096
_BITMAP: Final = 8192


def has_positions(found: FileSlice, blocks: Sequence[FoundBlock]) -> bool:
    """Whether Hudi merges a slice by position: every block names rows of its base file.

    Raises:
        DamagedFileError: the positions of a block can't be read.
    """
    key = HeaderKey.BASE_FILE_INSTANT_TIME_OF_RECORD_POSITIONS
    headers = [block.header for block, _ in blocks]
    named = [one for one in headers if HeaderKey.RECORD_POSITIONS in one and one.get(key) == found.base_instant]
    if not headers or len(named) < len(headers):
        return False
    for block, _ in blocks:
        _positions(block)
    return True


def _positions(block: Block) -> Rows:
    try:
        return positions_of(block.header[HeaderKey.RECORD_POSITIONS])
    except ValueError as error:
        reason = f"its record positions can't be read: {error}"
        raise block.damaged(reason) from error


class NamedRows:
    """The rows of a base file that its log names, and the key of each."""

    def __init__(self) -> None:
        """Begin without rows."""
        self._foreign: dict[int, frozenset[int]] = {}
        self._blocks: list[Block] = []
        self._rows: list[Rows] = []
        self._keys: list[ArrowColumn] = []

    @classmethod
    def of(cls, query: SliceQuery, found: FileSlice, within: KeyRange | None) -> Self | None:
        """Return what takes the rows that the log of a slice names; None if not all rows of the base file are read."""
        if within is not None or query.keys is not None or query.commits is not None or found.base_file is None:
            return None
        return cls()

    def add(self, block: Block, keys: ArrowColumn) -> None:
        """Add the records of a block, whose keys, an Arrow array, come in the order of their positions.

        Raises:
            DamagedFileError: it has fewer positions than records.
        """
        rows = _positions(block)
        if len(rows) < len(keys):
            reason = f"it has {len(keys)} records, but positions of {len(rows)}"
            raise block.damaged(reason)
        self._blocks.append(block)
        self._rows.append(rows[: len(keys)])
        self._keys += keys.chunks if isinstance(keys, pa.ChunkedArray) else [keys]

    @property
    def last(self) -> int:
        """The greatest position that is named; -1 without any."""
        return max((int(rows[-1]) for rows in self._rows if len(rows)), default=-1)

    def over(self, keys_of: Callable[[pa.RecordBatch], ArrowColumn]) -> Callable[[pa.RecordBatch], ArrowColumn]:
        """Return what gives the keys of batches in the order of the base file; null for rows that the log has not.

        Raises:
            DamagedFileError: two blocks name one row, by different keys.
        """
        rows = np.concatenate(self._rows)
        order = np.argsort(rows, kind="stable")
        rows, named = rows[order], pa.chunked_array(self._keys, pa.string()).combine_chunks().take(pa.array(order))
        self._check(rows, named, order)
        first = 0

        def keys(batch: pa.RecordBatch) -> Any:
            nonlocal first
            own = keys_of(batch)
            begin, end = np.searchsorted(rows, [first, first + len(own)])
            at, theirs = rows[begin:end] - first, named.slice(begin, end - begin)
            first += len(own)
            place = np.full(len(own), -1)
            place[at] = np.arange(len(at))
            differs = pc.fill_null(pc.not_equal(own.take(pa.array(at)), theirs), True)
            if pc.any(differs).as_py():
                self._foreign[id(batch)] = frozenset(at[differs.to_numpy(zero_copy_only=False)].tolist())
            return theirs.take(pa.array(place, mask=place < 0))

        return keys

    def _check(self, rows: Rows, keys: ArrowColumn, order: Rows) -> None:
        """Refuse a row of several keys: Hudi merges these versions as one row, and rows merge by key here."""
        again = np.flatnonzero(rows[1:] == rows[:-1])
        differs = pc.fill_null(pc.not_equal(keys.take(pa.array(again)), keys.take(pa.array(again + 1))), True)
        if not (at := again[differs.to_numpy(zero_copy_only=False)]).size:
            return
        first = int(at[0])
        ends = np.cumsum([len(each) for each in self._rows])
        block = self._blocks[int(np.searchsorted(ends, order[first + 1], "right"))]
        older, newer = keys[first].as_py(), keys[first + 1].as_py()
        reason = f"it names row {rows[first]} of the base file as {newer!r}, and a block before it as {older!r}"
        raise block.damaged(reason)

    def foreign(self, batch: pa.RecordBatch) -> frozenset[int]:
        """Return the rows of a batch whose own key is another one, and forget them."""
        return self._foreign.pop(id(batch), frozenset())


def positions_of(text: str) -> Rows:
    """Return the positions that a header has, in order.

    Raises:
        ValueError: it is no such header.
    """
    data = base64.b64decode(text, validate=True)
    found = [np.array([], np.int64)]
    try:
        (bitmaps,) = struct.unpack_from("<q", data)
        at = 8
        for _ in range(bitmaps):
            (high,) = struct.unpack_from("<I", data, at)
            at, containers = _bitmap(data, at + 4)
            found += [low + (high << 32) for low in containers]
    except (struct.error, IndexError) as error:
        msg = "it ends too early"
        raise ValueError(msg) from error
    if at > len(data):
        msg = "it ends too early"
        raise ValueError(msg)
    return np.concatenate(found)


def _bitmap(data: bytes, at: int) -> tuple[int, list[Rows]]:
    """Return where a bitmap of 32 bits ends, and the values of its containers."""
    (cookie,) = struct.unpack_from("<I", data, at)
    at += 4
    has_runs = cookie & 0xFFFF == _WITH_RUNS
    if not has_runs and cookie != _PLAIN:
        msg = "it is not a bitmap"
        raise ValueError(msg)
    if has_runs:
        size = (cookie >> 16) + 1
        runs = data[at : at + (size + 7) // 8]
        at += len(runs)
    else:
        (size,) = struct.unpack_from("<I", data, at)
        runs = b""
        at += 4
    if size > 1 << 16:
        msg = "it is not a bitmap"
        raise ValueError(msg)
    heads = [struct.unpack_from("<HH", data, at + 4 * one) for one in range(size)]
    at += 4 * size
    at += 4 * size if not has_runs or size >= _OFFSETS_FROM else 0
    found: list[Rows] = []
    for number, (high, fewer) in enumerate(heads):
        if runs and runs[number // 8] >> (number % 8) & 1:
            (count,) = struct.unpack_from("<H", data, at)
            pairs = struct.unpack_from(f"<{2 * count}H", data, at + 2)
            at += 2 + 4 * int(count)
            spans = zip(pairs[::2], pairs[1::2], strict=True)
            low = np.concatenate([np.arange(start, start + more + 1) for start, more in spans] or [np.array([], int)])
        elif fewer < _ARRAY_AT_MOST:
            low = np.array(struct.unpack_from(f"<{fewer + 1}H", data, at), np.int64)
            at += 2 * (fewer + 1)
        else:
            bits = np.frombuffer(struct.unpack_from(f"{_BITMAP}s", data, at)[0], np.uint8)
            low = np.flatnonzero(np.unpackbits(bits, bitorder="little"))
            at += _BITMAP
        found.append(low.astype(np.int64) + (high << 16))
    return at, found
