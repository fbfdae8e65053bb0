"""The columns of a table: as its commits say, or as it was created."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.config import keys
from bridge.hudi.errors import UnreadableTableError
from bridge.spark import META_COLUMNS
from payloads.avro import parse_schema

if TYPE_CHECKING:
    from bridge.hudi.properties import TableProperties
    from bridge.hudi.timeline import ActiveTimeline
    from payloads.avro import AvroSchema

_LAST_INSTANT = "9"
_NO_COLUMNS = '{"type": "record", "name": "hoodie_record", "fields": []}'


def table_schema(path: str, properties: TableProperties, timeline: ActiveTimeline, until: str) -> AvroSchema:
    """Return the columns of a table as of an instant, without meta columns.

    Raises:
        UnreadableTableError: neither the timeline nor the properties say it.
        SchemaError: the stored text is not an Avro schema.
    """
    created = properties.stored.get(keys.CREATE_SCHEMA) or None
    text = timeline.write_schema(until) or timeline.write_schema(_LAST_INSTANT) or created
    if text is None and not timeline.commits:
        text = _NO_COLUMNS
    if text is None:
        msg = f"{path}: no commit on the active timeline says the table's schema; write to it once"
        raise UnreadableTableError(msg)
    schema = _without_meta(parse_schema(text))
    absent = [name for name in properties.partition_fields if name not in schema.by_name and "." not in name]
    if not absent or not properties.drops_partition_columns:
        return schema
    known = parse_schema(created).by_name if created else {}
    added = [
        {"name": n, "type": known[n].schema.source if n in known else ["null", "string"], "default": None}
        for n in absent
    ]
    return parse_schema({**schema.source, "fields": [*schema.source["fields"], *added]})


def _without_meta(schema: AvroSchema) -> AvroSchema:
    """Return a schema without Hudi's meta columns; the commit of an ALTER TABLE has them, others may."""
    fields = [field for field in schema.source["fields"] if field["name"] not in META_COLUMNS]
    if len(fields) == len(schema.source["fields"]):
        return schema
    return parse_schema({**schema.source, "fields": fields})
