"""FILL_UNAVAILABLE: the partial update mode in which a marker replaces a value that was not sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mergers.strategies.partial_update import PartialUpdate
from payloads.avro import Branch, value_text
from payloads.rules import FirstNonMarker, Role, Take

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mergers.strategies.partial_update import Gap
    from payloads.api import Props
    from payloads.avro import AvroSchema
    from payloads.rules import Column

MERGE_PROPERTY_PREFIX: Final = "hoodie.record.merge.property."
UNAVAILABLE_VALUE: Final = "hoodie.write.partial.update.unavailable.value"

_TEXT_TYPES = ("string", "bytes")
_REPLACED = "\ufffd"
"""What stands for bytes that are no UTF-8, so that a marker with it is the text of several of them."""


class FillUnavailable(PartialUpdate):
    """Fills a text or bytes column, in a union too, if its value equals the marker.

    The marker is the table's merge property: only the key with the prefix counts, and the properties that reach the
    merge must have it. Without it nothing is filled, silently.

    Attributes:
        marker: the text; None if the properties have none.
    """

    def __init__(self, props: Props, *, reads_bytes: bool = True) -> None:
        """Read the marker from `props`.

        Args:
            props: the properties passed to the merge.
            reads_bytes: whether bytes are read as UTF-8, as on Avro rows; Spark's rows show no text for them.
        """
        self.marker = props.get(MERGE_PROPERTY_PREFIX + UNAVAILABLE_VALUE)
        self._reads_bytes = reads_bytes

    def columns(self, schema: AvroSchema) -> Mapping[str, Column] | None:
        """Return that the marker leaves the earlier value; None if a union of several types may hold it."""
        found: dict[str, Column] = {}
        for name, _ in self.gaps(schema):
            kind, marker = schema.by_name[name].schema.non_null.kind, self.marker or ""
            if kind not in _TEXT_TYPES or (kind == "bytes" and _REPLACED in marker):
                return None
            if kind == "string" or self._reads_bytes:
                value = marker if kind == "string" else marker.encode()
                found[name] = FirstNonMarker((Take(Role.LATER), Take(Role.EARLIER)), value)
        return found

    def gaps(self, schema: AvroSchema) -> tuple[tuple[str, Gap], ...]:
        """Return the columns that can contain the marker."""
        if self.marker is None:
            return ()
        return schema.derived(_gaps, self.marker, self._reads_bytes)

    def gaps_by_name(self, schema: AvroSchema) -> dict[str, Gap]:
        """Return the test of each column that can contain the marker; made once a schema."""
        return {} if self.marker is None else schema.derived(_gaps_by_name, self.marker, self._reads_bytes)


def _gaps_by_name(schema: AvroSchema, marker: str, reads_bytes: bool) -> dict[str, Gap]:  # noqa: FBT001
    return dict(_gaps(schema, marker, reads_bytes))


def _gaps(schema: AvroSchema, marker: str, reads_bytes: bool) -> tuple[tuple[str, Gap], ...]:  # noqa: FBT001
    return tuple(
        (field.name, _gap(field.schema, marker, reads_bytes=reads_bytes))
        for field in schema.fields
        if _can_hold_text(field.schema)
    )


def _gap(schema: AvroSchema, marker: str, *, reads_bytes: bool) -> Gap:
    def is_marker(value: object) -> bool:
        plain = value.value if isinstance(value, Branch) else value
        if plain is None:
            return False
        if isinstance(plain, str):
            return plain == marker
        if isinstance(plain, bytes):
            return reads_bytes and plain.decode(errors="replace") == marker
        return value_text(schema, value) == marker

    return is_marker


def _can_hold_text(schema: AvroSchema) -> bool:
    return any(branch.kind in _TEXT_TYPES for branch in schema.branches or (schema,))
