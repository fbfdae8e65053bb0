"""Mutations of what a file says: other columns, other shapes of JSON and Avro, impossible lengths and dates."""

from __future__ import annotations

import io
import json
import re
import struct
from typing import TYPE_CHECKING, Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq

from bridge.hudi.log_blocks import MAGIC, BlockType, read_blocks
from tests.live.damage.places import files_of

if TYPE_CHECKING:
    import random
    from pathlib import Path

    from tests.live.damage.places import Mutate
    from tests.live.damage.tables import Subject

_KEY = "_hoodie_record_key"
_CONTAINER = b"Obj\x01"
_SHAPES: list[Any] = [[], {}, 7, "text", None, [1, 2], {"other": {"shape": [True]}}]
_PARTS = ("partitionToWriteStats", "extraMetadata", "operationType", "partitionToReplaceFileIds")
_SCHEMAS = (
    '"string"',
    "7",
    "{",
    '{"type": "enum", "name": "e", "symbols": ["A"]}',
    '{"type": "map", "values": "long"}',
    '{"type": "record", "name": "r", "fields": []}',
    '{"type": "record", "name": "r", "fields": [{"name": "id", "type": "long"}]}',
    '{"type": "record", "name": "r", "fields": "none"}',
    '["null", "string"]',
)
_DATES = ("2024-13-45", "99999-01-01", "0000-00-00", "-5-01-01", "2023-02-30", "12")
_KEPT = ("#", "hoodie.table.version=")
_FAR = (2**31 - 1, -(2**31), 3_000_000, -800_000)


def _chosen(chance: random.Random, table: Path, subject: Subject, sort: str) -> Path | None:
    found = [one for one in files_of(table, subject, sort) if one.stat().st_size]
    return chance.choice(found) if found else None


def _foreign(chance: random.Random, table: Path, subject: Subject) -> str:
    path = _chosen(chance, table, subject, "base")
    if path is None:
        return ""
    rows = chance.choice(
        [
            pa.table({"other": [1, 2, 3]}),
            pa.table({"id": [1, 2], "ts": ["a", "b"]}),
            pa.table({_KEY: ["x"], "other": [1]}),
            pa.table({"other": pa.array([], pa.int32())}),
        ]
    )
    pq.write_table(rows, path)
    return f"{path.relative_to(table)}: a Parquet file with the columns {rows.column_names}, {rows.num_rows} rows"


def _without_columns(chance: random.Random, table: Path, subject: Subject) -> str:
    path = _chosen(chance, table, subject, "base")
    if path is None:
        return ""
    rows = pq.read_table(path, partitioning=None)
    meta = [name for name in rows.column_names if name.startswith("_hoodie_") and name != "_hoodie_is_deleted"]
    dropped = chance.choice([[_KEY], meta, ["_hoodie_commit_time"], ["id"], ["ts"], ["_hoodie_partition_path"]])
    kept = rows.drop_columns([name for name in dropped if name in rows.column_names])
    pq.write_table(kept, path)
    return f"{path.relative_to(table)}: written again without {dropped}"


def _no_keys(chance: random.Random, table: Path, subject: Subject) -> str:
    """Make the record keys of a base file null or empty, all or one."""
    path = _chosen(chance, table, subject, "base")
    if path is None:
        return ""
    rows = pq.read_table(path, partitioning=None)
    if not rows.num_rows or _KEY not in rows.column_names:
        return ""
    value = chance.choice([None, ""])
    keys = [value, *rows.column(_KEY).to_pylist()[1:]] if chance.random() < 0.5 else [value] * rows.num_rows
    place = rows.column_names.index(_KEY)
    pq.write_table(rows.set_column(place, _KEY, pa.array(keys, pa.string())), path)
    return f"{path.relative_to(table)}: {keys.count(value)} of {rows.num_rows} record keys are {value!r}"


def _completed(chance: random.Random, table: Path, subject: Subject) -> tuple[Path, dict[str, Any], Any] | None:
    """Return a completed instant, what it says, and its Avro schema; None for JSON."""
    found = [
        one
        for one in files_of(table, subject, "instant")
        if one.stat().st_size and not one.name.endswith((".requested", ".inflight"))
    ]
    if not found:
        return None
    path = chance.choice(found)
    data = path.read_bytes()
    if not data.startswith(_CONTAINER):
        return path, json.loads(data), None
    reader = fastavro.reader(io.BytesIO(data))
    return path, next(iter(reader)), reader.writer_schema  # type: ignore[return-value]


def _store(path: Path, said: Any, schema: Any) -> None:
    if schema is None:
        path.write_text(json.dumps(said))
        return
    out = io.BytesIO()
    fastavro.writer(out, schema, [said])
    path.write_bytes(out.getvalue())


def _other_shape(chance: random.Random, table: Path, subject: Subject) -> str:
    """Give an instant JSON or Avro of another shape, whole or in a part."""
    found = _completed(chance, table, subject)
    if found is None:
        return ""
    path, said, schema = found
    if schema is not None:
        other = {"type": "record", "name": "other", "fields": [{"name": "operationType", "type": "long"}]}
        chosen: Any = chance.choice([({"operationType": 5}, other), (7, "long"), None])
        if chosen is None:
            path.write_text(json.dumps(chance.choice(_SHAPES)))
            return f"{path.relative_to(table)}: JSON {path.read_text()}"
        _store(path, *chosen)
        return f"{path.relative_to(table)}: an Avro container of {chosen[1]}"
    shape = chance.choice(_SHAPES)
    parts = [name for name in _PARTS if name in said]
    if not parts or chance.random() < 0.3:
        _store(path, shape, None)
        return f"{path.relative_to(table)}: JSON {shape!r}"
    name = chance.choice(parts)
    inner = said[name]
    if isinstance(inner, dict) and inner and chance.random() < 0.5:
        key = min(inner)
        inner[key] = shape
        name = f"{name}.{key}"
    else:
        said[name] = shape
    _store(path, said, None)
    return f"{path.relative_to(table)}: {name} is {shape!r}"


def _other_schema(chance: random.Random, table: Path, subject: Subject) -> str:
    """Give the commits an Avro schema of another kind: the last one, or all."""
    names = [one for one in files_of(table, subject, "instant") if re.search(r"commit$", one.name)]
    names = sorted(names, key=lambda one: one.name)
    text, changed = chance.choice(_SCHEMAS), []
    for path in names if chance.random() < 0.5 else names[-1:]:
        data = path.read_bytes()
        if data.startswith(_CONTAINER):
            reader = fastavro.reader(io.BytesIO(data))
            said: Any = next(iter(reader))
            schema: Any = reader.writer_schema
        else:
            said, schema = json.loads(data), None
        if said.get("extraMetadata") and "schema" in said["extraMetadata"]:
            said["extraMetadata"]["schema"] = text
            _store(path, said, schema)
            changed.append(path.name)
    return f"the schema in {', '.join(changed)} is {text}" if changed else ""


def _length(chance: random.Random, table: Path, subject: Subject) -> str:
    """Give a block, or a part of it, a negative or huge length."""
    path = _chosen(chance, table, subject, "log")
    if path is None:
        return ""
    data = bytearray(path.read_bytes())
    with pa.OSFile(str(path)) as stream:
        blocks = [one for one in read_blocks(stream, path.name) if one.type is not BlockType.CORRUPT]
    if not blocks:
        return ""
    block = chance.choice(blocks)
    what = chance.choice(["block", "content", "first record"])
    value = chance.choice([-1, -(2**31), 2**31 - 1, 2**40])
    if what == "block":
        struct.pack_into(">q", data, block.offset + len(MAGIC), value)
    elif what == "content":
        struct.pack_into(">q", data, block.content_offset - 8, value)
    elif block.type is BlockType.AVRO_DATA:
        struct.pack_into(">i", data, block.content_offset + 8, value if value < 2**31 else 2**31 - 1)
    else:
        return ""
    path.write_bytes(data)
    return f"{path.relative_to(table)}, block at {block.offset}: the length of the {what} is {value}"


def _date(chance: random.Random, table: Path, subject: Subject) -> str:
    """Give a partition a path that is no date, or rows dates that Python does not know."""
    if "date" not in subject.label:
        return ""
    if chance.random() < 0.5:
        folders = sorted({one.parent for one in files_of(table, subject, "base")})
        folder, name = chance.choice(folders), chance.choice(_DATES)
        folder.rename(folder.with_name(name))
        return f"the partition {folder.name} renamed to {name}"
    path = _chosen(chance, table, subject, "base")
    if path is None:
        return ""
    rows = pq.read_table(path, partitioning=None)
    days = chance.choice(_FAR)
    column = pa.array([days] * rows.num_rows, pa.int32()).cast(pa.date32())
    pq.write_table(rows.set_column(rows.column_names.index("part"), "part", column), path)
    return f"{path.relative_to(table)}: the date is {days} days from 1970"


def _property(chance: random.Random, table: Path, _: Subject) -> str:
    """Remove a property, or give it another value; the version alone stays, as another one is another table."""
    path = table / ".hoodie/hoodie.properties"
    lines = path.read_text().splitlines()
    chosen = chance.choice([n for n, line in enumerate(lines) if not line.startswith(_KEPT)])
    key = lines[chosen].partition("=")[0]
    value = chance.choice([None, "", "0", "-1", "other", "true", "MERGE_ON_READ", "7", "99999999999"])
    lines[chosen : chosen + 1] = [] if value is None else [f"{key}={value}"]
    path.write_text("\n".join(lines) + "\n")
    return f"hoodie.properties: {key} {'removed' if value is None else f'is {value!r}'}"


CONTENTS: dict[str, Mutate] = {
    "foreign Parquet": _foreign,
    "columns removed": _without_columns,
    "no record keys": _no_keys,
    "timeline of another shape": _other_shape,
    "schema of another kind": _other_schema,
    "impossible length": _length,
    "date out of range": _date,
    "property changed": _property,
}
