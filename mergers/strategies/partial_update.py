"""PartialUpdate: filling the gaps of one version from another, which the partial update modes have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from mergers.strategies.buffered import Version
from payloads.avro import Value

if TYPE_CHECKING:
    from payloads.avro import AvroSchema
    from payloads.rules import Case, Column

Gap = Callable[[Value], bool]
"""Whether a value is a gap, which the other version fills."""


class PartialUpdate(ABC):
    """Fills one version from another, column by column (PartialUpdateHandler)."""

    @abstractmethod
    def gaps(self, schema: AvroSchema) -> tuple[tuple[str, Gap], ...]:
        """Return the top-level columns of `schema` that can have gaps, each with its test.

        Raises:
            SchemaError: Hudi can't detect the gaps of a column.
        """

    def __init_subclass__(cls) -> None:
        """Leave a class that does not state how it fills columns to calls: the class it extends may do it otherwise."""
        super().__init_subclass__()
        if "columns" not in vars(cls):
            cls.columns = PartialUpdate.columns  # type: ignore[method-assign]

    def columns(self, schema: AvroSchema) -> Mapping[str, Column] | None:  # noqa: ARG002 (none are stated)
        """Return how columns of `schema` are filled, as values of a rule; None where `filled` has to be called."""
        return None

    def cases(self, schema: AvroSchema) -> tuple[Case, ...]:  # noqa: ARG002 (there are none)
        """Return what comes before the columns of a rule, besides deletes."""
        return ()

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
