"""IGNORE_EMPTY: the partial update mode in which an empty text does not overwrite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mergers.strategies.partial_update import PartialUpdate

if TYPE_CHECKING:
    from mergers.strategies.partial_update import Gap
    from payloads.avro import AvroSchema


class IgnoreEmpty(PartialUpdate):
    """Fills a text that is empty."""

    def gaps(self, schema: AvroSchema) -> tuple[tuple[str, Gap], ...]:
        """Return the columns of text."""
        return tuple((field.name, _is_empty) for field in schema.fields if field.schema.non_null.kind == "string")


def _is_empty(value: Any) -> bool:
    return bool(value == "")
