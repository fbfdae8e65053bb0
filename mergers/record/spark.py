"""HoodieSparkRecord: the carrier of the SPARK record type, a struct column of a data frame."""

from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING, NoReturn

from mergers.errors import UnsupportedRecordOperationError
from mergers.record.base import DELETE_OPERATIONS, HoodieKey, HoodieRecord
from mergers.record.metadata import MetadataValues
from payloads.builtin import DELETE_FIELD, DELETE_MARKER, IS_DELETED
from payloads.errors import SchemaError
from payloads.ordering_fields import ordering_fields as fields_of
from payloads.ordering_fields import path_parts
from payloads.release import HudiRelease

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import Column

    from payloads.api import Props
    from payloads.avro import AvroSchema


class HoodieSparkRecord(HoodieRecord):
    """A version of *every* record of a data frame: what a SPARK merger merges.

    The struct column represents all rows at once, so values can't be read here: its methods return expressions
    (RFC-46's record API on Spark's rows), from which a merger builds its own. Keys are columns of the same frame; `key`
    is for callers that merge a single row.

    Attributes:
        column: a struct with the columns of the table; null for a delete without data.
    """

    __slots__ = ("_deletes", "column")

    def __init__(
        self, key: HoodieKey | None, column: Column, operation: str | None = None, *, deletes: Column | None = None
    ) -> None:
        """Take the struct; `deletes` is what `marked_delete` gives where the operation does not say so."""
        super().__init__(key, operation)
        self.column = column
        self._deletes = deletes

    @property
    def marked_delete(self) -> Column:  # type: ignore[override]  # an expression of it
        """Whether a version is a delete to the merge (BufferedRecord.isDelete).

        A stored row never is, whatever its flag says: `is_delete` is what looks at its data.
        """
        from pyspark.sql import functions as sf  # noqa: PLC0415 (Spark is loaded by what merges its rows alone)

        if self.operation in DELETE_OPERATIONS:
            return sf.lit(True)
        return self.column.isNull() if self._deletes is None else self._deletes

    def get_column_values(
        self,
        schema: AvroSchema,
        columns: Sequence[str],
        consistent_logical_timestamp_enabled: bool = False,  # noqa: ARG002, FBT001, FBT002 (Hudi ignores it here too)
    ) -> list[Column]:
        """Return the columns, dotted paths included; null where a column is unknown, as where it is null."""
        return [self._at(schema, column) for column in columns]

    def get_ordering_value(  # type: ignore[override]  # an expression of the value
        self,
        schema: AvroSchema,
        props: Props,
        ordering_fields: Sequence[str] | None = None,
        *,
        release: HudiRelease = HudiRelease.latest(),
    ) -> Column:
        """Return the value of the ordering fields: a struct of several, Integer 0 for none, null for a null."""
        from pyspark.sql import functions as sf  # noqa: PLC0415 (Spark is loaded by what merges its rows alone)

        fields = fields_of(props, release) if ordering_fields is None else tuple(ordering_fields)
        if not fields:
            return sf.lit(0)
        values = [self._at(schema, field) for field in fields]
        return values[0] if len(values) == 1 else sf.struct(*(value.alias(f"v{n}") for n, value in enumerate(values)))

    def rewrite_record(
        self,
        record_schema: AvroSchema,
        props: Props,  # noqa: ARG002
        target_schema: AvroSchema,
        metadata_values: MetadataValues | None = None,
    ) -> HoodieSparkRecord:
        """Return the columns of `target_schema`, those that are new null, with the meta columns filled.

        Raises:
            SchemaError: a value is given for a meta column that the target lacks.
        """
        return self._rewritten(record_schema, target_schema, metadata_values or MetadataValues(), {})

    def rewrite_record_with_new_schema(
        self,
        record_schema: AvroSchema,
        props: Props,  # noqa: ARG002
        new_schema: AvroSchema,
        renames: Mapping[str, str] | None = None,
    ) -> HoodieSparkRecord:
        """Return the columns of `new_schema`: by name or rename (top-level columns alone), numbers widened, else null.

        Raises:
            SchemaError: a column changes its type otherwise.
        """
        return self._rewritten(record_schema, new_schema, MetadataValues(), renames or {})

    def update_metadata_values(
        self,
        record_schema: AvroSchema,
        props: Props,  # noqa: ARG002
        metadata_values: MetadataValues,
    ) -> HoodieSparkRecord:
        """Return the same columns with other values in the meta columns.

        Raises:
            SchemaError: `record_schema` lacks one of the meta columns.
        """
        return self._rewritten(record_schema, record_schema, metadata_values, {})

    def is_delete(self, schema: AvroSchema, props: Props) -> Column:  # type: ignore[override]  # an expression of it
        """Return whether a version has no data, is flagged, or has the custom marker; never null.

        Raises:
            SchemaError: the flag is not a boolean.
        """
        from pyspark.sql import functions as sf  # noqa: PLC0415 (as above)

        tests = [self.column.isNull()]
        flag = schema.by_name.get(IS_DELETED)
        if flag is not None:
            if flag.schema.non_null.kind != "boolean":
                msg = f"{IS_DELETED} is of the type {flag.schema.non_null.kind}; make the column a boolean"
                raise SchemaError(msg)
            tests.append(sf.coalesce(self._at(schema, IS_DELETED), sf.lit(False)))
        field, marker = props.get(DELETE_FIELD), props.get(DELETE_MARKER)
        if field and marker:
            tests.append(sf.coalesce(self._at(schema, field).cast("string") == marker, sf.lit(False)))
        return functools.reduce(operator.or_, tests)

    def should_ignore(self, schema: object, props: object) -> bool:  # noqa: ARG002
        """Never: a SPARK merger returns a row or a delete."""
        return False

    def new_instance(self, key: HoodieKey | None = None, operation: str | None = None) -> HoodieSparkRecord:
        """Return the same column under another key or operation."""
        return HoodieSparkRecord(
            self.key if key is None else key,
            self.column,
            self.operation if operation is None else operation,
            deletes=self._deletes,
        )

    def _with(self, column: Column) -> HoodieSparkRecord:
        return HoodieSparkRecord(self.key, column, self.operation, deletes=self._deletes)

    def _at(self, schema: AvroSchema, path: str) -> Column:
        from pyspark.sql import functions as sf  # noqa: PLC0415 (as above)

        column, plain = self.column, schema
        for part in path_parts(path):
            if plain.kind != "record" or part not in plain.by_name:
                return sf.lit(None)
            column, plain = column.getField(part), plain.by_name[part].schema.non_null
        return column

    def _rewritten(
        self, old: AvroSchema, new: AvroSchema, values: MetadataValues, renames: Mapping[str, str]
    ) -> HoodieSparkRecord:
        from pyspark.sql import functions as sf  # noqa: PLC0415 (as above)

        given = values.by_column(new)
        columns = []
        for field in new.fields:
            before = renames.get(field.name, field.name)
            if field.name in given:
                column = sf.lit(given[field.name])
            elif before in old.by_name:
                column = _widened(self.column.getField(before), old.by_name[before].schema, field.schema, field.name)
            else:
                plain = field.schema.non_null
                column = sf.lit(None).cast(_SQL.get(plain.logical or plain.kind, "void"))
            columns.append(column.alias(field.name))
        return self._with(sf.when(self.column.isNotNull(), sf.struct(*columns)))

    def _refuse(self, call: str, *_: object) -> NoReturn:
        raise UnsupportedRecordOperationError.from_call(
            type(self), call, "write it as an expression on its column, or merge on the Avro engine"
        )


_SQL = {
    "string": "string",
    "int": "int",
    "long": "bigint",
    "float": "float",
    "double": "double",
    "boolean": "boolean",
    "bytes": "binary",
    "date": "date",
    "timestamp-micros": "timestamp",
}
_WIDER = {"int": ("long", "float", "double"), "long": ("float", "double"), "float": ("double",)}


def _widened(column: Column, old: AvroSchema, new: AvroSchema, name: str) -> Column:
    before, after = old.non_null, new.non_null
    if before.kind == after.kind:
        return column
    if after.kind not in _WIDER.get(before.kind, ()):
        msg = f"the column {name!r} can't be converted from {before.kind} to {after.kind}; cast it in the merger"
        raise SchemaError(msg)
    return column.cast(_SQL[after.kind])
