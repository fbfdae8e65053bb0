"""HoodieEmptyRecord: a delete of which only the key and the ordering value are known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mergers.record.base import HoodieKey, HoodieRecord
from payloads.ordering import NATURAL_ORDER, Ordering

if TYPE_CHECKING:
    from collections.abc import Sequence

    from payloads.api import Props
    from payloads.avro import AvroSchema


class HoodieEmptyRecord(HoodieRecord):
    """A delete without data.

    Attributes:
        ordering_value: Integer 0 unless the delete has one; Integer 0 deletes any older version.
    """

    __slots__ = ("ordering_value",)

    record: Final = None
    schema: Final = None

    def __init__(
        self,
        key: HoodieKey | None,
        operation: str | None = None,
        ordering_value: Ordering | None = NATURAL_ORDER,
    ) -> None:
        super().__init__(key, operation)
        self.ordering_value = ordering_value

    @property
    def marked_delete(self) -> bool:
        """Always true."""
        return True

    def to_indexed_record(self, schema: AvroSchema, props: Props) -> None:  # noqa: ARG002
        """Return None: there is no data."""
        return

    def get_ordering_value(
        self,
        schema: AvroSchema,  # noqa: ARG002
        props: Props,  # noqa: ARG002
        ordering_fields: Sequence[str] | None = None,  # noqa: ARG002
    ) -> Ordering | None:
        """Return the ordering value that the delete came with."""
        return self.ordering_value

    def is_delete(self, schema: AvroSchema, props: Props) -> bool:  # noqa: ARG002
        """Always."""
        return True

    def new_instance(self, key: HoodieKey | None = None, operation: str | None = None) -> HoodieEmptyRecord:
        """Return the delete under another key; without `operation` it drops its own and its ordering value."""
        key = self.key if key is None else key
        return HoodieEmptyRecord(key) if operation is None else HoodieEmptyRecord(key, operation, self.ordering_value)
