"""HFiles: the cells of HBase's file format, version 3, as log blocks and bootstrap indexes hold it.

Data blocks come one after another from the start; what follows them (indexes, trailer) is not needed for a scan.
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEADER = struct.Struct(">8siiqbiI")
_DATA, _TRAILER = b"DATABLK*", b'TRABLK"$'
_LENGTHS = struct.Struct(">ii")
_ROW = struct.Struct(">h")
_GZIP = b"\x1f\x8b"
_MAX_BLOCK = 1 << 28  # 256 MiB; Hudi writes blocks of 1 MiB


def read_cells(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Give row and value of each cell, in the order of keys.

    Raises:
        ValueError: the bytes are no HFile, or use a codec other than none and gzip.
    """
    position = 0
    while position + _HEADER.size <= len(data):
        magic, on_disk, plain_size, *_ = _HEADER.unpack_from(data, position)
        if magic == _TRAILER:
            return
        start = position + _HEADER.size
        position = start + on_disk
        if on_disk < 0 or position > len(data):
            break
        if magic == _DATA:
            yield from _cells(_plain(data[start:position], plain_size))
    msg = "the HFile ends before its trailer"
    raise ValueError(msg)


def _plain(block: bytes, size: int) -> bytes:
    """Return the cells of a block; checksums may follow them on disk."""
    if not 0 <= size <= _MAX_BLOCK:
        msg = f"an HFile block of {size} bytes"
        raise ValueError(msg)
    if block.startswith(_GZIP):
        unzip = zlib.decompressobj(wbits=31)
        try:
            plain = unzip.decompress(block, size + 1)
        except zlib.error as error:
            raise ValueError(str(error)) from error
    else:
        plain = block[:size]
    if len(plain) != size:
        msg = f"an HFile block has {len(plain)} bytes, not {size}; only gzip and no compression are known"
        raise ValueError(msg)
    return plain


def _cells(block: bytes) -> Iterator[tuple[bytes, bytes]]:
    position = 0
    while position < len(block):
        try:
            key_length, value_length = _LENGTHS.unpack_from(block, position)
            (row_length,) = _ROW.unpack_from(block, position + _LENGTHS.size)
        except struct.error as error:
            raise ValueError(str(error)) from error
        key = position + _LENGTHS.size
        value = key + key_length
        position = value + value_length + 1  # the memstore timestamp
        if min(key_length, value_length, row_length) < 0 or row_length > key_length or position > len(block):
            msg = "a cell does not fit its HFile block"
            raise ValueError(msg)
        yield block[key + _ROW.size : key + _ROW.size + row_length], block[value : value + value_length]
