"""Building a record field by field, as Avro's GenericRecordBuilder does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from payloads.avro.defaults import default_value
from payloads.errors import SchemaError

if TYPE_CHECKING:
    from payloads.avro.schema import AvroSchema, Field, Record, Value


class RecordBuilder:
    """Builds a record field by field (Java: `GenericRecordBuilder`); `setField` of a payload receives one.

    Attributes:
        schema: that of the record.
    """

    def __init__(self, schema: AvroSchema, owner: str = "RecordBuilder") -> None:
        """Start a record of `schema`; `owner` is the class that errors name."""
        self.schema = schema
        self._owner = owner
        self._values: Record = {}

    def set(self, field: Field | str, value: object) -> RecordBuilder:
        """Set a field, given itself or by its name, and return the builder.

        Raises:
            SchemaError: the schema has no such field, or it refuses null and has no default.
        """
        found = self._field(field)
        if value is None and not (found.schema.nullable or found.has_default):
            msg = f"{self._owner}: the field {found.name!r} does not accept null and has no default"
            raise SchemaError(msg)
        self._values[found.name] = value
        return self

    def get(self, field: Field | str) -> Value:
        """Return the value that was set, else None."""
        return self._values.get(self._field(field).name)

    def has(self, field: Field | str) -> bool:
        """Whether a value other than null was set."""
        return self.get(field) is not None

    def clear(self, field: Field | str) -> RecordBuilder:
        """Unset a field and return the builder."""
        self._values.pop(self._field(field).name, None)
        return self

    def build(self) -> Record:
        """Return the record; fields that were not set have their defaults.

        Raises:
            SchemaError: one of these has no default.
        """
        return {field.name: self._value_of(field) for field in self.schema.fields}

    def _value_of(self, field: Field) -> object:
        if field.name in self._values:
            return self._values[field.name]
        if not field.has_default:
            msg = f"{self._owner}: the field {field.name!r} was not set and has no default; set it"
            raise SchemaError(msg)
        return default_value(field.schema, field.default)

    def _field(self, field: Field | str) -> Field:
        name = field if isinstance(field, str) else field.name
        found = self.schema.by_name.get(name)
        if found is None:
            msg = f"{self._owner}: the schema has no field {name!r}, only {', '.join(self.schema.by_name)}"
            raise SchemaError(msg)
        return found
