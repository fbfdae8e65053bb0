"""HoodieRecord: what every carrier offers, and the identity of a record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

from mergers.errors import UnsupportedRecordOperationError
from payloads.ordering import NATURAL_ORDER, Ordering

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from typing_extensions import Self

    from mergers.record.metadata import MetadataValues
    from payloads.api import Props, Sentinel
    from payloads.avro import AvroSchema, Record

INSERT: Final = "I"
UPDATE_BEFORE: Final = "-U"
UPDATE_AFTER: Final = "U"
DELETE: Final = "D"

OPERATIONS: Final = frozenset({INSERT, UPDATE_BEFORE, UPDATE_AFTER, DELETE})
"""The codes of HoodieOperation."""

DELETE_OPERATIONS: Final = frozenset({DELETE, UPDATE_BEFORE})
"""The operations that make a buffered record of 1.1 and later a delete."""


class HoodieKey(NamedTuple):
    """The identity of a record: its key within a partition."""

    record_key: str
    partition_path: str = ""


class HoodieRecord:
    """A version of a record, in any form (org.apache.hudi.common.model.HoodieRecord).

    Records are immutable: if Hudi writes into a record, a new one is returned here. Calls that a record type does not
    support raise UnsupportedRecordOperationError, as in Hudi's classes.

    Attributes:
        key: the identity; None if a caller merges without one.
        operation: `I`, `-U`, `U`, `D` or None, as in the meta column `_hoodie_operation`. From 1.1 on a merge reads
            from it whether a version is a delete, as from a BufferedRecord: a merge point that finds a version to
            be a delete sets it here.
    """

    __slots__ = ("key", "operation")

    def __init__(self, key: HoodieKey | None, operation: str | None = None) -> None:
        self.key = key
        self.operation = operation

    @property
    def marked_delete(self) -> bool:
        """Whether the operation is a delete (BufferedRecord.isDelete)."""
        return self.operation in DELETE_OPERATIONS

    @property
    def record_key(self) -> str | None:
        """The key within the partition."""
        return None if self.key is None else self.key.record_key

    @property
    def partition_path(self) -> str | None:
        """The partition."""
        return None if self.key is None else self.key.partition_path

    def to_indexed_record(self, schema: AvroSchema, props: Props) -> PlainRecord | None:
        """Return this version as plain data, or None if it has none."""
        self._refuse("to_indexed_record", schema, props)

    def get_column_values(
        self,
        schema: AvroSchema,
        columns: Sequence[str],
        consistent_logical_timestamp_enabled: bool = False,  # noqa: FBT001, FBT002 (Hudi's signature)
    ) -> list[Any]:
        """Return the values of `columns`, dotted paths included; None for an unknown column."""
        self._refuse("get_column_values", schema, columns, consistent_logical_timestamp_enabled)

    def get_ordering_value(
        self,
        schema: AvroSchema,
        props: Props,
        ordering_fields: Sequence[str] | None = None,
    ) -> Ordering | None:
        """Return the value of `ordering_fields`; without them, of the fields that `props` name."""
        self._refuse("get_ordering_value", schema, props, ordering_fields)

    def join_with(self, other: HoodieRecord, target_schema: AvroSchema) -> HoodieRecord:
        """Return both versions in one record of `target_schema`; where both have a field, `other` wins."""
        self._refuse("join_with", other, target_schema)

    def rewrite_record(
        self,
        record_schema: AvroSchema,
        props: Props,
        target_schema: AvroSchema,
        metadata_values: MetadataValues | None = None,
    ) -> HoodieRecord:
        """Return this version in `target_schema`, which adds meta columns (prependMetaFields), and fill these."""
        self._refuse("rewrite_record", record_schema, props, target_schema, metadata_values)

    def rewrite_record_with_new_schema(
        self,
        record_schema: AvroSchema,
        props: Props,
        new_schema: AvroSchema,
        renames: Mapping[str, str] | None = None,
    ) -> HoodieRecord:
        """Return this version in `new_schema`, values promoted; `renames`: dotted new name to old leaf name."""
        self._refuse("rewrite_record_with_new_schema", record_schema, props, new_schema, renames)

    def update_metadata_values(
        self,
        record_schema: AvroSchema,
        props: Props,
        metadata_values: MetadataValues,
    ) -> HoodieRecord:
        """Return this version with other values in its meta columns."""
        self._refuse("update_metadata_values", record_schema, props, metadata_values)

    def is_delete(self, schema: AvroSchema, props: Props) -> bool:
        """Whether this version deletes its record."""
        self._refuse("is_delete", schema, props)

    def should_ignore(self, schema: AvroSchema, props: Props) -> bool:  # noqa: ARG002
        """Whether this version means "leave the stored row as it is"."""
        return False

    def new_instance(self, key: HoodieKey | None = None, operation: str | None = None) -> HoodieRecord:
        """Return this version under another key, or with another operation as well; None keeps what it has."""
        self._refuse("new_instance", key, operation)

    def copy(self) -> Self:
        """Return the version itself: it does not change."""
        return self

    def _refuse(self, call: str, *_: object) -> NoReturn:
        raise UnsupportedRecordOperationError.from_call(
            type(self), call, "convert the version to HoodieAvroIndexedRecord (to_indexed_record)"
        )


class PlainRecord(HoodieRecord):
    """A version as data with its schema; `HoodieAvroIndexedRecord` says what its attributes are and does the rest."""

    __slots__ = ("ordering_value", "record", "schema")

    def __init__(
        self,
        key: HoodieKey | None,
        record: Record | Sentinel | None,
        schema: AvroSchema | None,
        operation: str | None = None,
        ordering_value: Ordering | None = NATURAL_ORDER,
    ) -> None:
        super().__init__(key, operation)
        self.record: Any = record
        self.schema = schema
        self.ordering_value = ordering_value
