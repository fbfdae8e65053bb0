"""The columns of a table: as its commits say, or as it was created."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.config import keys
from bridge.hudi.base_files import avro_schema_of
from bridge.hudi.errors import DamagedFileError, UnreadableTableError
from bridge.hudi.file_slices import base_file, log_file
from bridge.hudi.log_blocks import HeaderKey, read_blocks
from bridge.hudi.properties import PROPERTIES_FILE
from bridge.hudi.schema_text import record_schema
from bridge.spark import META_COLUMNS
from payloads.avro import parse_schema
from payloads.errors import SchemaError

if TYPE_CHECKING:
    from bridge.hudi.files import TableFiles
    from bridge.hudi.properties import TableProperties
    from bridge.hudi.timeline import ActiveTimeline
    from payloads.avro import AvroSchema

_LAST_INSTANT = "9"
_NO_COLUMNS = '{"type": "record", "name": "hoodie_record", "fields": []}'


def table_schema(
    files: TableFiles, properties: TableProperties, timeline: ActiveTimeline, until: str, *, of_services: bool
) -> AvroSchema:
    """Return the columns of a table as of an instant, without meta columns.

    Source: TableSchemaResolver.getTableAvroSchema.

    Args:
        files: those of the table.
        properties: those of the table.
        timeline: that of the table.
        until: the instant (requested time).
        of_services: whether the commits of table services say the schema, too.

    Raises:
        UnreadableTableError: neither timeline nor properties nor files say them, or what the properties say is none.
        DamagedFileError: a commit, or the file that says them, can't be read.
    """
    path = files.path
    created = properties.stored.get(keys.CREATE_SCHEMA) or None
    moments = (timeline.write_schema(one, of_services=of_services) for one in (until, _LAST_INSTANT))
    found = next(filter(None, moments), None)
    if found is None and created:
        found = _created(path, created)
    found = found or _of_files(files, timeline)
    if found is None and timeline.commits:
        msg = (
            f"{path}: the table's schema is neither in a commit on the active timeline nor in its files; write to "
            "it once"
        )
        raise UnreadableTableError(msg)
    schema = _without_meta(found or parse_schema(_NO_COLUMNS))
    absent = [name for name in properties.partition_fields if name not in schema.by_name and "." not in name]
    if not absent or properties.bootstrap_source or not timeline.commits:
        return schema
    if not properties.drops_partition_columns:
        # Source: SparkHoodieTableFileIndex.partitionSchema.
        msg = (
            f"{path}: the table's schema has no column {absent[0]!r}, by which it is partitioned; write to it once more"
        )
        raise UnreadableTableError(msg)
    known = _created(path, created).by_name if created else {}
    added = [
        {"name": n, "type": known[n].schema.source if n in known else ["null", "string"], "default": None}
        for n in absent
    ]
    return parse_schema({**schema.source, "fields": [*schema.source["fields"], *added]})


def _of_files(files: TableFiles, timeline: ActiveTimeline) -> AvroSchema | None:
    """Return the columns of a file that the last commit with files wrote; None where none says them."""
    for instant in reversed(timeline.commits):
        for partition, names in timeline.written([instant]).items():
            for path in (f"{partition}/{name}" if partition else name for name in sorted(names)):
                text = _stored_schema(files, path)
                if text is not None:
                    return _checked(files.described(path), text)
    return None


def _stored_schema(files: TableFiles, path: str) -> str | None:
    name = path.rpartition("/")[2]
    if log_file(name) is None:
        return avro_schema_of(files, path) if base_file(name) is not None else None
    with files.open(path) as stream:
        schemas = [one.header.get(HeaderKey.SCHEMA) for one in read_blocks(stream, files.described(path))]
    return next(filter(None, reversed(schemas)), None)


def _checked(path: str, text: str) -> AvroSchema:
    try:
        return record_schema(text)
    except SchemaError as error:
        msg = f"{path} has no valid table schema: {error}; restore the file"
        raise DamagedFileError(msg) from error


def _created(path: str, text: str) -> AvroSchema:
    """Return the columns with which a table was created."""
    try:
        return record_schema(text)
    except SchemaError as error:
        msg = (
            f"{path}/{PROPERTIES_FILE}: {keys.CREATE_SCHEMA} is not a valid table schema: {error}; correct the property"
        )
        raise UnreadableTableError(msg) from error


def _without_meta(schema: AvroSchema) -> AvroSchema:
    """Return a schema without Hudi's meta columns; the commit of an ALTER TABLE has them, others may."""
    fields = [field for field in schema.source["fields"] if field["name"] not in META_COLUMNS]
    if len(fields) == len(schema.source["fields"]):
        return schema
    return parse_schema({**schema.source, "fields": fields})
