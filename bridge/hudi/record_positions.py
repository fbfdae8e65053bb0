"""The positions of a block's records in the base file, which its header may have: checked, and not used.

Rows merge by key here; a reader from 1.0 on that merges by position fails where these bytes are damaged.
Source: LogReaderUtils.decodeRecordPositionsHeader, the portable format of Roaring64NavigableMap.
"""

from __future__ import annotations

import base64
import struct
from typing import TYPE_CHECKING, Final

from bridge.hudi.log_blocks import HeaderKey

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bridge.hudi.block_order import FoundBlock
    from bridge.hudi.file_slices import FileSlice

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
        try:
            count_positions(block.header[HeaderKey.RECORD_POSITIONS])
        except ValueError as error:
            reason = f"its record positions can't be read: {error}"
            raise block.damaged(reason) from error
    return True


def count_positions(text: str) -> int:
    """Return how many positions a header has.

    Raises:
        ValueError: it is no such header.
    """
    data = base64.b64decode(text, validate=True)
    try:
        (bitmaps,) = struct.unpack_from("<q", data)
        at, count = 8, 0
        for _ in range(bitmaps):
            at, found = _bitmap(data, at + 4)
            count += found
    except (struct.error, IndexError) as error:
        msg = "it ends too early"
        raise ValueError(msg) from error
    if at > len(data):
        msg = "it ends too early"
        raise ValueError(msg)
    return count


def _bitmap(data: bytes, at: int) -> tuple[int, int]:
    """Return where a bitmap of 32 bits ends, and how many values it has."""
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
    cards = [struct.unpack_from("<HH", data, at + 4 * one)[1] + 1 for one in range(size)]
    at += 4 * size
    at += 4 * size if not has_runs or size >= _OFFSETS_FROM else 0
    for number, card in enumerate(cards):
        if runs and runs[number // 8] >> (number % 8) & 1:
            at += 2 + 4 * int(struct.unpack_from("<H", data, at)[0])
        else:
            at += 2 * card if card <= _ARRAY_AT_MOST else _BITMAP
    return at, sum(cards)
