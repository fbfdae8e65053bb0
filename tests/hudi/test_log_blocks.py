"""Log files block by block: what is damaged is found, nothing is believed, and no other record is lost."""

from __future__ import annotations

import collections
import itertools
import struct
import tracemalloc
import warnings
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.hudi import DamagedFileError, TableQueries, UnreadableTableError
from bridge.hudi.hfile import read_cells
from bridge.hudi.kryo import read_deletes
from bridge.hudi.log_blocks import MAGIC, Block, BlockType, HeaderKey, read_blocks
from bridge.hudi.log_records import data_records, deleted_keys
from payloads import HudiRelease, ReleaseWarning
from payloads.avro import encode, parse_schema
from tests.conformance.tables import load, rows_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SCHEMA = '{"type": "record", "name": "r", "fields": [{"name": "_hoodie_record_key", "type": "string"}]}'
PARSED = parse_schema(SCHEMA)


def block(kind: int, content: bytes, header: dict[int, str] | None = None, *, layout: int = 1) -> bytes:
    """Write a block as Hudi does."""
    entries = {0: "20240101000000000", 2: SCHEMA, **(header or {})}
    head = struct.pack(">i", len(entries))
    for key, text in entries.items():
        head += struct.pack(">ii", key, len(text.encode())) + text.encode()
    body = struct.pack(">ii", layout, kind) + head + struct.pack(">q", len(content)) + content + struct.pack(">i", 0)
    size = len(body) + 8
    return MAGIC + struct.pack(">q", size) + body + struct.pack(">q", size + len(MAGIC))


def rows(*keys: str) -> bytes:
    records = [encode(PARSED, {"_hoodie_record_key": key}) for key in keys]
    return struct.pack(">ii", 3, len(keys)) + b"".join(struct.pack(">i", len(r)) + r for r in records)


def blocks(data: bytes) -> list[BlockType]:
    return [found.type for found in read_blocks(pa.BufferReader(data), "a.log")]


def keys(data: bytes) -> Iterator[str]:
    """Read the keys of all data blocks."""
    stream = pa.BufferReader(data)
    for found in read_blocks(stream, "a.log"):
        if found.type is BlockType.AVRO_DATA:
            yield from (record["_hoodie_record_key"] for record in data_records(found, stream)[1])


FILE = block(3, rows("a", "b")) + block(3, rows("c")) + block(3, rows("d"))
SECOND = len(block(3, rows("a", "b")))


class TestFraming:
    def test_blocks_come_in_order(self) -> None:
        assert list(keys(FILE)) == ["a", "b", "c", "d"]

    def test_an_empty_file_has_none(self) -> None:
        assert blocks(b"") == []

    def test_a_torn_block_at_the_end_is_passed_over(self) -> None:
        assert list(keys(FILE[:-30])) == ["a", "b", "c"]

    def test_a_torn_block_before_complete_ones_is_skipped(self) -> None:
        torn = FILE[: SECOND - 30] + FILE[SECOND:]
        assert blocks(torn) == [BlockType.CORRUPT, BlockType.AVRO_DATA, BlockType.AVRO_DATA]
        assert list(keys(torn)) == ["c", "d"]

    def test_bytes_that_are_not_a_block_are_an_error(self) -> None:
        with pytest.raises(DamagedFileError, match=r"a\.log, block at byte 0: no block begins here"):
            blocks(b"not a log file")

    @pytest.mark.parametrize("size", [2**62, 2**31, 2**31 - 1, -1, 0, 7, 2**63 - 1])
    def test_a_size_that_is_not_the_blocks_allocates_nothing(self, size: int) -> None:
        data = bytearray(FILE)
        data[SECOND + 6 : SECOND + 14] = struct.pack(">q", size)
        tracemalloc.start()
        found = list(keys(bytes(data)))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert found == ["a", "b", "d"]
        assert peak < 10_000_000

    @pytest.mark.parametrize(
        ("data", "reason"),
        [
            (block(9, b""), "unknown type 9"),
            (block(3, b"", layout=2), "log format version 2"),
            (block(3, b"", {77: "x"}), "unknown key 77"),
        ],
    )
    def test_what_no_release_writes_is_named(self, data: bytes, reason: str) -> None:
        with pytest.raises(DamagedFileError, match=reason):
            blocks(data)

    def test_a_content_length_beyond_the_block(self) -> None:
        plain = block(3, b"1234")
        data = plain.replace(struct.pack(">q", 4) + b"1234", struct.pack(">q", 2**62) + b"1234")
        with pytest.raises(DamagedFileError, match="its content has 4611686018427387904 bytes"):
            blocks(data)


class TestContent:
    @pytest.mark.parametrize(
        ("content", "reason"),
        [
            (struct.pack(">ii", 0, 0), "content version 0"),
            (struct.pack(">ii", 3, 2**31 - 1), "records can't be read"),
            (struct.pack(">iii", 3, 1, 2**31 - 1), "a record of 2147483647 bytes does not fit"),
            (b"", "records can't be read"),
            (struct.pack(">ii", 3, -1) + rows("a")[8:], "it has -1 records"),
            (struct.pack(">ii", 3, 1) + rows("a", "b")[8:], "bytes after 1 records"),
        ],
    )
    def test_data_blocks(self, content: bytes, reason: str) -> None:
        with pytest.raises(DamagedFileError, match=reason):
            list(keys(block(3, content)))

    @pytest.mark.parametrize("version", [1, 4, 65283, -1])
    def test_another_content_version_is_read_as_the_last(self, version: int) -> None:
        """As HoodieAvroDataBlock does, to which version 0 alone is another."""
        content = struct.pack(">i", version) + rows("a", "b")[4:]
        assert list(keys(block(3, content))) == ["a", "b"]

    def test_a_schema_that_is_none(self) -> None:
        with pytest.raises(DamagedFileError, match="its schema is invalid"):
            list(keys(block(3, rows("a"), {2: "{"})))

    @pytest.mark.parametrize("content", [b"", struct.pack(">ii", 3, 2**30), struct.pack(">ii", 7, 0), b"\0" * 9])
    def test_delete_blocks(self, content: bytes) -> None:
        stream = pa.BufferReader(block(1, content))
        (found,) = read_blocks(stream, "a.log")
        if content == b"\0" * 9:
            found = found.__class__(**{**found.__dict__, "content_length": 4})
        with pytest.raises(DamagedFileError, match="its deletes can't be read"):
            deleted_keys(found, stream, HudiRelease.V1_2)

    def test_a_header_without_an_instant(self) -> None:
        (found,) = read_blocks(pa.BufferReader(block(0, b"", {3: "0"})), "a.log")
        assert found.instant == "20240101000000000"
        with pytest.raises(DamagedFileError, match="lacks TARGET_INSTANT_TIME"):
            found.required(HeaderKey.TARGET_INSTANT_TIME)


@given(st.binary(max_size=200))
def test_bytes_that_are_not_an_hfile(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"HFile|cell|unpack"):
        list(read_cells(data))


@given(st.binary(max_size=200), st.booleans())
def test_bytes_that_are_not_a_kryo_object(data: bytes, keys_alone: bool) -> None:  # noqa: FBT001 (an example)
    with pytest.raises(ValueError, match=r"."):
        read_deletes(data, keys_alone=keys_alone, utf8=27)


@pytest.mark.parametrize("writer", ["0.12", "0.13"])
@pytest.mark.parametrize("reader", ["0.12", "0.13", "0.14", "0.15", "1.0", "1.2"])
def test_deletes_with_text_are_read_by_their_own_release_alone(older_tables: Path, writer: str, reader: str) -> None:
    """The Kryo of each has another number for Utf8: real Hudi fails with a KryoException or a ClassCastException."""
    (recorded,) = load(older_tables, writer, "order-by-string-mor")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReleaseWarning)
        queries = TableQueries(str(recorded.folder / "table"), reader)
    if reader == writer:
        assert rows_of(queries.snapshot())
        return
    told = f"which Hudi {writer} wrote and only it can read; let Hudi {writer} compact the table before Hudi {reader}"
    with pytest.raises(UnreadableTableError, match=told):
        rows_of(queries.snapshot())


def test_every_byte_flipped_and_every_truncation(tables: Path) -> None:
    """Each gives records that were written, values that decode, or one clear error; and it ends."""
    (recorded,) = load(tables, case="mor-order-none")
    table = TableQueries(str(recorded.folder / "table"), recorded.release)
    found = min((s for s in table.snapshot().slices if s.data_logs), key=lambda s: s.size)
    data = (recorded.folder / "table" / found.path_of(found.data_logs[0])).read_bytes()
    written = list(read_blocks(pa.BufferReader(data), "a.log"))
    records = [read_all(data, found.offset) for found in written]
    whole = [record for each in records for record in each]
    assert len(whole) > len(written)
    for end in range(len(data)):
        complete = sum(found.offset + frame_of(found) <= end for found in written)
        assert read_all(data[:end]) == [record for each in records[:complete] for record in each]
    lost = 0
    for place in range(len(data)):
        flipped = bytearray(data)
        flipped[place] ^= 0xFF
        try:
            kept = read_all(bytes(flipped))
        except DamagedFileError as error:
            assert "block at byte" in str(error)  # noqa: PT017 (either is right)
            continue
        at = max(number for number, found in enumerate(written) if found.offset <= place)
        touched = {at, at - 1} if place < written[at].offset + len(MAGIC) else {at}  # a block ends where one begins
        others = [record for number, each in enumerate(records) if number not in touched for record in each]
        assert collections.Counter(others) <= collections.Counter(kept), "a record of another block is lost"
        begin = written[at].content_offset
        if begin <= place < begin + written[at].content_length:
            same = len((collections.Counter(kept) & collections.Counter(whole)).keys())
            assert (len(kept), same >= len(set(whole)) - 1) == (len(whole), True), "one record alone may differ"
            lost += same < len(set(whole))
    assert lost, "values that decode are shown"


@pytest.mark.parametrize("count", [1, 2])
def test_every_bit_of_a_delete_block_flipped(tables: Path, count: int) -> None:
    """One entry alone may differ: with the single bit of their number gone, none of them was left, and no error."""
    (recorded,) = load(tables, "0.15.0", "mor-appended-blocks-default")
    table = TableQueries(str(recorded.folder / "table"), recorded.release)
    logs = [found.path_of(name) for found in table.snapshot().slices for name in found.data_logs]
    data, found = min(
        (
            (data, found)
            for data in ((recorded.folder / "table" / log).read_bytes() for log in logs)
            for found in read_blocks(pa.BufferReader(data), "a.log")
            if found.type is BlockType.DELETE and len(read_all(data, found.offset)) == count
        ),
        key=lambda each: each[1].content_length,
    )
    alone = data[found.offset : found.offset + frame_of(found)]
    written, shown = collections.Counter(read_all(alone)), 0
    begin = found.content_offset - found.offset
    for place, bit in itertools.product(range(begin, begin + found.content_length), range(8)):
        flipped = bytearray(alone)
        flipped[place] ^= 1 << bit
        try:
            kept = collections.Counter(read_all(bytes(flipped)))
        except DamagedFileError:
            continue
        assert kept.total() == count
        assert (written - kept).total() <= 1
        shown += 1
    assert shown, "values that decode are shown"


def frame_of(found: Block) -> int:
    """Return the bytes of a block: content, empty footer and total follow its header."""
    return found.content_offset - found.offset + found.content_length + 4 + 8


@given(
    st.lists(st.tuples(st.integers(-2, 12) | st.integers(-(2**31), 2**31 - 1), st.binary(max_size=30)), max_size=5),
    st.integers(-2, 8),
)
def test_a_header_is_what_it_says_or_an_error(entries: list[tuple[int, bytes]], more: int) -> None:
    """Any keys, any bytes, and another number of entries than there are."""
    head = struct.pack(">i", len(entries) + more)
    head += b"".join(struct.pack(">ii", key, len(text)) + text for key, text in entries)
    body = struct.pack(">ii", 1, 3) + head + struct.pack(">q", 0) + struct.pack(">i", 0)
    data = MAGIC + struct.pack(">q", len(body) + 8) + body + struct.pack(">q", len(body) + 8 + len(MAGIC))
    try:
        (found,) = read_blocks(pa.BufferReader(data), "a.log")
    except DamagedFileError as error:
        assert str(error).startswith("a.log, block at byte 0: ")  # noqa: PT017 (either is right)
        return
    told = {key: text.decode(errors="replace") for key, text in entries}
    assert {key: text for key, text in found.header.items() if more == 0} == (told if more == 0 else {})
    assert found.content_length <= len(data)


def read_all(data: bytes, only: int | None = None) -> list[str]:
    """Read the records and deletes of a log file, or those of the block that begins at a byte."""
    stream = pa.BufferReader(data)
    records = []
    for found in read_blocks(stream, "a.log"):
        if only not in {None, found.offset}:
            continue
        if found.type is BlockType.AVRO_DATA:
            records += map(repr, data_records(found, stream)[1])
        elif found.type is BlockType.DELETE:
            records += map(repr, deleted_keys(found, stream, HudiRelease.V1_2))
    return records
