"""HoodieFlinkRecord: the carrier of the FLINK record type, a row of PyFlink with its RowKind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from mergers.errors import MergerConfigError, UnsupportedRecordOperationError
from mergers.record.base import DELETE, DELETE_OPERATIONS, INSERT, UPDATE_AFTER, HoodieKey, HoodieRecord
from mergers.record.context import is_delete_row
from mergers.record.flink_rows import FlinkRow, operation_of, row_class, to_record, to_row, with_operation
from mergers.record.indexed import HoodieAvroIndexedRecord
from mergers.record.metadata import OPERATION_COLUMN
from mergers.record.rewrites import RewritableRecord
from payloads.builtin import DELETE_FIELD, IS_DELETED
from payloads.errors import SchemaError
from payloads.ordering import NATURAL_ORDER, Ordering
from payloads.ordering_fields import CONSISTENT_TIMESTAMP, context_value, field_reader, is_true, path_parts
from payloads.ordering_fields import ordering_fields as fields_of
from payloads.release import HudiRelease

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from payloads.api import Props
    from payloads.avro import AvroSchema, Record


class HoodieFlinkRecord(RewritableRecord):
    """A version as a Flink row: what a FLINK merger merges (org.apache.hudi.client.model.HoodieFlinkRecord).

    Values are read by position, in the order of the schema that a call gets. PyFlink is needed only to make a row from
    an Avro record (`from_record`); a rewritten version keeps the class of its row.

    `get_column_values` and `join_with` work as on plain data; Hudi's class refuses both.

    Attributes:
        row: the row; None for a delete without data.
        operation: that of the RowKind, unless another is given.
        ordering_value: what the version came with; None to read it from the row.
    """

    __slots__ = ("ordering_value", "row")

    def __init__(
        self,
        key: HoodieKey | None,
        row: FlinkRow | None,
        operation: str | None = None,
        ordering_value: Ordering | None = None,
    ) -> None:
        if row is not None:
            operation = operation_of(row) if operation is None else operation
            row = row if operation == operation_of(row) else with_operation(row, operation)
        super().__init__(key, operation)
        self.row = row
        self.ordering_value = ordering_value

    @classmethod
    def from_record(
        cls,
        key: HoodieKey | None,
        record: Record,
        schema: AvroSchema,
        operation: str = INSERT,
        ordering_value: Ordering | None = None,
    ) -> HoodieFlinkRecord:
        """Return an Avro record as a version.

        Raises:
            MergerConfigError: PyFlink is not installed.
        """
        return cls(key, to_row(record, schema, operation, row_class()), operation, ordering_value)

    @property
    def marked_delete(self) -> bool:
        """Whether the version has no data, or its operation is `D` or `-U`."""
        return self.row is None or self.operation in DELETE_OPERATIONS

    def to_indexed_record(
        self, schema: AvroSchema, props: Props, *, release: HudiRelease = HudiRelease.latest()
    ) -> HoodieAvroIndexedRecord | None:
        """Return the row as plain data with key, operation and ordering value; None if it has none.

        `release` decides which of `props` name the ordering fields.

        Raises:
            SchemaError: a value does not fit `schema`.
        """
        if self.row is None:
            return None
        ordering = self.get_ordering_value(schema, props, release=release)
        return HoodieAvroIndexedRecord(self.key, to_record(self.row, schema), schema, self.operation, ordering)

    def get_column_values(
        self,
        schema: AvroSchema,
        columns: Sequence[str],
        consistent_logical_timestamp_enabled: bool = False,  # noqa: ARG002, FBT001, FBT002 (as on plain data)
    ) -> list[Any]:
        """Return the physical values of `columns`, dotted paths included; None for an unknown column.

        Raises:
            SchemaError: a path leads through a null, or the version carries no data.
        """
        row = self._row_for("get_column_values")
        data = to_record(row, schema, {path_parts(column)[0] for column in columns})
        return [context_value(schema, data, column)[1] for column in columns]

    def get_ordering_value(
        self,
        schema: AvroSchema,
        props: Props,
        ordering_fields: Sequence[str] | None = None,
        *,
        release: HudiRelease = HudiRelease.latest(),
    ) -> Ordering | None:
        """Return the ordering value that the version came with, else the one of its row.

        Without ordering fields, or without data, it is Integer 0; a field that the schema lacks at its top level is
        Integer 0, too (HoodieFlinkRecord.doGetOrderingValue), and a null is None.

        Raises:
            SchemaError: an ordering field is a union of several types.
        """
        if self.ordering_value is not None:
            return self.ordering_value
        fields = tuple(fields_of(props, release) or () if ordering_fields is None else ordering_fields)
        if not fields or self.row is None:
            return NATURAL_ORDER
        readers = schema.derived(_ordering_readers, fields, is_true(props.get(CONSISTENT_TIMESTAMP)))
        data = to_record(self.row, schema, frozenset(fields))
        values = [read(data) for read in readers]
        return values[0] if len(values) == 1 else Ordering("array", tuple(values))

    def join_with(self, other: HoodieRecord, target_schema: AvroSchema) -> HoodieFlinkRecord:
        """Return the values of both, by name, in one row; where both have a field, `other` wins.

        Raises:
            SchemaError: the target lacks a field that one of them has, or one has no data, or no names.
            MergerConfigError: `other` is no row of Flink.
        """
        if not isinstance(other, HoodieFlinkRecord):
            msg = f"join_with needs Flink rows on both sides, not {type(other).__name__}; convert it to one"
            raise MergerConfigError(msg)
        row = self._row_for("join_with")
        joined = {**_named(row), **_named(other._row_for("join_with"))}  # noqa: SLF001 (of the same class)
        for name in joined:
            if name not in target_schema.by_name:
                raise SchemaError.from_missing_field(name, target_schema.by_name)
        made = type(row)(*(joined.get(field.name) for field in target_schema.fields))
        made.set_field_names([field.name for field in target_schema.fields])
        return HoodieFlinkRecord(self.key, made, self.operation, self.ordering_value)

    def is_delete(self, schema: AvroSchema, props: Props) -> bool:
        """Whether there is no data, the operation is `D`, or the row marks itself.

        Raises:
            PayloadConfigError, SchemaError: see `mergers.record.context.is_delete_row`.
        """
        if self.row is None or self.operation == DELETE:
            return True
        marker = path_parts(props.get(DELETE_FIELD) or "")
        told = to_record(self.row, schema, {IS_DELETED, OPERATION_COLUMN, *marker[:1]})
        return is_delete_row(told, schema, props)

    def new_instance(self, key: HoodieKey | None = None, operation: str | None = None) -> HoodieFlinkRecord:
        """Return the version under another key, or with another operation, which also sets its RowKind."""
        return HoodieFlinkRecord(
            self.key if key is None else key,
            self.row,
            self.operation if operation is None else operation,
            self.ordering_value,
        )

    def filled_from(self, other: HoodieFlinkRecord, ordering_value: Ordering | None) -> HoodieFlinkRecord:
        """Return the row with its nulls taken from `other`, whose values are in the same order.

        Raises:
            SchemaError: one of them has no data.
        """
        row, fills = self._row_for("filled_from"), other._row_for("filled_from")
        values = [fills[at] if row[at] is None else row[at] for at in range(len(row))]
        made = type(row)(*values)
        if (names := getattr(row, "_fields", None)) is not None:
            made.set_field_names(list(names))
        return HoodieFlinkRecord(self.key, made, self.operation, ordering_value)

    def with_record(self, record: Record, schema: AvroSchema, ordering_value: Ordering | None) -> HoodieFlinkRecord:
        """Return other data under the same key as a live row: `I` stays `I`, any other operation becomes `U`.

        Raises:
            MergerConfigError: this version has no row, and PyFlink is not installed.
        """
        operation = INSERT if self.operation in {None, INSERT} else UPDATE_AFTER
        rows = row_class() if self.row is None else type(self.row)
        return HoodieFlinkRecord(self.key, to_row(record, schema, operation, rows), operation, ordering_value)

    def _with(self, record: Record, schema: AvroSchema) -> HoodieFlinkRecord:
        row = to_row(record, schema, self.operation, type(self._row_for("a new row")))
        return HoodieFlinkRecord(self.key, row, self.operation, self.ordering_value)

    def _read(self, call: str, schema: AvroSchema) -> Record:
        return to_record(self._row_for(call), schema)

    def _row_for(self, call: str) -> FlinkRow:
        if self.row is None:
            raise self._without_data(call)
        return self.row

    def _refuse(self, call: str, *_: object) -> NoReturn:
        raise UnsupportedRecordOperationError.from_call(
            type(self), call, "convert the version to HoodieAvroIndexedRecord (to_indexed_record)"
        )


def _ordering_readers(
    schema: AvroSchema,
    fields: tuple[str, ...],
    is_consistent: bool,  # noqa: FBT001 (a key of what is kept)
) -> list[Callable[[Record], Ordering | None]]:
    """Return what reads each ordering field; one that the schema lacks is Integer 0."""
    return [
        field_reader(schema, field, consistent=is_consistent) if field in schema.by_name else _natural
        for field in fields
    ]


def _natural(_record: Record) -> Ordering:
    return NATURAL_ORDER


def _named(row: FlinkRow) -> dict[str, Any]:
    names = getattr(row, "_fields", None)
    if names is None:
        msg = "join_with matches columns by name, and the row has no names; call its set_field_names"
        raise SchemaError(msg)
    return {name: row[index] for index, name in enumerate(names)}
