"""A small file that becomes large in memory is refused before it does."""

from __future__ import annotations

import io
import tracemalloc

import fastavro
import pytest

from payloads import SchemaError
from payloads.avro import inflated, read_container

SCHEMA = {"type": "record", "name": "row", "fields": [{"name": "v", "type": "string"}]}


def written(codec: str, size: int, records: int = 1) -> io.BytesIO:
    out = io.BytesIO()
    fastavro.writer(out, SCHEMA, [{"v": "x" * size}] * records, codec=codec, sync_interval=1 << 30)
    return io.BytesIO(out.getvalue())


@pytest.mark.parametrize("codec", ["deflate", "bzip2", "xz"])
def test_a_block_that_inflates_beyond_the_limit_is_refused_without_the_memory(codec, monkeypatch):
    monkeypatch.setattr(inflated, "MOST", 30 << 20)
    stream = written(codec, 1 << 20, records=33)
    assert stream.getbuffer().nbytes < 1 << 20
    tracemalloc.start()
    try:
        _, values = read_container(stream)
        with pytest.raises(
            SchemaError,
            match=r"^a block of .* has more than 30 MiB decompressed; write smaller",
        ):
            next(values)
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("codec", ["null", "deflate", "bzip2", "xz"])
def test_blocks_below_the_limit_are_read(codec, monkeypatch):
    monkeypatch.setattr(inflated, "_RATIO", 1 << 40)  # looks into blocks of any size
    monkeypatch.setattr(inflated, "MOST", 3000)
    stream = io.BytesIO()
    rows = [{"v": str(number) * 500} for number in range(9)]
    fastavro.writer(stream, SCHEMA, rows, codec=codec, sync_interval=1000)
    stream.seek(0)
    assert list(read_container(stream)[1]) == rows


@pytest.mark.parametrize("codec", ["deflate", "bzip2", "xz"])
def test_a_cut_block_is_damaged(codec, monkeypatch):
    monkeypatch.setattr(inflated, "_RATIO", 1 << 40)
    whole = written(codec, 100_000, records=2).getvalue()
    for end in (len(whole) - 17, len(whole) - 20, len(whole) - 40):
        with pytest.raises(SchemaError, match="damaged"):
            list(read_container(io.BytesIO(whole[:end]))[1])


@pytest.mark.parametrize(
    ("count", "why"),
    [(-1, "it says that it has -1 records"), (1, "7 bytes follow its last record"), (3, ""), (0, "14 bytes follow")],
)
def test_a_count_that_is_not_that_of_the_records_loses_none_in_silence(count, why):
    whole = written("null", 6, records=2).getvalue()
    start = whole.index(b"\x04\x1c\x0cxxxxxx")  # 2 records, 14 bytes, a text of 6
    damaged = whole[:start] + bytes([count * 2 if count >= 0 else -count * 2 - 1]) + whole[start + 1 :]
    with pytest.raises(SchemaError, match=f"a block of the Avro container file is damaged: .*{why}.*; write the file"):
        list(read_container(io.BytesIO(damaged))[1])
