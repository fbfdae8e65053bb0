"""The blocks of an Avro container file, before they are read: where one begins, and its size decompressed."""

from __future__ import annotations

import bz2
import lzma
import zlib
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from payloads.errors import SchemaError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

MOST: Final = 200 << 20
"""Bytes that a block may have decompressed. Writers end a block after some kilobytes, or after one large record."""
_RATIO: Final = 1032
"""Deflate compresses no better."""
_HEADER: Final = 20
"""The most bytes of two numbers of 64 bits: how many records, how many bytes."""
_STEP: Final = 1 << 20
MARKER: Final = 16
"""The bytes of the marker that follows the header and each block."""


def at_block(stream: BinaryIO, start: int) -> bool:
    """Go behind the first marker from `start` on; the header, just read, ends with it. Return whether there is one."""
    stream.seek(stream.tell() - MARKER)
    marker = stream.read(MARKER)
    stream.seek(start)
    tail, at = b"", start
    while chunk := stream.read(_STEP):
        found = (tail + chunk).find(marker)
        if found >= 0:
            stream.seek(at - len(tail) + found + MARKER)
            return True
        at += len(chunk)
        tail = (tail + chunk)[1 - MARKER :]
    return False


def bounded(blocks: Iterator[Any], stream: BinaryIO, codec: str) -> Iterator[Any]:
    """Yield the blocks that a reader takes from a stream, each once it is known to fit into memory.

    Codecs of other libraries (snappy, zstandard, lz4) are not looked into.

    Raises:
        SchemaError: a block has more than `MOST` bytes decompressed. What is damaged is left to the reader.
    """
    while True:
        _check(stream, codec)
        try:
            block = next(blocks)
        except StopIteration:
            return
        yield block


def _check(stream: BinaryIO, codec: str) -> None:
    """Look at the block at which a stream stands; the stream stays there."""
    if codec not in _PIECES:
        return
    start = stream.tell()
    try:
        head = stream.read(_HEADER)
        _, at = _number(head, 0)
        size, at = _number(head, at)
        if codec == "deflate" and size * _RATIO <= MOST:
            return
        stream.seek(start + at)
        total = 0
        for length in _PIECES[codec](stream.read(size)):
            total += length
            if total > MOST:
                most = f"{MOST >> 20} MiB"
                msg = f"a block of the Avro container file has more than {most} decompressed; write smaller ones"
                raise SchemaError(msg)
    except (zlib.error, lzma.LZMAError, OSError, EOFError):
        return
    finally:
        stream.seek(start)


def _number(data: bytes, at: int) -> tuple[int, int]:
    """Return the number at a place (zigzag, variable length), and where it ends; 0 where the data ends."""
    found = shift = 0
    for byte in data[at:]:
        found |= (byte & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if byte < 1 << 7:
            break
    return max((found >> 1) ^ -(found & 1), 0), at


def _deflated(data: bytes) -> Iterator[int]:
    reader = zlib.decompressobj(-zlib.MAX_WBITS)
    while data and not reader.eof:
        yield len(reader.decompress(data, _STEP))
        data = reader.unconsumed_tail


def _in_pieces(reader: bz2.BZ2Decompressor | lzma.LZMADecompressor, data: bytes) -> Iterator[int]:
    while not reader.eof and (data or not reader.needs_input):
        yield len(reader.decompress(data, _STEP))
        data = b""


_PIECES: Final[Mapping[str, Callable[[bytes], Iterator[int]]]] = {
    "deflate": _deflated,
    "bzip2": lambda data: _in_pieces(bz2.BZ2Decompressor(), data),
    "xz": lambda data: _in_pieces(lzma.LZMADecompressor(), data),
}
