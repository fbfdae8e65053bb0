"""What parquet-mr, with which Hudi reads, makes of Parquet footers with changed bytes.

`python -m tests.live.damage.footers` asks the one of PySpark's jars, about a minute, and writes
`tests/data/parquet_footers.json`.
"""

from __future__ import annotations

import base64
import datetime
import decimal
import json
import tarfile
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from bridge.spark import PySparkException
from tests.support import DATA, TABLES
from tests.support.archives import unpack

if TYPE_CHECKING:
    from collections.abc import Iterator

ANSWERS = DATA / "parquet_footers.json"
_RECORDED = "tables/0.15.0/mor-plain-default/table"
_DAY = datetime.date(2026, 1, 1)
_TIME = datetime.datetime(2026, 1, 1)  # noqa: DTZ001 (Parquet's own, without a zone)


def mutations(data: bytes) -> Iterator[bytes]:
    """Give a file with each byte of its footer changed, in one bit and in all."""
    first = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    for place in range(first, len(data)):
        for mask in (1 << place % 8, 0xFF):
            yield data[:place] + bytes([data[place] ^ mask]) + data[place + 1 :]


def every_type() -> pa.Table:
    """Return three rows with columns of all types that Arrow stores as Parquet has them."""
    kinds: dict[pa.DataType, Any] = {
        **dict.fromkeys((pa.int8(), pa.int16(), pa.int32(), pa.int64()), 1),
        **dict.fromkeys((pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()), 1),
        **dict.fromkeys((pa.float32(), pa.float64()), 1.5),
        **dict.fromkeys((pa.bool_(), pa.string()), None),
        **dict.fromkeys((pa.binary(), pa.binary(3)), b"abc"),
        **dict.fromkeys((pa.decimal128(7, 2), pa.decimal128(30, 3)), decimal.Decimal("1.25")),
        pa.date32(): _DAY,
        **dict.fromkeys((pa.time32("ms"), pa.time64("us"), pa.time64("ns")), datetime.time(1)),
        **dict.fromkeys((pa.timestamp("ms"), pa.timestamp("us", "UTC"), pa.timestamp("ns")), _TIME),
        pa.list_(pa.string()): ["a", "b"],
        pa.map_(pa.string(), pa.int64()): [("k", 1)],
        pa.struct({"x": pa.int64(), "y": pa.string()}): {"x": 1, "y": "z"},
    }
    columns = [pa.array([value, None, value], kind) for kind, value in kinds.items()]
    return pa.Table.from_arrays(columns, [f"c{number}" for number in range(len(columns))])


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Give a recorded base file, and one of all types."""
    with tarfile.open(TABLES) as archive:
        unpack(archive, folder)
    yield "base file", min((folder / _RECORDED).rglob("*-0_*.parquet")).read_bytes()
    pq.write_table(every_type(), folder / "types", store_schema=False, row_group_size=2, store_decimal_as_integer=True)
    yield "every type", (folder / "types").read_bytes()


class _Java:
    """parquet-mr in the JVM of a session."""

    def __init__(self) -> None:
        spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
        spark.sparkContext.setLogLevel("OFF")
        self._jvm: Any = spark.sparkContext._jvm
        self._settings = spark.sparkContext._jsc.hadoopConfiguration()  # type: ignore[union-attr]

    def read(self, data: bytes, path: Path) -> list[int]:
        """Return the rows and values that it finds in each row group of a split that is all of a file, or nothing."""
        path.write_bytes(data)
        parquet = self._jvm.org.apache.parquet
        try:
            where = self._jvm.org.apache.hadoop.fs.Path(str(path))
            file = parquet.hadoop.util.HadoopInputFile.fromPath(where, self._settings)
            split = parquet.format.converter.ParquetMetadataConverter.range(0, len(data))
            options = parquet.ParquetReadOptions.builder().withMetadataFilter(split).build()
            reader = parquet.hadoop.ParquetFileReader.open(file, options)
            found = []
            while (group := reader.readNextRowGroup()) is not None:
                columns = reader.getFileMetaData().getSchema().getColumns()
                found += [group.getRowCount(), *(group.getPageReader(one).getTotalValueCount() for one in columns)]
            reader.close()
        except (Py4JJavaError, PySparkException):
            return []
        return found


def record() -> None:
    """Write the answers: of each mutation whether Java finds all rows and values, 1 or 0."""
    java, found = _Java(), []
    with tempfile.TemporaryDirectory() as folder:
        for name, data in _files(Path(folder)):
            path = Path(folder) / "changed"
            sound = java.read(data, path)
            answers = "".join(str(int(java.read(changed, path) == sound)) for changed in mutations(data))
            found.append({"file": name, "data": base64.b64encode(data).decode(), "answers": answers})
    ANSWERS.write_text(f"{json.dumps(found, indent=1)}\n")


if __name__ == "__main__":
    record()
