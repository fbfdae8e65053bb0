"""Hudi's meta columns and the values that a write puts into them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from payloads.errors import SchemaError

if TYPE_CHECKING:
    from payloads.avro import AvroSchema, Record

META_COLUMNS: Final = (
    "_hoodie_commit_time",
    "_hoodie_commit_seqno",
    "_hoodie_record_key",
    "_hoodie_partition_path",
    "_hoodie_file_name",
)
"""The meta columns that every table with meta columns has, in their order."""

OPERATION_COLUMN: Final = "_hoodie_operation"
"""The sixth meta column, which only tables that keep the operation have."""


class MetadataValues(NamedTuple):
    """Values of the meta columns (org.apache.hudi.common.model.MetadataValues); None leaves a column as it is."""

    commit_time: str | None = None
    commit_seqno: str | None = None
    record_key: str | None = None
    partition_path: str | None = None
    file_name: str | None = None
    operation: str | None = None

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to write."""
        return not any(value is not None for value in self)

    def by_column(self, schema: AvroSchema) -> dict[str, str]:
        """Return what there is to write, by meta column.

        Raises:
            SchemaError: `schema` has no such meta column.
        """
        columns = zip((*META_COLUMNS, OPERATION_COLUMN), self, strict=True)
        written = {column: value for column, value in columns if value is not None}
        for column in written:
            if column not in schema.by_name:
                raise SchemaError.from_missing_field(column, schema.by_name)
        return written

    def applied_to(self, record: Record, schema: AvroSchema) -> Record:
        """Return `record` with these values; `record` itself if there is nothing to write.

        Raises:
            SchemaError: `schema` has no such meta column.
        """
        written = self.by_column(schema)
        return {**record, **written} if written else record
