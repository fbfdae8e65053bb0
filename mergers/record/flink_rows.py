"""Flink's rows: what of PyFlink's `Row` is used, and their values as Avro's physical values and back."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, Final, Protocol

from mergers.errors import MergerConfigError
from mergers.record.base import DELETE, INSERT, UPDATE_AFTER, UPDATE_BEFORE
from payloads.avro import to_logical, to_physical
from payloads.errors import SchemaError

if TYPE_CHECKING:
    from payloads.avro import AvroSchema, Record

_OPERATIONS: Final = {"INSERT": INSERT, "UPDATE_BEFORE": UPDATE_BEFORE, "UPDATE_AFTER": UPDATE_AFTER, "DELETE": DELETE}
_KINDS: Final = {operation: kind for kind, operation in _OPERATIONS.items()}
_Read = Callable[[Any], Any]


class FlinkRow(Protocol):
    """The methods of `pyflink.common.Row` that are needed: values by position, their names, and the RowKind.

    Its class makes a row of values (`Row(*values)`), of the kind INSERT.
    """

    def __init__(self, *values: Any) -> None:
        """Make a row of values."""

    def __getitem__(self, position: int, /) -> Any:
        """Return the value at a position."""

    def __len__(self) -> int:
        """Return the number of values."""

    def get_row_kind(self) -> Any:
        """Return the kind, a member of the enum RowKind."""

    def set_row_kind(self, row_kind: object) -> None:
        """Set the kind."""

    def set_field_names(self, field_names: list[str]) -> None:
        """Name the values."""


def row_class() -> type[FlinkRow]:
    """Return PyFlink's `Row`.

    Raises:
        MergerConfigError: PyFlink is not installed.
    """
    try:
        from pyflink.common import Row  # noqa: PLC0415 (an extra, loaded by what makes its rows alone)
    except ImportError as error:
        msg = f"Flink rows need PyFlink ({error}); install hudi-payload-bridge[flink]"
        raise MergerConfigError(msg) from error
    found: type[FlinkRow] = Row
    return found


def operation_of(row: FlinkRow) -> str:
    """Return the code of HoodieOperation that a RowKind stands for: `I`, `-U`, `U` or `D`."""
    return _OPERATIONS[row.get_row_kind().name]


def with_operation(row: FlinkRow, operation: str) -> FlinkRow:
    """Return a copy of a row whose RowKind is that of an operation; the names of its values stay."""
    copy = type(row)(*(row[position] for position in range(len(row))))
    names = getattr(row, "_fields", None)
    if names is not None:
        copy.set_field_names(list(names))
    copy.set_row_kind(type(row.get_row_kind())[_KINDS[operation]])
    return copy


def to_record(row: FlinkRow, schema: AvroSchema, names: Collection[str] | None = None) -> Record:
    """Return the values of a row, which has those of `schema` in its order, as an Avro record.

    A datetime without a zone is one in UTC (Hudi's `hoodie.datasource.write.utc.timezone`, true by default).

    Args:
        row: the row.
        schema: its schema.
        names: the top-level fields to read; None for all.

    Raises:
        SchemaError: the row has another number of values, or a value does not fit.
    """
    if len(row) != len(schema.fields):
        msg = f"the row has {len(row)} values, and its schema {len(schema.fields)} fields; give the schema of the row"
        raise SchemaError(msg)
    readers = schema.derived(_field_readers)
    record = {name: read(row[index]) for name, (index, read) in readers.items() if names is None or name in names}
    return to_physical(record, schema)


def to_row(record: Record, schema: AvroSchema, operation: str | None, rows: type[FlinkRow]) -> FlinkRow:
    """Return an Avro record as a row of the class `rows`, with the names of its fields; without operation an insert."""
    row: FlinkRow = _written(to_logical(record, schema), schema, rows)
    return row if operation in {None, INSERT} else with_operation(row, str(operation))


def _field_readers(schema: AvroSchema) -> dict[str, tuple[int, _Read]]:
    return {field.name: (index, _reader(field.schema)) for index, field in enumerate(schema.fields)}


def _reader(schema: AvroSchema) -> _Read:
    """Return what makes of a Flink value, or of null, one that `to_physical` takes."""
    plain = schema.non_null
    match plain.kind:
        case "record":  # its fields not before a row needs them: the schema may contain itself
            return lambda row: row if row is None or isinstance(row, dict) else to_record(row, plain)
        case "array":
            items = _reader(plain.items)
            return lambda values: None if values is None else [items(value) for value in values]
        case "map":
            entries = _reader(plain.values)
            return lambda found: None if found is None else {key: entries(value) for key, value in found.items()}
        case "bytes" | "fixed":
            return lambda value: bytes(value) if isinstance(value, bytearray) else value
        case "long" if (plain.logical or "").startswith("timestamp-"):
            return _in_utc
    return lambda value: value


def _in_utc(value: object) -> Any:
    if isinstance(value, datetime.datetime) and value.tzinfo is None:
        return value.replace(tzinfo=datetime.timezone.utc)
    return value


def _written(value: Any, schema: AvroSchema, rows: type[FlinkRow]) -> Any:
    """Return a logical value as PyFlink has it: rows for records, and no zones."""
    plain = schema.non_null
    if value is None or plain.kind == "union":
        return value
    if plain.kind == "record":
        row = rows(*(_written(value[field.name], field.schema, rows) for field in plain.fields))
        row.set_field_names([field.name for field in plain.fields])
        return row
    if plain.kind == "array":
        return [_written(item, plain.items, rows) for item in value]
    if plain.kind == "map":
        return {key: _written(item, plain.values, rows) for key, item in value.items()}
    return value.replace(tzinfo=None) if isinstance(value, datetime.datetime) else value
