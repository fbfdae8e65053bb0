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
_FILE_INFO, _PROTOBUF = b"FILEINF2", b"PBUF"
_FIELDS = (b"\n", b"\x12")
"""The tags of the fields 1 and 2 that hold bytes."""
_LONGEST_VARINT = 35
_LENGTHS = struct.Struct(">ii")
_ROW = struct.Struct(">h")
_GZIP = b"\x1f\x8b"
_MAX_BLOCK = 1 << 28  # 256 MiB; Hudi writes blocks of 1 MiB


def read_cells(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Give row and value of each cell, in the order of keys.

    Raises:
        ValueError: the bytes are no HFile, or use a codec other than none and gzip.
    """
    for magic, content in _blocks(data):
        if magic == _DATA:
            yield from _cells(content)


def _blocks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Give magic and content of the blocks that hold cells or the file info, in their order."""
    position = 0
    while position + _HEADER.size <= len(data):
        magic, on_disk, plain_size, *_ = _HEADER.unpack_from(data, position)
        if magic == _TRAILER:
            return
        start = position + _HEADER.size
        position = start + on_disk
        if on_disk < 0 or position > len(data):
            break
        if magic in {_DATA, _FILE_INFO}:
            yield magic, _plain(data[start:position], plain_size)
    msg = "the HFile ends before its trailer"
    raise ValueError(msg)


def read_info(data: bytes) -> dict[bytes, bytes]:
    """Return what the file says of itself, such as the schema of its values.

    Raises:
        ValueError: the bytes are no HFile with such a part.
    """
    for magic, content in _blocks(data):
        if magic == _FILE_INFO:
            if not content.startswith(_PROTOBUF):
                break
            pairs, _ = _delimited(content, len(_PROTOBUF))
            return dict(_pairs(pairs))
    msg = "the HFile has no file info"
    raise ValueError(msg)


def _pairs(message: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Give the pairs of a map of bytes, as HBase's InfoProto has it: field 1, with the fields 1 and 2."""
    position = 0
    while position < len(message):
        pair, position = _field(message, position)
        first, after = _field(pair, 0)
        second, _ = _field(pair, after)
        yield first, second


def _field(message: bytes, position: int) -> tuple[bytes, int]:
    """Return the content of a field of bytes, and where the next one begins."""
    if message[position : position + 1] not in _FIELDS:
        msg = "the file info of the HFile can't be read"
        raise ValueError(msg)
    return _delimited(message, position + 1)


def _delimited(data: bytes, position: int) -> tuple[bytes, int]:
    """Return the bytes after their length, a varint, and where they end."""
    length = shift = 0
    while position < len(data) and shift < _LONGEST_VARINT:
        byte = data[position]
        position += 1
        length |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:  # noqa: PLR2004 (the last byte of a varint)
            if position + length > len(data):
                break
            return data[position : position + length], position + length
    msg = "the file info of the HFile is cut"
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
