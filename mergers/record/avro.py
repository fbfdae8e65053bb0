"""HoodieAvroRecord: a version carried by a payload."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mergers.record.base import DELETE, HoodieKey, HoodieRecord
from mergers.record.indexed import HoodieAvroIndexedRecord
from payloads.api import SENTINEL
from payloads.errors import PayloadFailedError
from payloads.ordering_fields import field_reader
from payloads.release import ByRelease

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mergers.record.metadata import MetadataValues
    from payloads.api import HoodieRecordPayload, Props
    from payloads.avro import AvroSchema
    from payloads.ordering import Ordering

# Looked up for each record, so without the call of `at`.
_HAS_INDEXED_RECORD = ByRelease(False, {"1.1": True}).rules
_DELETES_BY_OPERATION = ByRelease(False, {"1.0": True}).rules


class HoodieAvroRecord(HoodieRecord):
    """A version wrapped in a payload: what a writer or a log passes to the merge."""

    __slots__ = ("payload",)

    def __init__(self, key: HoodieKey | None, payload: HoodieRecordPayload, operation: str | None = None) -> None:
        super().__init__(key, operation)
        self.payload = payload

    @property
    def record(self) -> Any:
        """The payload's data as it is, no delete rule applied; None if it has none."""
        return self.payload.record

    @property
    def ordering_value(self) -> Ordering | None:
        """The payload's ordering value."""
        return self.payload.get_ordering_value()

    def to_indexed_record(self, schema: AvroSchema, props: Props) -> HoodieAvroIndexedRecord | None:
        """Return the payload's data with key, operation and ordering value; None if it has none.

        Until 1.0 this is the insert value, so that a delete has none; from 1.1 on the record without any delete rule.
        """
        payload = self.payload
        read = payload.get_indexed_record if _HAS_INDEXED_RECORD[payload.release] else payload.get_insert_value
        record = read(schema, props)
        if record is None or record is SENTINEL:
            return None
        return HoodieAvroIndexedRecord(self.key, record, schema, self.operation, payload.get_ordering_value())

    def get_column_values(
        self,
        schema: AvroSchema,
        columns: Sequence[str],
        consistent_logical_timestamp_enabled: bool = False,  # noqa: FBT001, FBT002 (Hudi's signature)
    ) -> list[Any]:
        """Return the values of `columns` with their Java classes, as `Ordering`; None if null or unknown.

        Dates, decimals and, with the flag, timestamps are converted by their logical type.

        Raises:
            PayloadFailedError: the payload has no data.
        """
        data = self.to_indexed_record(schema, {})
        if data is None:
            raise self._without_data(call="get_column_values")
        return [
            field_reader(schema, column, consistent=consistent_logical_timestamp_enabled)(data.record)
            for column in columns
        ]

    def get_ordering_value(
        self,
        schema: AvroSchema,  # noqa: ARG002
        props: Props,  # noqa: ARG002
        ordering_fields: Sequence[str] | None = None,  # noqa: ARG002
    ) -> Ordering | None:
        """Return the payload's ordering value, whatever the fields."""
        return self.payload.get_ordering_value()

    def rewrite_record(
        self,
        record_schema: AvroSchema,
        props: Props,
        target_schema: AvroSchema,
        metadata_values: MetadataValues | None = None,
    ) -> HoodieAvroIndexedRecord:
        """Return the insert value in `target_schema` with the meta columns filled, as plain data.

        Raises:
            PayloadFailedError: the payload inserts nothing.
            SchemaError: see HoodieAvroIndexedRecord.
        """
        inserted = self._inserted("rewrite_record", record_schema, props)
        return inserted.rewrite_record(record_schema, props, target_schema, metadata_values)

    def rewrite_record_with_new_schema(
        self,
        record_schema: AvroSchema,
        props: Props,
        new_schema: AvroSchema,
        renames: Mapping[str, str] | None = None,
    ) -> HoodieAvroIndexedRecord:
        """Return the insert value in `new_schema`, as plain data.

        Raises:
            PayloadFailedError: the payload inserts nothing.
            SchemaError: see HoodieAvroIndexedRecord.
        """
        inserted = self._inserted("rewrite_record_with_new_schema", record_schema, props)
        return inserted.rewrite_record_with_new_schema(
            record_schema, props, new_schema, renames, release=self.payload.release
        )

    def update_metadata_values(
        self,
        record_schema: AvroSchema,
        props: Props,
        metadata_values: MetadataValues,
    ) -> HoodieAvroIndexedRecord:
        """Return the insert value with other values in its meta columns, as plain data.

        Raises:
            PayloadFailedError: the payload inserts nothing.
            SchemaError: see HoodieAvroIndexedRecord.
        """
        inserted = self._inserted("update_metadata_values", record_schema, props)
        return inserted.update_metadata_values(record_schema, props, metadata_values)

    def is_delete(self, schema: AvroSchema, props: Props) -> bool:
        """Whether the operation is `D` (from 1.0 on) or the payload says delete."""
        if self.operation == DELETE and _DELETES_BY_OPERATION[self.payload.release]:
            return True
        return self.payload.is_deleted(schema, props)

    def should_ignore(self, schema: AvroSchema, props: Props) -> bool:
        """Whether the payload may return SENTINEL and does so for an insert."""
        return self.payload.can_produce_sentinel() and self.payload.get_insert_value(schema, props) is SENTINEL

    def new_instance(self, key: HoodieKey | None = None, operation: str | None = None) -> HoodieAvroRecord:
        """Return the same payload under another key or operation."""
        return HoodieAvroRecord(
            self.key if key is None else key, self.payload, self.operation if operation is None else operation
        )

    def _inserted(self, call: str, schema: AvroSchema, props: Props) -> HoodieAvroIndexedRecord:
        record = self.payload.get_insert_value(schema, props)
        if record is None:
            raise self._without_data(call)
        return HoodieAvroIndexedRecord(self.key, record, schema, self.operation, self.payload.get_ordering_value())

    def _without_data(self, call: str) -> PayloadFailedError:
        return PayloadFailedError(
            f"{type(self.payload).__name__} has no value for {call} (key {self.record_key!r}, No value present in "
            "Option); check is_delete first"
        )
