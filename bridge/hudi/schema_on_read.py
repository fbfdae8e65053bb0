"""Schema on read: columns told apart by id, so that values survive where ALTER TABLE renamed a column.

A file has the columns of the schema that was valid when it was written. Without schema on read, columns are matched by
name: a renamed one is null in older files, and one that was dropped and added again shows its old values.
Source: InternalSchema, SerDeHelper, InternalSchemaCache, InternalSchemaMerger.
"""

from __future__ import annotations

import bisect
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bridge.spark import META_COLUMNS
from payloads.avro import parse_schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from typing_extensions import Self

    from payloads.avro import AvroSchema, Record


@dataclass(frozen=True, eq=False)
class Renames:
    """How the columns of a file, or the members of a struct in one, are named in a query.

    Attributes:
        names: the name in the query by the name in the file; a column that the query lacks is left out.
        below: the renames of the structs within a column, by its name in the file.
    """

    names: Mapping[str, str]
    below: Mapping[str, Renames]

    @classmethod
    def between(cls, stored: Iterable[Mapping[str, Any]], query: Iterable[Mapping[str, Any]]) -> Self:
        """Compare the fields of two internal schemas by their ids."""
        by_id = {field["id"]: field for field in query}
        pairs = [(field, by_id[field["id"]]) for field in stored if field["id"] in by_id]
        below = {old["name"]: cls._within(old["type"], new["type"]) for old, new in pairs}
        return cls(
            {old["name"]: new["name"] for old, new in pairs},
            {name: found for name, found in below.items() if found is not None},
        )

    @classmethod
    def _within(cls, stored: object, query: object) -> Self | None:
        if not isinstance(stored, dict) or not isinstance(query, dict) or stored["type"] != query["type"]:
            return None
        if stored["type"] == "record":
            return cls.between(stored["fields"], query["fields"])
        part = "element" if stored["type"] == "array" else "value"
        return cls._within(stored[part], query[part])

    def with_meta(self) -> Self:
        """Return the same renames of a file that has the meta columns, which keep their names."""
        return type(self)({**dict(zip(META_COLUMNS, META_COLUMNS, strict=True)), **self.names}, self.below)

    def stored(self, names: Iterable[str]) -> list[str]:
        """Return the columns of the file that become the columns `names`."""
        wanted = set(names)
        return [old for old, new in self.names.items() if new in wanted]

    def of_schema(self, schema: AvroSchema) -> AvroSchema:
        """Return the schema of the file's records under the query's names."""
        return schema.derived(_renamed_schema, self)

    def of_record(self, record: Record, schema: AvroSchema) -> Record:
        """Return a record of the file, which has the columns of `schema`, under the query's names."""
        return {
            self.names[field.name]: _renamed_value(record[field.name], field.schema, self.below.get(field.name))
            for field in schema.non_null.fields
            if field.name in self.names
        }


def _renamed_schema(schema: AvroSchema, renames: Renames) -> AvroSchema:
    return parse_schema(_renamed_source(schema.source, renames))


def _renamed_source(source: object, renames: Renames) -> Any:
    if isinstance(source, list):
        return [_renamed_source(branch, renames) for branch in source]
    if not isinstance(source, dict):
        return source
    if source["type"] == "array":
        return {**source, "items": _renamed_source(source["items"], renames)}
    if source["type"] == "map":
        return {**source, "values": _renamed_source(source["values"], renames)}
    if source["type"] != "record":
        return source
    fields = []
    for field in source["fields"]:
        if field["name"] in renames.names:
            inner = renames.below.get(field["name"])
            kind = field["type"] if inner is None else _renamed_source(field["type"], inner)
            fields.append({**field, "name": renames.names[field["name"]], "type": kind})
    return {**source, "fields": fields}


def _renamed_value(value: Any, schema: AvroSchema, renames: Renames | None) -> object:
    if renames is None or value is None:
        return value
    schema = schema.non_null
    if schema.kind == "array":
        return [_renamed_value(item, schema.items, renames) for item in value]
    if schema.kind == "map":
        return {key: _renamed_value(item, schema.values, renames) for key, item in value.items()}
    return renames.of_record(value, schema)


@dataclass(frozen=True)
class SchemaHistory:
    """The schemas of a table, each valid from an instant on.

    Attributes:
        versions: the instant (as a number, which the schema's id is) and the fields of each, the oldest first.
        query: the fields that a query shows.
    """

    versions: tuple[tuple[int, Any], ...]
    query: Any

    @classmethod
    def parse(cls, history: str, query: str) -> Self:
        """Read a history (a `schemacommit` file) and the schema of a query (`latest_schema` of a commit).

        Raises:
            ValueError, LookupError, TypeError: they are not what Hudi writes.
        """
        found = ((int(one["version_id"]), one["fields"]) for one in json.loads(history)["schemas"])
        return cls(tuple(sorted(found, key=lambda version: version[0])), json.loads(query)["fields"])

    def renames(self, instant: str) -> Renames | None:
        """Return the renames for a file that an instant (requested time) wrote; None where columns go by name."""
        at = bisect.bisect_right(self.versions, int(instant), key=lambda version: version[0])
        return Renames.between(self.versions[at - 1][1], self.query).with_meta() if at else None
