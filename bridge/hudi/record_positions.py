"""The positions of a block's records in the base file, which its header may have: checked, and not used.

Rows merge by key here. A reader from 1.0 on that merges by position fails where these bytes are damaged, and takes rows
of another base file for those of the log.
Source: LogReaderUtils.decodeRecordPositionsHeader, the portable format of Roaring64NavigableMap.
"""

from __future__ import annotations

import base64
import struct
from typing import TYPE_CHECKING, Final

from bridge.hudi.base_files import rows_in
from bridge.hudi.log_blocks import HeaderKey

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bridge.hudi.block_order import FoundBlock
    from bridge.hudi.file_slices import FileSlice
    from bridge.hudi.files import TableFiles

_PLAIN: Final = 12346
_WITH_RUNS: Final = 12347
_OFFSETS_FROM: Final = 4
_ARRAY_AT_MOST: Final = 4096
_BITMAP: Final = 8192


def has_positions(files: TableFiles, found: FileSlice, blocks: Sequence[FoundBlock]) -> bool:
    """Whether Hudi merges a slice by position: every block names rows of its base file.

    Raises:
        DamagedFileError: the positions of a block can't be read, or its base file has fewer rows.
    """
    key = HeaderKey.BASE_FILE_INSTANT_TIME_OF_RECORD_POSITIONS
    headers = [block.header for block, _ in blocks]
    named = [one for one in headers if HeaderKey.RECORD_POSITIONS in one and one.get(key) == found.base_instant]
    if not headers or len(named) < len(headers):
        return False
    rows = None if found.base_file is None else rows_in(files, found.path_of(found.base_file))
    for block, _ in blocks:
        try:
            _, last = positions_of(block.header[HeaderKey.RECORD_POSITIONS])
        except ValueError as error:
            reason = f"its record positions can't be read: {error}"
            raise block.damaged(reason) from error
        if rows is not None and last >= rows:
            reason = f"a record is at row {last} of the base file {found.base_file}, which has {rows}"
            raise block.damaged(reason)
    return True


def positions_of(text: str) -> tuple[int, int]:
    """Return how many positions a header has, and the greatest; -1 for none.

    Raises:
        ValueError: it is no such header.
    """
    data = base64.b64decode(text, validate=True)
    try:
        (bitmaps,) = struct.unpack_from("<q", data)
        at, count, last = 8, 0, -1
        for _ in range(bitmaps):
            (high,) = struct.unpack_from("<I", data, at)
            at, found, low = _bitmap(data, at + 4)
            count += found
            last = max(last, high << 32 | low) if found else last
    except (struct.error, IndexError) as error:
        msg = "it ends too early"
        raise ValueError(msg) from error
    if at > len(data):
        msg = "it ends too early"
        raise ValueError(msg)
    return count, last


def _bitmap(data: bytes, at: int) -> tuple[int, int, int]:
    """Return where a bitmap of 32 bits ends, how many values it has, and the greatest."""
    (cookie,) = struct.unpack_from("<I", data, at)
    at += 4
    has_runs = cookie & 0xFFFF == _WITH_RUNS
    if not has_runs and cookie != _PLAIN:
        msg = "it is no bitmap"
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
        msg = "it is no bitmap"
        raise ValueError(msg)
    heads = [struct.unpack_from("<HH", data, at + 4 * one) for one in range(size)]
    last = -1
    at += 4 * size
    at += 4 * size if not has_runs or size >= _OFFSETS_FROM else 0
    for number, (high, fewer) in enumerate(heads):
        if runs and runs[number // 8] >> (number % 8) & 1:
            (count,) = struct.unpack_from("<H", data, at)
            at += 2 + 4 * int(count)
            low = sum(struct.unpack_from("<HH", data, at - 4)) if count else -1
        elif fewer < _ARRAY_AT_MOST:
            at += 2 * (fewer + 1)
            (low,) = struct.unpack_from("<H", data, at - 2)
        else:
            at += _BITMAP
            low = int.from_bytes(data[at - _BITMAP : at], "little").bit_length() - 1
        last = high << 16 | low
    return at, sum(fewer + 1 for _, fewer in heads), last
