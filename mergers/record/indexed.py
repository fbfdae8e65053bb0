"""HoodieAvroIndexedRecord: a version as plain Avro data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mergers.errors import MergerConfigError, UnsupportedRecordOperationError
from mergers.record.base import DELETE, HoodieKey, HoodieRecord, PlainRecord
from mergers.record.context import is_delete_row
from mergers.record.rewrites import RewritableRecord
from payloads.api import SENTINEL
from payloads.errors import SchemaError
from payloads.ordering import NATURAL_ORDER, Ordering
from payloads.ordering_fields import CONSISTENT_TIMESTAMP, context_value, is_true, list_reader, ordering_reader
from payloads.release import ByRelease, HudiRelease

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mergers.record.metadata import MetadataValues
    from payloads.api import Props
    from payloads.avro import AvroSchema, Record

# Looked up for each record, so without the call of `at`.
_READS_ITS_DATA = ByRelease(False, {"1.1": True}).rules


class HoodieAvroIndexedRecord(RewritableRecord, PlainRecord):
    """A version as plain Avro data: what storage passes to the merge, and a BufferedRecord of 1.1 and later.

    As a BufferedRecord it is a delete if its operation is `D` or `-U`, with data or without.

    Attributes:
        record: the data; None for a delete without data, SENTINEL for "leave the stored row as it is".
        schema: the schema of the data; None only for a delete without data that lost it (a DeleteRecord of a log).
        ordering_value: from 1.1 on a buffered record carries it; None is Java's null.
    """

    __slots__ = ()

    def to_indexed_record(self, schema: AvroSchema, props: Props) -> HoodieAvroIndexedRecord | None:  # noqa: ARG002
        """Return this record; its data keeps its own schema."""
        return self

    def get_column_values(
        self,
        schema: AvroSchema,
        columns: Sequence[str],
        consistent_logical_timestamp_enabled: bool = False,  # noqa: ARG002, FBT001, FBT002 (Hudi ignores it here too)
        *,
        release: HudiRelease = HudiRelease.latest(),
    ) -> list[Any]:
        """Return the physical values of `columns`, dotted paths included; None for an unknown column.

        Raises:
            UnsupportedRecordOperationError: until 1.0, as in Hudi.
            SchemaError: a path leads through a null, or the version carries no data.
        """
        if not _READS_ITS_DATA[release]:
            raise UnsupportedRecordOperationError.from_call(
                type(self), f"get_column_values in {release}", "read the fields of its record"
            )
        data = self.data_for("get_column_values")
        return [context_value(schema, data, column, release)[1] for column in columns]

    def get_ordering_value(
        self,
        schema: AvroSchema,
        props: Props,
        ordering_fields: Sequence[str] | None = None,
        *,
        release: HudiRelease = HudiRelease.latest(),
    ) -> Ordering | None:
        """Return the value that the data has in the ordering fields, converted by logical type.

        No fields give Integer 0; a null or missing field gives None. `ordering_value` plays no part.

        Raises:
            SchemaError: an ordering field is a union of several types, or the version carries no data.
        """
        if ordering_fields is None:
            read = ordering_reader(schema, props, release)
        else:
            consistent = is_true(props.get(CONSISTENT_TIMESTAMP))
            read = list_reader(schema, tuple(ordering_fields), consistent=consistent)
        return NATURAL_ORDER if read is None else read(self.data_for("get_ordering_value"))

    def join_with(self, other: HoodieRecord, target_schema: AvroSchema) -> HoodieAvroIndexedRecord:
        """Return the fields of both in one record, as bootstrap does; where both have a field, `other` wins.

        Fields of the target that neither has are null.

        Raises:
            SchemaError: the target lacks a field that one of them has, or one has no data.
            MergerConfigError: `other` is not plain data.
        """
        if not isinstance(other, HoodieAvroIndexedRecord):
            msg = f"join_with takes plain data on both sides, not {type(other).__name__}; use its to_indexed_record"
            raise MergerConfigError(msg)
        joined = {**self.data_for("join_with"), **other.data_for("join_with")}
        for field in joined:
            if field not in target_schema.by_name:
                raise SchemaError.from_missing_field(field, target_schema.by_name)
        return self._with({field.name: joined.get(field.name) for field in target_schema.fields}, target_schema)

    def update_metadata_values(
        self,
        record_schema: AvroSchema,
        props: Props,  # noqa: ARG002
        metadata_values: MetadataValues,
    ) -> HoodieAvroIndexedRecord:
        """Return the data with other values in its meta columns.

        Raises:
            SchemaError: `record_schema` lacks one of the meta columns, or the version carries no data.
        """
        data = self.data_for("update_metadata_values")
        return self._with(metadata_values.applied_to(data, record_schema), self.schema)

    def is_delete(
        self,
        schema: AvroSchema,
        props: Props,
        *,
        release: HudiRelease = HudiRelease.latest(),
    ) -> bool:
        """Whether there is no data, the operation is `D`, or the data marks itself; until 1.0 never.

        Raises:
            PayloadConfigError, SchemaError: see `mergers.record.context.is_delete_row`.
        """
        if not _READS_ITS_DATA[release]:
            return False
        if self.record is None or self.operation == DELETE:
            return True
        return self.record is not SENTINEL and is_delete_row(self.record, schema, props)

    def should_ignore(self, schema: AvroSchema, props: Props) -> bool:  # noqa: ARG002
        """Whether the data is SENTINEL."""
        return self.record is SENTINEL

    def new_instance(self, key: HoodieKey | None = None, operation: str | None = None) -> HoodieAvroIndexedRecord:
        """Return the same data under another key or operation; the ordering value stays."""
        return HoodieAvroIndexedRecord(
            self.key if key is None else key,
            self.record,
            self.schema,
            self.operation if operation is None else operation,
            self.ordering_value,
        )

    def _read(self, call: str, schema: AvroSchema) -> Record:  # noqa: ARG002 (the data has its own)
        return self.data_for(call)

    def _with(self, record: Record, schema: AvroSchema | None) -> HoodieAvroIndexedRecord:
        return HoodieAvroIndexedRecord(self.key, record, schema, self.operation, self.ordering_value)

    def data_for(self, call: str) -> Record:
        """Return the data, which `call` requires.

        Raises:
            SchemaError: there is none.
        """
        if self.record is None or self.record is SENTINEL:
            raise self._without_data(call)
        data: Record = self.record
        return data
