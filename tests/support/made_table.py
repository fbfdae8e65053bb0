"""A merge-on-read table of version 6, written without Hudi: as many file groups, rows and logs as a test wants."""

from __future__ import annotations

import base64
import io
import json
import struct
from typing import TYPE_CHECKING, Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq

from bridge.hudi.log_blocks import MAGIC, BlockType, HeaderKey
from bridge.hudi.log_records import _DELETE_LIST as DELETE_LIST
from bridge.hudi.schema_evolution import arrow_of
from bridge.spark import META_COLUMNS
from payloads.avro import encode, parse_schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

FIRST = "20240101000000000"
_PROPERTIES = {
    "hoodie.table.name": "made",
    "hoodie.table.type": "MERGE_ON_READ",
    "hoodie.table.version": "6",
    "hoodie.timeline.layout.version": "1",
    "hoodie.table.recordkey.fields": "id",
    "hoodie.table.partition.fields": "part",
    "hoodie.table.precombine.field": "ts",
    "hoodie.table.keygenerator.class": "org.apache.hudi.keygen.SimpleKeyGenerator",
    "hoodie.compaction.payload.class": "org.apache.hudi.common.model.DefaultHoodieRecordPayload",
    "hoodie.populate.meta.fields": "true",
    "hoodie.table.base.file.format": "PARQUET",
}


class MadeTable:
    """Writes base files, and then logs of one block a commit."""

    def __init__(self, folder: Path, fields: Mapping[str, Any], **properties: str) -> None:
        """Begin a table at `folder`; `fields` has the Avro type of each column, `id`, `part` and `ts` among them.

        `properties` are other settings of the table, without `hoodie.table.` and with `_` for a dot.
        """
        self.path = folder
        self._table = _schema(fields)
        self._logged = _schema(dict.fromkeys(META_COLUMNS, "string") | dict(fields))
        self._commits = 0
        (folder / ".hoodie").mkdir(parents=True)
        others = {f"hoodie.table.{name.replace('_', '.')}": value for name, value in properties.items()}
        text = "".join(f"{name}={value}\n" for name, value in {**_PROPERTIES, **others}.items())
        (folder / ".hoodie" / "hoodie.properties").write_text(text)

    def base(
        self, group: str, rows: pa.Table, *, rows_a_group: int = 1 << 16, commits: Sequence[int] | None = None
    ) -> None:
        """Write a base file; its rows lack the meta columns, and have one partition; `commits` is that of each row."""
        (partition,) = rows.column("part").unique().to_pylist()
        size = rows.num_rows
        name = f"{group}_0-0-0_{FIRST}.parquet"
        ids = rows.column("id")
        times = pa.array([instant(number) for number in commits or [0] * size])
        meta = [times, pa.repeat("0", size), ids, pa.repeat(partition, size), pa.repeat(name, size)]
        (self.path / partition).mkdir(parents=True, exist_ok=True)
        (self.path / partition / ".hoodie_partition_metadata").write_text("commitTime=1\npartitionDepth=1\n")
        whole = pa.table([*meta, *rows.columns], names=[*META_COLUMNS, *rows.column_names])
        pq.write_table(whole, self.path / partition / name, row_group_size=rows_a_group)

    def log(  # noqa: PLR0913 (where, what, and how)
        self,
        group: str,
        partition: str,
        rows: Iterable[Mapping[str, Any]],
        version: int,
        *,
        positions: str = "",
        as_parquet: bool = False,
        types: Mapping[str, Any] | None = None,
    ) -> None:
        """Write a log file of a group's rows, as Avro or Parquet; `version`, from 1, is its commit's, too.

        `positions` is the header of a block whose rows belong to positions in the base file; `types` has the columns
        that the block labels otherwise than the table.
        """
        meta = dict.fromkeys(META_COLUMNS, "") | {META_COLUMNS[0]: instant(version)}
        whole = [{**meta, META_COLUMNS[2]: row["id"], **row} for row in rows]
        schema = self._logged
        if types:
            own = {one["name"]: one["type"][1] for one in json.loads(schema)["fields"]}
            schema = _schema(own | dict(types))
        content = self._as_parquet(whole) if as_parquet else _as_avro(whole, schema)
        header = {HeaderKey.INSTANT_TIME: instant(version), HeaderKey.SCHEMA: schema}
        if positions:
            header[HeaderKey.RECORD_POSITIONS] = positions
            header[HeaderKey.BASE_FILE_INSTANT_TIME_OF_RECORD_POSITIONS] = FIRST
        name = f".{group}_{FIRST}.log.{version}_0-0-0"
        kind = BlockType.PARQUET_DATA if as_parquet else BlockType.AVRO_DATA
        (self.path / partition / name).write_bytes(block(kind, content, header))

    def _as_parquet(self, rows: list[dict[str, Any]]) -> bytes:
        out = io.BytesIO()
        pq.write_table(pa.Table.from_pylist(rows, arrow_of(parse_schema(self._logged))), out)
        return out.getvalue()

    def deletes(self, group: str, partition: str, keys: Iterable[str], version: int) -> None:
        """Write a log file with a block that deletes keys of a group."""
        entries = [{"recordKey": key, "partitionPath": partition, "orderingVal": None} for key in keys]
        data = encode(DELETE_LIST, {"deleteRecordList": entries})
        content = struct.pack(">ii", 3, len(data)) + data
        header = {HeaderKey.INSTANT_TIME: instant(version)}
        name = f".{group}_{FIRST}.log.{version}_0-0-0"
        (self.path / partition / name).write_bytes(block(BlockType.DELETE, content, header))

    def commit(self, version: int = 0) -> None:
        """Complete a commit: 0 wrote the base files, each other one the logs of its version."""
        (self.path / ".hoodie" / f"{instant(version)}.deltacommit").write_text(
            json.dumps(
                {"partitionToWriteStats": {}, "extraMetadata": {"schema": self._table}, "operationType": "UPSERT"}
            )
        )


def _schema(types: Mapping[str, Any]) -> str:
    """Return a record schema of nullable columns."""
    fields = [{"name": name, "type": ["null", kind], "default": None} for name, kind in types.items()]
    return json.dumps({"type": "record", "name": "made", "fields": fields})


def _as_avro(rows: Iterable[Mapping[str, Any]], schema: str) -> bytes:
    parsed = fastavro.parse_schema(json.loads(schema))
    records: list[bytes] = []
    for row in rows:
        out = io.BytesIO()
        fastavro.schemaless_writer(out, parsed, row)
        records.append(out.getvalue())
    return struct.pack(">ii", 3, len(records)) + b"".join(struct.pack(">i", len(r)) + r for r in records)


def instant(version: int) -> str:
    """Return the requested time of a commit."""
    return str(int(FIRST) + version)


def positions(*numbers: int) -> str:
    """Return the header that says at which rows of the base file the rows of a block are, all below 4,096."""
    plain, offset = 12346, 16
    head = struct.pack("<qiIIHHI", 1, 0, plain, 1, 0, len(numbers) - 1, offset)
    return base64.b64encode(head + struct.pack(f"<{len(numbers)}H", *numbers)).decode()


def block(kind: int, content: bytes, header: Mapping[int, str], *, layout: int = 1) -> bytes:
    """Frame a block as Hudi does."""
    head = struct.pack(">i", len(header))
    for key, text in header.items():
        head += struct.pack(">ii", key, len(text.encode())) + text.encode()
    body = struct.pack(">ii", layout, kind) + head + struct.pack(">q", len(content)) + content + struct.pack(">i", 0)
    size = len(body) + 8
    return MAGIC + struct.pack(">q", size) + body + struct.pack(">q", size + len(MAGIC))
