"""Rows between Arrow batches and Avro records of physical values, by a conversion that is compiled once per schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from bridge.engines.python.columns import check_fields, column_codec
from bridge.spark import META_COLUMNS, to_arrow_schema
from payloads import codegen
from payloads.errors import SchemaError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from pyspark.sql.types import StructType

    from bridge.engines.python.column_types import Rows
    from bridge.spark import ArrowColumn
    from payloads.avro import AvroSchema, Record, Value

_FAILURES = (SchemaError, pa.ArrowException, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


def arrow_schema(struct: StructType) -> pa.Schema:
    """Return the Arrow schema in which Spark hands over and takes back a frame of schema `struct`."""
    return to_arrow_schema(struct)


class RecordReader:
    """Makes Avro records of Arrow rows."""

    def __init__(self, schema: AvroSchema, arrow: pa.Schema, fields: Collection[str] | None = None) -> None:
        """Compile the conversion; columns that `schema` lacks are left out.

        Records have the `fields` of `schema` alone, where they are given.

        Raises:
            SchemaError: a field has no column, or one of another type.
        """
        made = {name: field for name, field in schema.by_name.items() if fields is None or name in fields}
        missing = [name for name in made if arrow.get_field_index(name) < 0]
        if missing:
            msg = f"the frame lacks or duplicates the columns {', '.join(missing)}; it has {', '.join(arrow.names)}"
            raise SchemaError(msg)
        self._make = codegen.record_maker(tuple(made))
        self._columns = [
            (arrow.get_field_index(name), column_codec(field.schema, arrow.field(name).type, name).read)
            for name, field in made.items()
        ]

    def rows(self, batch: pa.RecordBatch, indices: Rows | ArrowColumn | None = None) -> list[Record]:
        """Return the rows of `batch` at `indices`, in their order; all rows without.

        Raises:
            SchemaError: a value does not fit its field: a null, an unknown enum symbol, a fixed of another size.
        """
        if isinstance(indices, np.ndarray):
            indices = pa.array(indices)
        columns = [
            read(batch.column(index) if indices is None else batch.column(index).take(indices))
            for index, read in self._columns
        ]
        return self._make(columns, batch.num_rows if indices is None else len(indices))


def readable(
    reader: RecordReader, batch: pa.RecordBatch, rows: Rows, failed: Callable[[int, Exception], object]
) -> list[Any]:
    """Return the records of rows; None, and `failed` is told, where one does not fit its schema."""
    if not len(rows):
        return []
    try:
        return list(reader.rows(batch, rows))
    except Exception as error:  # noqa: BLE001 (whatever a conversion raises)
        if len(rows) == 1:
            failed(int(rows[0]), error)
            return [None]
    half = len(rows) // 2
    return readable(reader, batch, rows[:half], failed) + readable(reader, batch, rows[half:], failed)


def read_rows(
    reader: RecordReader, batch: pa.RecordBatch, rows: Rows, failed: Callable[[int, Exception], Exception]
) -> list[Record]:
    """Return the records of rows; of the first that does not fit its schema, `failed` makes the error to raise."""
    try:
        return reader.rows(batch, rows)
    except Exception as error:
        unread: dict[int, Exception] = {}
        readable(reader, batch, rows, unread.__setitem__)
        for row, reason in unread.items():
            raise failed(row, reason) from reason
        raise error from None


class UnfitRecordError(SchemaError):
    """A record does not fit its Avro schema.

    Attributes:
        reason: what does not fit; names the field.
        number: which of the records it is.
    """

    def __init__(self, reason: str, number: int) -> None:
        super().__init__(reason, number)
        self.reason = reason
        self.number = number

    def __str__(self) -> str:
        return self.reason


class RecordWriter:
    """Makes Arrow rows of Avro records."""

    def __init__(self, schema: AvroSchema, arrow: pa.Schema) -> None:
        """Compile the conversion; columns that `schema` lacks are given with each batch.

        Hudi's meta fields may lack a column, and are dropped then.

        Raises:
            SchemaError: another field has no column, or one of another type.
        """
        self._schema = schema
        self._arrow = arrow
        missing = [name for name in schema.by_name if name not in arrow.names and name not in META_COLUMNS]
        if missing:
            msg = f"the frame lacks columns for the fields {', '.join(missing)}; it has {', '.join(arrow.names)}"
            raise SchemaError(msg)
        self._writers = {
            field.name: column_codec(schema.by_name[field.name].schema, field.type, field.name).write
            for field in arrow
            if field.name in schema.by_name
        }

    @property
    def names(self) -> list[str]:
        """The columns, in order."""
        return list(self._arrow.names)

    def batch(
        self,
        records: Sequence[Record],
        extra: Mapping[str, ArrowColumn | Sequence[object]] | None = None,
    ) -> pa.RecordBatch:
        """Return `records` as a batch of the Arrow schema; `extra` has the columns that are no Avro fields.

        Raises:
            UnfitRecordError: a record does not fit the Avro schema or the columns; the message names the field.
            SchemaError: a column can't be null.
        """
        try:
            check_fields(records, len(self._schema.fields))
            written = {name: _written(write, name, records) for name, write in self._writers.items()}
        except _FAILURES as error:
            for number, record in enumerate(records):
                try:
                    self._schema.validate(record)
                    for name, write in self._writers.items():
                        _written(write, name, [record])
                except SchemaError as misfit:
                    raise UnfitRecordError(str(misfit), number) from error
            msg = f"records that fit the Avro schema don't fit the frame's columns: {error}"
            raise SchemaError(msg) from error
        columns = [
            written[field.name] if field.name in written else _given((extra or {})[field.name], field.type)
            for field in self._arrow
        ]
        for field, column in zip(self._arrow, columns, strict=True):
            if column.null_count and not field.nullable:
                msg = f"field {field.name!r}: a record has null, and the frame's column can't be null; make it nullable"
                raise SchemaError(msg)
        return pa.RecordBatch.from_arrays(columns, schema=self._arrow)


def _given(column: ArrowColumn | Sequence[object], arrow_type: pa.DataType) -> ArrowColumn:
    return column if isinstance(column, pa.Array) else pa.array(column, arrow_type)


def _written(write: Callable[[list[Value]], ArrowColumn], name: str, records: Sequence[Record]) -> ArrowColumn:
    try:
        return write([record[name] for record in records])
    except UnicodeEncodeError as error:
        around = error.object[max(0, error.start - 20) : error.end + 20]
        msg = f"field {name!r}: {around!r} has half of a surrogate pair, which is not a character"
        raise SchemaError(msg) from error
    except _FAILURES as error:
        msg = f"field {name!r}: {error}; check the column types"
        raise SchemaError(msg) from error
