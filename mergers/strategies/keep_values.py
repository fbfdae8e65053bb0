"""The columns of one row on top of another's: how Hudi merges rows that carry only some columns.

RFC-97 planned this as the partial update mode KEEP_VALUES. No release knows that name: what shipped is this, for log
blocks that are marked as partial.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mergers.strategies.buffered import Version
from payloads.avro import parse_schema
from payloads.errors import SchemaError

if TYPE_CHECKING:
    from payloads.schema import AvroSchema


def overlaid(top: Version, bottom: Version, reader_schema: AvroSchema) -> Version:
    """Return `top` with the columns that its schema lacks taken from `bottom`; `top` itself where it lacks none.

    A null of `top` counts. Only top-level columns are looked at; they come in the order of `reader_schema`.

    Raises:
        SchemaError: a version has no data or no schema (in Hudi a NullPointerException): a delete of a log.
    """
    upper, lower = top.data_for("a partial merge"), bottom.data_for("a partial merge")
    if top.schema is None or bottom.schema is None:
        msg = f"a partial merge needs the schemas of both versions (key {top.record_key!r}); give them"
        raise SchemaError(msg)
    schema = _merged_schema(top.schema, bottom.schema, reader_schema)
    if schema.by_name.keys() == top.schema.by_name.keys():
        return top
    record = {name: upper[name] if name in top.schema.by_name else lower[name] for name in schema.by_name}
    return Version(top.key, record, schema, top.operation, top.ordering_value)


def _merged_schema(top: AvroSchema, bottom: AvroSchema, reader_schema: AvroSchema) -> AvroSchema:
    """Return `reader_schema` with the columns that one of the two has."""
    names = frozenset(top.by_name) | frozenset(bottom.by_name)
    found: AvroSchema | None = reader_schema.memo.get((overlaid, names))
    if found is None:
        fields = [field for field in reader_schema.source["fields"] if field["name"] in names]
        found = parse_schema({**reader_schema.source, "fields": fields})
        reader_schema.memo[overlaid, names] = found
    return found
