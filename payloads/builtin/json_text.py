"""HoodieJsonPayload: a record as JSON text, parsed with the schema of the call."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from payloads.avro import parse_object, read_record
from payloads.builtin.base import BuiltinPayload
from payloads.errors import SchemaError
from payloads.release import by_release

if TYPE_CHECKING:
    from payloads.api import HoodieRecordPayload, Props, Sentinel
    from payloads.avro import AvroSchema, Record


class HoodieJsonPayload(BuiltinPayload, heads_family=True):
    """The later arrival wins, and nothing in the JSON marks a delete.

    Attributes:
        text: the JSON.
    """

    __slots__ = ("text",)

    java_name = "org.apache.hudi.common.HoodieJsonPayload"
    takes_ordering = False

    #: Whether numbers with a fraction are exact decimals and logical types apply.
    reads_logical_types: ClassVar[bool] = by_release(False, since={"1.0": True})

    def __init__(self, text: str | None) -> None:
        """Keep the text; it is parsed when it is needed.

        Raises:
            SchemaError: there is no text.
        """
        if text is None:
            msg = f"{type(self).__name__} can't be built from null; give it the text of a JSON object"
            raise SchemaError(msg)
        super().__init__(None)
        self.text = text

    def pre_combine(
        self,
        older: HoodieRecordPayload,
        schema: AvroSchema | None = None,
        props: Props | None = None,
    ) -> HoodieRecordPayload:
        """Return `self`."""
        self.check_family(older)
        return self

    def combine_and_get_update_value(
        self,
        current: Record,
        schema: AvroSchema,
        props: Props | None = None,
    ) -> Record | Sentinel | None:
        """Return the record; see `get_insert_value`."""
        return self._java_insert(schema)

    def get_insert_value(self, schema: AvroSchema, props: Props | None = None) -> Record | Sentinel | None:
        """Return the JSON as a record of `schema`; a field that it lacks is null, even where null is not a value.

        Raises:
            SchemaError: the text is not a JSON object, or a value can't be converted.
        """
        exact = self.reads_logical_types
        return read_record(parse_object(self.text, exact=exact), schema, logical=exact)

    _java_insert = get_insert_value

    def get_row_key(self, field: str) -> str | None:
        """Return the text of the top-level member `field`, None if it is not text.

        Raises:
            SchemaError: the text is not a JSON object, or it has no such member.
        """
        json_object = parse_object(self.text, exact=True)
        if field not in json_object:
            msg = f"field {field!r} is not in the payload, which has {', '.join(json_object)}: {self.text[:120]}"
            raise SchemaError(msg)
        value = json_object[field]
        return value if isinstance(value, str) else None

    def get_partition_path(self, field: str) -> str | None:
        """Return the text of the partition field, by the rule of `get_row_key`."""
        return self.get_row_key(field)
