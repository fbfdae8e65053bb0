"""A small copy-on-write table written by hand, with a writer that does what Hudi's does to it: no bundle is needed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq

from bridge.spark import META_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from pyspark.sql import DataFrame

_COLUMNS = pa.schema([("id", pa.string()), ("city", pa.string()), ("qty", pa.int64())])
_AVRO = {"string": "string", "int64": "long", "bool": "boolean"}
_PROPERTIES = {
    "hoodie.table.name": "made",
    "hoodie.table.type": "COPY_ON_WRITE",
    "hoodie.table.version": "9",
    "hoodie.table.recordkey.fields": "id",
    "hoodie.record.merge.mode": "COMMIT_TIME_ORDERING",
    "hoodie.table.timeline.timezone": "UTC",
    "hoodie.timeline.layout.version": "2",
}
_STAT = {"type": "record", "name": "HoodieWriteStat", "fields": [{"name": "path", "type": "string"}]}
_COMMIT = fastavro.parse_schema(
    {
        "type": "record",
        "name": "HoodieCommitMetadata",
        "fields": [
            {"name": "partitionToWriteStats", "type": {"type": "map", "values": {"type": "array", "items": _STAT}}},
            {"name": "extraMetadata", "type": {"type": "map", "values": "string"}},
            {"name": "operationType", "type": "string"},
        ],
    }
)
"""What a test needs of it."""


def write_metadata(path: Path, said: Mapping[str, Any]) -> None:
    """Write the file of a completed instant."""
    with path.open("wb") as out:
        fastavro.writer(out, _COMMIT, [said])


class MadeTable:
    """A table of one file group a partition, whose key is `id`: a row that is written goes from all partitions."""

    def __init__(self, path: Path, properties: Mapping[str, str | None] | None = None) -> None:
        """Make it, with properties in place of those that it has otherwise."""
        self.path = path
        self._partition = (properties or {}).get("hoodie.table.partition.fields")
        self._folders: set[str] = set()
        self.timeline = path / ".hoodie" / "timeline"
        self.timeline.mkdir(parents=True)
        stored = {**_PROPERTIES, **(properties or {})}
        lines = [f"{name}={text}\n" for name, text in stored.items() if text is not None]
        (path / ".hoodie" / "hoodie.properties").write_text("".join(lines))
        self.rows: dict[str, dict[str, Any]] = {}
        self.asked: list[dict[str, str]] = []
        self.file_id = "f1-0"
        self._number = 0

    def write(self, rows: Iterable[Mapping[str, Any]], extra: Mapping[str, str] | None = None) -> str:
        """Commit rows, those with `_hoodie_is_deleted` as deletes; return the instant."""
        self._number += 1
        instant = f"20240101000000{self._number:03}"
        for row in rows:
            self.rows.pop(row["id"], None)
            if not row.get("_hoodie_is_deleted"):
                self.rows[row["id"]] = dict(row)
        names = list(dict.fromkeys([*_COLUMNS.names, *(name for row in self.rows.values() for name in row)]))
        schema = pa.schema([(n, pa.bool_() if n.startswith("_") else _COLUMNS.field(n).type) for n in names])
        self._folders |= {self._folder(row) for row in self.rows.values()} or {self._folder({})}
        stats = {folder: [{"path": self._write_file(folder, schema, instant)}] for folder in sorted(self._folders)}
        fields = [{"name": f.name, "type": ["null", _AVRO[str(f.type)]], "default": None} for f in schema]
        avro = json.dumps({"type": "record", "name": "row", "fields": fields})
        said = {
            "operationType": "UPSERT",
            "partitionToWriteStats": stats,
            "extraMetadata": {"schema": avro, **(extra or {})},
        }
        write_metadata(self.timeline / f"{instant}_{instant[:-1]}9.commit", said)
        return instant

    def _folder(self, row: Mapping[str, Any]) -> str:
        return str(row[self._partition]) if self._partition and row else ""

    def _write_file(self, folder: str, schema: pa.Schema, instant: str) -> str:
        """Write the rows of a partition as a base file; return its path in the table."""
        rows = [row for row in self.rows.values() if self._folder(row) == folder]
        data = pa.Table.from_pylist([{name: row.get(name) for name in schema.names} for row in rows], schema)
        keys = data.column("id").to_pylist()
        meta = (instant, instant, keys, folder, "f1")
        for at, (name, value) in enumerate(zip(META_COLUMNS, meta, strict=True)):
            values = value if isinstance(value, list) else [value] * len(keys)
            data = data.add_column(at, name, pa.array(values, pa.string()))
        (self.path / folder).mkdir(exist_ok=True)
        told = f"commitTime=1\npartitionDepth={int(bool(folder))}\n"
        (self.path / folder / ".hoodie_partition_metadata").write_text(told)
        file = f"{self.file_id}_0-0-0_{instant}.parquet"
        pq.write_table(data, self.path / folder / file)
        return f"{folder}/{file}" if folder else file

    def commit(self, rows: DataFrame, path: str, options: Mapping[str, str]) -> None:
        """Stand in for `bridge.write.hudi_writer.commit`."""
        assert path == str(self.path)
        self.asked.append(dict(options))
        extra = {name: text for name, text in options.items() if name.startswith("_")}
        self.write([row.asDict() for row in rows.collect()], extra)

    @property
    def instants(self) -> list[str]:
        """The file names of the timeline."""
        return sorted(path.name for path in self.timeline.iterdir())
