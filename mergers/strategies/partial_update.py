"""PartialUpdate: filling the gaps of one version from another, which the partial update modes have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mergers.strategies.buffered import Version
from payloads.avro import is_null
from payloads.errors import SchemaError

if TYPE_CHECKING:
    from payloads.avro import AvroSchema

Gap = Callable[[Any], bool]
"""Whether a value is a gap, which the other version fills."""


class PartialUpdate(ABC):
    """Fills one version from another, column by column (PartialUpdateHandler)."""

    @abstractmethod
    def gaps(self, schema: AvroSchema) -> tuple[tuple[str, Gap], ...]:
        """Return the top-level columns of `schema` that can have gaps, each with its test.

        Raises:
            SchemaError: Hudi can't detect the gaps of a column.
        """

    def fills_nulls_alone(self, schema: AvroSchema) -> bool:
        """Whether every column of `schema` can have gaps, null is what they are, and `filled` is the one below."""
        if type(self).filled is not PartialUpdate.filled:
            return False
        try:
            gaps = self.gaps(schema)
        except SchemaError:
            return False
        return len(gaps) == len(schema.fields) and all(is_gap is is_null for _, is_gap in gaps)

    def filled(self, high: Version, low: Version | None, newer: Version) -> Version:
        """Return `high` with its gaps filled from `low`; `high` itself if there are none.

        Args:
            high: the version that wins. It gives key, operation and ordering value.
            low: the version that loses. Nothing is filled where it is absent, or where either one is a delete.
            newer: the one of the two that came later. Its schema decides which columns there are; columns that a
                version lacks read as null.
        """
        if low is None or high.marked_delete or low.marked_delete or newer.schema is None:
            return high
        upper, lower = high.data_for("a partial update"), low.data_for("a partial update")
        gaps = [name for name, is_gap in self.gaps(newer.schema) if is_gap(upper.get(name))]
        if not gaps:
            return high
        record = {field.name: upper.get(field.name) for field in newer.schema.fields}
        record.update({name: lower.get(name) for name in gaps})
        return Version(high.key, record, newer.schema, high.operation, high.ordering_value)
