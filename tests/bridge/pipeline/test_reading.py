from __future__ import annotations

import gzip
import io
import json
from decimal import Decimal
from typing import TYPE_CHECKING

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import functions as F  # noqa: N812 (Spark's own convention)
from pyspark.sql import types as spark_types
from pyspark.sql.utils import PythonException

from bridge.errors import InputError
from bridge.pipeline.files import ARRIVAL, read_batches, read_frame
from payloads.avro.branch import Branch
from payloads.avro.codec import encode, parse_schema, read_blocks, read_container
from payloads.errors import SchemaError
from tests.support.schemas import nullable, record_schema

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame

SCHEMA = spark_types.StructType(
    [
        spark_types.StructField("id", spark_types.StringType()),
        spark_types.StructField("n", spark_types.LongType()),
    ],
)


def arrived(frame: DataFrame) -> list[int]:
    """Return column `n` in the order of arrival, through a shuffle that destroys any other order."""
    shuffled = frame.repartition(3, F.xxhash64("n"))
    return [row.n for row in shuffled.orderBy(ARRIVAL).collect()]


def json_lines(path: Path, numbers: range) -> None:
    path.write_text("".join(f'{{"id": "a{n % 7}", "n": {n}}}\n' for n in numbers))


def avro_file(path: Path, schema: dict, records: list, codec: str = "deflate") -> None:
    with path.open("wb") as stream:
        fastavro.writer(stream, schema, records, codec=codec)


@pytest.fixture
def small_splits(spark):
    settings = {"spark.sql.files.maxPartitionBytes": "2000", "spark.sql.files.openCostInBytes": "10"}
    before = {name: spark.conf.get(name) for name in settings}
    for name, value in settings.items():
        spark.conf.set(name, value)
    yield
    for name, value in before.items():
        spark.conf.set(name, value)


def test_batches_come_in_the_string_order_of_their_names(spark, tmp_path):
    for name in ("9.jsonl", "10.jsonl", "_SUCCESS", ".9.jsonl.crc"):
        json_lines(tmp_path / name, range(2))
    assert [batch.name for batch in read_batches(spark, tmp_path, SCHEMA)] == ["10.jsonl", "9.jsonl"]


def test_arrival_follows_file_names_whatever_the_sizes(spark, tmp_path, small_splits):
    folder = tmp_path / "batch"
    folder.mkdir()
    sizes = [1, 400, 3, 0, 900, 20, 250, 1, 1, 600]
    start = 0
    for index, size in enumerate(sizes):
        json_lines(folder / f"part-{index:02d}.json", range(start, start + size))
        start += size
    (batch,) = read_batches(spark, tmp_path, SCHEMA)
    assert batch.frame.rdd.getNumPartitions() > 5
    in_partitions = [row.n for row in batch.frame.collect()]
    assert in_partitions != list(range(start)), "Spark's own order must be another one, or this test proves nothing"
    assert arrived(batch.frame) == list(range(start))


@pytest.mark.parametrize("suffix", ["parquet", "jsonl"])
def test_arrival_inside_a_big_file_of_many_splits(spark, tmp_path, small_splits, suffix):
    path = tmp_path / f"big.{suffix}"
    if suffix == "parquet":
        columns = {"id": [f"a{n}" for n in range(5000)], "n": list(range(5000))}
        pq.write_table(pa.table(columns), path, row_group_size=100)
    else:
        json_lines(path, range(5000))
    (batch,) = read_batches(spark, tmp_path, SCHEMA)
    assert batch.frame.select(f"{ARRIVAL}.block").distinct().count() > 5
    assert arrived(batch.frame) == list(range(5000))


def test_names_that_uris_quote(spark, tmp_path):
    folder = tmp_path / "ba tch[1]"
    folder.mkdir()
    names = sorted(["a b.json", "a%20b.json", "c{d}.json", "e,f+g.json", "h#ü?.json", "i\\j.json", "k^~'l.json"])
    for index, name in enumerate(names):
        json_lines(folder / name, range(index, index + 1))
    (batch,) = read_batches(spark, tmp_path, SCHEMA)
    assert arrived(batch.frame) == list(range(len(names)))


AVRO = record_schema(
    id="string",
    n=nullable("long"),
    day={"type": "int", "logicalType": "date"},
    at={"type": "long", "logicalType": "timestamp-millis"},
    price={"type": "bytes", "logicalType": "decimal", "precision": 6, "scale": 2},
    kind={"type": "enum", "name": "kind", "symbols": ["A", "B"]},
    hash={"type": "fixed", "name": "hash", "size": 2},
    inner={"type": "record", "name": "inner", "fields": [{"name": "x", "type": "int"}]},
)


def avro_row(n: int) -> dict:
    return {
        "id": "a",
        "n": n,
        "day": 1,
        "at": 1500,
        "price": Decimal("-12.34"),
        "kind": "B",
        "hash": b"\x00\x01",
        "inner": {"x": n},
    }


def test_avro_containers(spark, tmp_path):
    folder = tmp_path / "batch.d"
    folder.mkdir()
    avro_file(folder / "b.avro", AVRO, [avro_row(n) for n in range(12_000, 12_005)], codec="null")
    avro_file(folder / "a.avro", AVRO, [avro_row(n) for n in range(12_000)])
    avro_file(folder / "c.avro", AVRO, [])
    (batch,) = read_batches(spark, tmp_path)
    assert arrived(batch.frame) == list(range(12_005))
    shown = batch.frame.select(
        F.col("day").cast("string"), F.col("at").cast("string"), "price", "kind", "hash", "inner.x"
    )
    assert tuple(shown.first()) == ("1970-01-02", "1970-01-01 00:00:01.5", Decimal("-12.34"), "B", b"\x00\x01", 0)
    assert all(field.nullable for field in batch.frame.schema)
    assert ARRIVAL not in read_frame(spark, folder).columns


@pytest.mark.parametrize("size", [1, 17, 500, 4_000, 1 << 20])
def test_parts_of_a_container_have_every_block_once(size):
    stream = io.BytesIO()
    records = [{"n": n, "t": "x" * (n % 40)} for n in range(300)]
    fastavro.writer(stream, record_schema("r", n="int", t="string"), records, sync_interval=200)
    end = len(stream.getvalue())
    found, numbers = [], []
    for start in range(0, end, size):
        stream.seek(0)
        blocks = list(read_blocks(stream, start, start + size)[1])
        numbers.append(len(blocks))
        found += [value for block in blocks for value in block.values]
    assert found == records
    assert size != 500 or sum(map(bool, numbers)) > 5


def test_a_large_avro_file_is_read_in_several_tasks(spark, tmp_path, small_splits):
    avro_file(tmp_path / "a.avro", AVRO, [avro_row(n) for n in range(5_000)])
    frame = read_frame(spark, tmp_path / "a.avro", arrival=True)
    assert frame.rdd.getNumPartitions() > 2
    rows = frame.orderBy(ARRIVAL).select("n").collect()
    assert [row[0] for row in rows] == list(range(5_000))


def test_avro_files_of_a_batch_have_one_schema(spark, tmp_path):
    avro_file(tmp_path / "a.avro", record_schema("r", n="int"), [])
    avro_file(tmp_path / "b.avro", record_schema("r", n="long"), [])
    with pytest.raises(InputError, match=r"b\.avro: its schema is not that of a\.avro"):
        read_frame(spark, tmp_path)


def test_avro_union_of_several_types(spark, tmp_path):
    schema = record_schema("r", u=["int", "string"])
    avro_file(tmp_path / "u.avro", schema, [{"u": 1}])
    with pytest.raises(InputError, match=r"u\.avro.*'u' is a union of int, string"):
        read_frame(spark, tmp_path / "u.avro")


def test_containers_keep_physical_values_and_branches(tmp_path):
    schema = record_schema("r", u=["int", "long"], day={"type": "int", "logicalType": "date"})
    records = [{"u": Branch("long", 7), "day": 10**9}, {"u": Branch("int", 7), "day": -1}]
    # fastavro takes the first branch that fits an int, and refuses the date: the bytes are made without it.
    data = b"".join(encode(parse_schema(schema), record) for record in records)
    header = io.BytesIO()
    fastavro.writer(header, schema, [], codec="null", sync_marker=b"s" * 16)
    content = header.getvalue() + bytes([2 * len(records), 2 * len(data)]) + data + b"s" * 16
    found, values = read_container(io.BytesIO(content))
    assert found == parse_schema(schema)
    assert list(values) == records
    with pytest.raises(SchemaError, match="damaged"):
        list(read_container(io.BytesIO(content[:-20]))[1])


def test_a_damaged_avro_file_is_named_by_the_job(spark, tmp_path):
    path = tmp_path / "a.avro"
    avro_file(path, AVRO, [avro_row(n) for n in range(100)])
    path.write_bytes(path.read_bytes()[:-40])
    frame = read_frame(spark, path)
    with pytest.raises(PythonException, match=r"a\.avro can't be read"):
        frame.collect()


def test_csv_takes_columns_by_header(spark, tmp_path):
    (tmp_path / "a.csv").write_text('n,id\n1,"x\ny"\n2,"say ""hi"""\n', newline="")
    with gzip.open(tmp_path / "b.csv.gz", "wt") as text:
        text.write("id\nz\n")
    first, second = read_batches(spark, tmp_path, SCHEMA)
    assert first.frame.columns == ["id", "n", ARRIVAL]
    assert [row.id for row in first.frame.orderBy(ARRIVAL).collect()] == ["x\ny", 'say "hi"']
    assert second.frame.columns == ["id", ARRIVAL]


def test_csv_without_a_schema_is_inferred(spark, tmp_path):
    (tmp_path / "a.csv").write_text(",id,n,d\n0,x,1,2024-01-01\n")
    assert dict(read_frame(spark, tmp_path / "a.csv").dtypes) == {"_c0": "int", "id": "string", "n": "int", "d": "date"}


def test_json_without_a_schema_is_inferred(spark, tmp_path):
    json_lines(tmp_path / "a.json", range(3))
    frame = read_frame(spark, tmp_path / "a.json", arrival=True)
    assert frame.dtypes[:2] == [("id", "string"), ("n", "bigint")]
    assert arrived(frame) == [0, 1, 2]


@pytest.mark.parametrize("name", ["a.json", "a.csv", "a.csv.gz"])
def test_empty_files_need_a_schema(spark, tmp_path, name):
    (tmp_path / name).write_bytes(gzip.compress(b"") if name.endswith("gz") else b"")
    (batch,) = read_batches(spark, tmp_path, SCHEMA)
    assert batch.frame.columns == ["id", "n", ARRIVAL]
    assert batch.frame.count() == 0
    with pytest.raises(InputError, match="by a schema"):
        read_batches(spark, tmp_path)


@pytest.mark.parametrize(
    ("name", "text"),
    [("bad.jsonl", '{"id": "a", "n": "x"}\n'), ("bad.jsonl", '{"id": "a"'), ("bad.csv", "id,n\na,x\n")],
)
def test_rows_that_do_not_parse_name_their_file(spark, tmp_path, name, text):
    folder = tmp_path / "batch"
    folder.mkdir()
    (folder / name).write_text(text)
    (folder / f"a.{name.partition('.')[2]}").write_text("id,n\nb,1\n" if "csv" in name else '{"id": "b", "n": 1}\n')
    with pytest.raises(InputError, match=rf"{name} can't be read: "):
        read_batches(spark, tmp_path, SCHEMA)


def test_parquet_files_of_a_batch_are_merged_by_column(spark, tmp_path):
    pq.write_table(pa.table({"n": [1]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"n": [2], "extra": ["x"]}), tmp_path / "b.parquet")
    frame = read_frame(spark, tmp_path, arrival=True)
    assert [tuple(row)[:2] for row in frame.orderBy(ARRIVAL).collect()] == [(1, None), (2, "x")]


def test_what_is_not_a_batch(spark, tmp_path):
    def refused(message: str) -> None:
        with pytest.raises(InputError, match=message):
            read_batches(spark, tmp_path, SCHEMA)

    refused("has no batches")
    batch = tmp_path / "batch"
    batch.mkdir()
    (batch / "_SUCCESS").touch()
    refused("has no data files")
    json_lines(batch / "a.json", range(1))
    (batch / "b.csv").write_text("id,n\n")
    refused("several formats \\(csv, json\\)")
    (batch / "b.csv").rename(batch / "b.txt")
    refused(r"b\.txt: the file name does not show a known format")
    (batch / "b.txt").rename(batch / "b.parquet.gz")
    refused(r"b\.parquet\.gz: the file name does not show a known format; it must end in one of \.parquet")
    (batch / "b.parquet.gz").unlink()
    (batch / "part=1").mkdir()
    refused("folder inside a batch")
    with pytest.raises(InputError, match="is not a folder"):
        read_batches(spark, batch / "a.json")
    with pytest.raises(InputError, match="does not exist"):
        read_frame(spark, tmp_path / "absent.json")


def test_columns_and_headers_that_are_refused(spark, tmp_path):
    (tmp_path / "a.csv").write_text("id,other\nx,1\n")
    with pytest.raises(InputError, match="lacks the columns other"):
        read_frame(spark, tmp_path / "a.csv", SCHEMA)
    (tmp_path / "b.json").write_text(json.dumps({ARRIVAL: 1}))
    with pytest.raises(InputError, match="a reserved name"):
        read_frame(spark, tmp_path / "b.json")
    (tmp_path / "c.parquet").write_text("no parquet")
    with pytest.raises(InputError, match=r"c\.parquet can't be read"):
        read_frame(spark, tmp_path / "c.parquet")
    (tmp_path / "d.avro").write_text("no avro")
    with pytest.raises(InputError, match=r"d\.avro can't be read"):
        read_frame(spark, tmp_path / "d.avro")
