"""What Hudi's record context (from 1.1) reads from a row: its ordering value and whether it is a delete."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mergers.record.base import DELETE_OPERATIONS, OPERATIONS
from mergers.record.metadata import OPERATION_COLUMN
from payloads.avro import plain_text, value_text
from payloads.builtin import DELETE_FIELD, DELETE_MARKER, IS_DELETED
from payloads.errors import NullOrderingError, PayloadConfigError, SchemaError
from payloads.ordering import compare
from payloads.ordering_fields import context_reader, context_value, ordering_fields
from payloads.release import HudiRelease

if TYPE_CHECKING:
    from payloads.api import Props
    from payloads.avro import AvroSchema, Record
    from payloads.ordering import Ordering


def row_ordering_value(record: Record, schema: AvroSchema, props: Props, release: HudiRelease) -> Ordering:
    """Return the ordering value of a row, without conversion by logical type (RecordContext.getOrderingValue).

    Null and missing fields, also inside a list, read as Integer 0, and so does a table without ordering fields.

    Raises:
        SchemaError: a path leads through a null or through something other than a record.
        PayloadConfigError: a path has an empty part, from 1.2 on.
    """
    return schema.derived(context_reader, ordering_fields(props, release) or (), release)(record)


def is_commit_time_delete(version: Any) -> bool:
    """Whether a version deletes whatever is older: a delete with the ordering value Integer 0."""
    if not version.marked_delete:
        return False
    ordering = version.ordering_value
    return ordering is not None and ordering.is_default


def greater_ordering_value(older: Ordering | None, newer: Ordering | None) -> Ordering:
    """Return `older` where it is strictly greater, else `newer` (the rule that gives a delete its ordering value).

    Raises:
        NullOrderingError: one of them is null.
        OrderingTypeError: they have different Java classes.
    """
    if older is None or newer is None:
        msg = "the ordering value of a version is null and a delete needs the greater one; fill the ordering field"
        raise NullOrderingError(msg)
    return older if compare(older, newer) > 0 else newer


class DeleteContext:
    """What marks a row as a delete at one merge point (org.apache.hudi.common.model.DeleteContext).

    Any of these marks it: true in `_hoodie_is_deleted`; the marker of `hoodie.payload.delete.marker`, whose case
    counts, in the column of `hoodie.payload.delete.field`; `D` or `-U` in `_hoodie_operation`, where that is read.
    """

    __slots__ = ("_field", "_has_flag", "_has_operation", "_marker", "_release", "_schema")

    def __init__(
        self,
        props: Props,
        schema: AvroSchema,
        *,
        reads_operation: bool = True,
        release: HudiRelease = HudiRelease.latest(),
    ) -> None:
        """Bind to properties and schema.

        Args:
            props: a reader's own properties, or a writer's with the merge properties of the table.
            schema: the schema of the rows.
            reads_operation: readers do from 1.1 on; writers, and readers of 1.0, do not.
            release: whose reader this is.

        Raises:
            PayloadConfigError: one of the two properties is set without the other.
        """
        self._field, self._marker = props.get(DELETE_FIELD), props.get(DELETE_MARKER)
        if bool(self._field) != bool(self._marker):
            msg = f"either custom delete key or marker is not specified; set both {DELETE_FIELD} and {DELETE_MARKER}"
            raise PayloadConfigError(msg)
        self._schema = schema
        self._release = release
        self._has_flag = IS_DELETED in schema.by_name
        self._has_operation = reads_operation and OPERATION_COLUMN in schema.by_name

    def is_delete(self, record: Record) -> bool:
        """Whether a row marks itself as a delete.

        Raises:
            SchemaError: the flag is not a boolean, the operation is null or none of Hudi's codes, or the path to the
                marker's column leads through something other than a record.
        """
        if (self._has_flag and _is_true(record.get(IS_DELETED))) or (
            self._has_operation and _deletes(record.get(OPERATION_COLUMN))
        ):
            return True
        if not self._field:
            return False
        leaf, value = context_value(self._schema, record, self._field, self._release)
        return value is not None and value_text(leaf, value) == self._marker


def is_delete_row(
    record: Record, schema: AvroSchema, props: Props, release: HudiRelease = HudiRelease.latest()
) -> bool:
    """Whether a row marks itself as a delete, to a reader of 1.1 and later; errors as in `DeleteContext`."""
    return DeleteContext(props, schema, release=release).is_delete(record)


def _is_true(flag: object) -> bool:
    if flag is not None and not isinstance(flag, bool):
        msg = f"{IS_DELETED} holds {flag!r}, which can't be cast to boolean; make the column a boolean"
        raise SchemaError(msg)
    return flag is True


def _deletes(operation: object) -> bool:
    code = plain_text(operation)
    if code not in OPERATIONS:
        msg = f"{OPERATION_COLUMN} is {code}, and Hudi fails on that; use one of {', '.join(sorted(OPERATIONS))}"
        raise SchemaError(msg)
    return code in DELETE_OPERATIONS
