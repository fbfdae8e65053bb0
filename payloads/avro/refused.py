"""What Java's parser refuses in an Avro schema, and what no value fits, where fastavro takes either.

Source: org.apache.avro.Schema (RecordSchema.setFields, UnionSchema, FixedSchema) of Avro 1.11.
"""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from payloads.avro.schema import AvroSchema

_MOST: Final = (1 << 31) - 1
"""The largest size of a fixed: Java's int."""


def refusals(schema: AvroSchema, seen: set[int] | None = None) -> Iterator[str]:
    """Give what is wrong with a schema or with a part of it, one phrase each.

    >>> from payloads.avro import parse_schema
    >>> fields = [{"name": "id", "type": "string"}, {"name": "n", "type": {"type": "fixed", "name": "f", "size": 4}}]
    >>> [*refusals(parse_schema({"type": "record", "name": "row", "fields": fields}))]
    []
    """
    seen = set() if seen is None else seen
    if id(schema) in seen:
        return
    seen.add(id(schema))
    match schema.kind:
        case "record":
            yield from (
                f"the record {schema.name} has the field {name!r} twice"
                for name in _twice(f.name for f in schema.fields)
            )
        case "union":
            names = [branch.name for branch in schema.branches]
            yield from (f"a union has the type {name} twice" for name in _twice(names))
            if "union" in names or not names:
                yield "a union is in a union" if names else "a union has no types"
        case "enum" if not schema.symbols:
            yield f"the enum {schema.name} has no symbols"
        case "fixed" if type(schema.size) is not int or not 0 <= schema.size <= _MOST:
            yield f"the size of the fixed {schema.name} is {schema.size!r}, not a whole number from 0 to {_MOST}"
    for part in schema.parts:
        yield from refusals(part, seen)


def _twice(names: Iterable[str]) -> list[str]:
    return [name for name, number in collections.Counter(names).items() if number > 1]
