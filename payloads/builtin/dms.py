"""AWSDmsAvroPayload: change rows of AWS Database Migration Service, with their operation in the column `Op`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from payloads.avro import plain_text
from payloads.builtin.base import BaseAvroPayload, flag_tests, text_tests
from payloads.builtin.overwrite import OverwriteWithLatestAvroPayload
from payloads.errors import PayloadFailedError, SchemaError
from payloads.release import by_release

if TYPE_CHECKING:
    from payloads.api import Props, Sentinel
    from payloads.avro import AvroSchema, Record
    from payloads.builtin.base import DeleteTest

DMS_OPERATION_FIELD = "Op"
DELETE_OPERATION = "D"


class AWSDmsAvroPayload(OverwriteWithLatestAvroPayload):
    """Overwrite with the incoming version; `Op` = D (any case) or `_hoodie_is_deleted` deletes.

    Within a batch the greater ordering value wins; against the stored row ordering plays no part.

    Added in 0.1.0.
    """

    __slots__ = ()

    java_name = "org.apache.hudi.common.model.AWSDmsAvroPayload"
    aliases = by_release(("org.apache.hudi.payload.AWSDmsAvroPayload",), since={"1.1": ()})

    pre_combine = BaseAvroPayload._greater_ordering_wins  # noqa: SLF001

    @classmethod
    def insert_tests(cls, schema: AvroSchema, props: Props) -> tuple[DeleteTest, ...] | None:
        """Return the tests of operation and flag; None without the operation column, where each record fails."""
        operation = text_tests(schema, DMS_OPERATION_FIELD, DELETE_OPERATION, ignore_case=True)
        return (*operation, *flag_tests(schema)) if operation else None

    def is_delete_record(self, record: Record) -> bool:
        """Whether `Op` is D, or `_hoodie_is_deleted` is true.

        Raises:
            SchemaError: the record has no field `Op`.
        """
        if DMS_OPERATION_FIELD not in record:
            msg = (
                f"{type(self).__name__}: the record has no field {DMS_OPERATION_FIELD!r}, only {', '.join(record)}; "
                "add the operation column of DMS or choose another payload"
            )
            raise SchemaError(msg)
        operation = record[DMS_OPERATION_FIELD]
        is_delete = operation is not None and plain_text(operation).upper() == DELETE_OPERATION
        return is_delete or super().is_delete_record(record)

    def get_insert_value(self, schema: AvroSchema, props: Props | None = None) -> Record | Sentinel | None:
        """Return the record.

        Raises:
            PayloadFailedError: the version is a delete; Hudi unwraps the absent record in all releases.
        """
        if self.flagged:
            msg = (
                f"{type(self).__name__} has no insert value for a delete (No value present in Option); "
                "Hudi fails here too: drop deletes of unknown keys before they reach this call"
            )
            raise PayloadFailedError(msg)
        return self.record
