"""The framing of log files: where each block begins, what its header says, which bytes are damaged.

A length is believed only where the bytes are there, so that a damaged one allocates nothing; content is read when it is
asked for. Source: HoodieLogFileReader of 0.12 to 1.2, which all write log format version 1.
"""

from __future__ import annotations

import enum
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from bridge.hudi.errors import DamagedFileError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MAGIC = b"#HUDI#"
_LOG_FORMAT = 1
_LONG = struct.Struct(">q")
_INT = struct.Struct(">i")
_SIZE_END = len(MAGIC) + _LONG.size
_FIXED = 2 * _INT.size  # format version, block type
_SCAN_STEP = 1 << 20
_MAX_HEADER = 1 << 26  # 64 MiB: a schema of this size is none


class BlockType(enum.IntEnum):
    """What a block holds, as its number says."""

    COMMAND = 0
    DELETE = 1
    CORRUPT = 2
    AVRO_DATA = 3
    HFILE_DATA = 4
    PARQUET_DATA = 5
    CDC_DATA = 6


class HeaderKey(enum.IntEnum):
    """What an entry of a block's header is about."""

    INSTANT_TIME = 0
    TARGET_INSTANT_TIME = 1
    SCHEMA = 2
    COMMAND_BLOCK_TYPE = 3
    COMPACTED_BLOCK_TIMES = 4
    RECORD_POSITIONS = 5
    BLOCK_IDENTIFIER = 6
    IS_PARTIAL = 7
    BASE_FILE_INSTANT_TIME_OF_RECORD_POSITIONS = 8


class RandomAccess(Protocol):
    """An open file of which any part can be read."""

    def size(self) -> int:
        """Return the length in bytes."""

    def read_at(self, nbytes: int, offset: int) -> bytes:
        """Return at most `nbytes` from `offset` on."""


@dataclass(frozen=True)
class Block:
    """A complete block.

    Attributes:
        file: its log file, for messages.
        offset: where it begins, at its magic.
        type: what it holds; CORRUPT where its frame is damaged, which readers pass over.
        header: the entries that are known.
        content_offset, content_length: where its content is, in bytes.
    """

    file: str
    offset: int
    type: BlockType
    header: Mapping[HeaderKey, str]
    content_offset: int = 0
    content_length: int = 0

    @property
    def instant(self) -> str:
        """The instant that wrote the block.

        Raises:
            DamagedFileError: the header has none.
        """
        return self.required(HeaderKey.INSTANT_TIME)

    @property
    def is_partial(self) -> bool:
        """Whether its rows carry the updated columns alone."""
        return self.header.get(HeaderKey.IS_PARTIAL, "").lower() == "true"

    def required(self, key: HeaderKey) -> str:
        """Return an entry of the header.

        Raises:
            DamagedFileError: the header has none.
        """
        try:
            return self.header[key]
        except KeyError as error:
            reason = f"its header lacks {key.name}"
            raise self.damaged(reason) from error

    def content(self, stream: RandomAccess) -> bytes:
        """Read the content of the block."""
        return stream.read_at(self.content_length, self.content_offset)

    def damaged(self, reason: object) -> DamagedFileError:
        """Return the error for a block that can't be read."""
        return _damaged(self.file, self.offset, reason)


def read_blocks(stream: RandomAccess, file: str) -> Iterator[Block]:
    """Give the blocks of a log file in order, damaged ones as CORRUPT, without their contents.

    Args:
        stream: the file.
        file: its name, for messages.

    Raises:
        DamagedFileError: no block begins where one must, or a complete block has an invalid header.
    """
    size = stream.size()
    offset = 0
    while offset < size:
        magic = stream.read_at(len(MAGIC), offset)
        if magic != MAGIC:
            if len(magic) < len(MAGIC):
                return  # the end of the file, to Hudi too: it reads no block after less than a magic
            raise _damaged(file, offset, "no block begins here")
        end = _end_of(stream, offset, size)
        if end is None:
            yield Block(file, offset, BlockType.CORRUPT, {})
            offset = _next_magic(stream, offset + len(MAGIC), size)
        else:
            yield _block(stream, file, offset, end)
            offset = end


def _end_of(stream: RandomAccess, offset: int, size: int) -> int | None:
    """Return where the block at `offset` ends; None where its frame is damaged."""
    start = offset + _SIZE_END
    if start > size:
        return None
    (written,) = _LONG.unpack(stream.read_at(_LONG.size, start - _LONG.size))
    length = _INT.unpack(_LONG.pack(written)[_INT.size :])[0]  # Hudi casts it to an int
    end = start + length
    if length < _FIXED + _LONG.size or end > size:
        return None
    (total,) = _LONG.unpack(stream.read_at(_LONG.size, end - _LONG.size))
    if total - len(MAGIC) != length:
        return None
    following = stream.read_at(len(MAGIC), end)
    return end if len(following) < len(MAGIC) or following == MAGIC else None


def _next_magic(stream: RandomAccess, offset: int, size: int) -> int:
    """Return where the next magic is at or after `offset`; the end of the file where there is none."""
    while offset < size:
        window = stream.read_at(_SCAN_STEP, offset)
        found = window.find(MAGIC)
        if found >= 0:
            return offset + found
        offset += max(len(window) - len(MAGIC) + 1, 1) if offset + len(window) < size else len(window)
    return size


def _block(stream: RandomAccess, file: str, offset: int, end: int) -> Block:
    position = offset + _SIZE_END
    stop = end - _LONG.size
    layout, kind = struct.unpack(">ii", stream.read_at(_FIXED, position))
    if layout != _LOG_FORMAT:
        raise _damaged(file, offset, f"it has log format version {layout}, but only version 1 is known")
    if kind not in set(BlockType):
        raise _damaged(file, offset, f"it has the unknown type {kind}")
    header, position = _header(stream, file, offset, position + _FIXED, stop)
    length = _number(stream, _LONG, file, offset, position, stop)
    position += _LONG.size
    if length < 0 or length > stop - position:
        raise _damaged(file, offset, f"its content has {length} bytes, but the block only {stop - position}")
    return Block(file, offset, BlockType(kind), header, position, length)


def _header(stream: RandomAccess, file: str, offset: int, position: int, stop: int) -> tuple[dict[HeaderKey, str], int]:
    """Return the entries of a header, and where it ends."""
    entries = _number(stream, _INT, file, offset, position, stop)
    position += _INT.size
    header: dict[HeaderKey, str] = {}
    known = set(HeaderKey)
    for _ in range(entries):
        key = _number(stream, _INT, file, offset, position, stop)
        length = _number(stream, _INT, file, offset, position + _INT.size, stop)
        position += 2 * _INT.size
        if not 0 <= length <= min(stop - position, _MAX_HEADER):
            raise _damaged(file, offset, f"an entry of its header has {length} bytes")
        if key not in known:
            raise _damaged(file, offset, f"its header has the unknown key {key}")
        header[HeaderKey(key)] = stream.read_at(length, position).decode(errors="replace")  # as Java does
        position += length
    if entries < 0:
        raise _damaged(file, offset, f"its header has {entries} entries")
    return header, position


def _number(stream: RandomAccess, kind: struct.Struct, file: str, offset: int, position: int, stop: int) -> int:  # noqa: PLR0913, PLR0917 (where it is, and what to say)
    if position + kind.size > stop:
        raise _damaged(file, offset, "it ends within its header")
    return int(kind.unpack(stream.read_at(kind.size, position))[0])


def _damaged(file: str, offset: int, reason: object) -> DamagedFileError:
    msg = f"{file}, block at byte {offset}: {reason}; restore the file, or roll its commit back with Hudi"
    return DamagedFileError(msg)
