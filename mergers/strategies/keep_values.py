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
    from payloads.avro import AvroSchema


def overlaid(top: Version, bottom: Version, reader_schema: AvroSchema) -> Version:
    """Return `top` with the columns that its schema lacks taken from `bottom`; `top` itself if it lacks none.

    A null of `top` counts. Only top-level columns are compared; they come in the order of `reader_schema`.

    Raises:
        SchemaError: a version has no data or no schema (in Hudi a NullPointerException): a delete of a log.
    """
    upper, lower = top.data_for("a partial merge"), bottom.data_for("a partial merge")
    if top.schema is None or bottom.schema is None:
        msg = f"a partial merge needs the schemas of both versions (key {top.record_key!r}); give them"
        raise SchemaError(msg)
    columns = frozenset(top.schema.by_name) | frozenset(bottom.schema.by_name)
    schema = reader_schema.derived(_with_columns, columns)
    if schema.by_name.keys() == top.schema.by_name.keys():
        return top
    record = {name: upper[name] if name in top.schema.by_name else lower[name] for name in schema.by_name}
    return Version(top.key, record, schema, top.operation, top.ordering_value)


def _with_columns(schema: AvroSchema, names: frozenset[str]) -> AvroSchema:
    """Return `schema` with the columns `names` alone."""
    fields = [field for field in schema.source["fields"] if field["name"] in names]
    return parse_schema({**schema.source, "fields": fields})
