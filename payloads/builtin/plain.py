"""Payload classes without a merge rule of their own: they wrap a row or represent a delete."""

from __future__ import annotations

from typing import TYPE_CHECKING

from payloads.builtin.base import BuiltinPayload
from payloads.builtin.rules import NEWER
from payloads.errors import PayloadFailedError, UnsupportedPayloadOperationError
from payloads.ordering import NATURAL_ORDER, Ordering
from payloads.rules import Case, Effect, Error, ErrorKind, IsEmpty, MergeRule, Point

if TYPE_CHECKING:
    from typing import NoReturn

    from payloads.api import HoodieRecordPayload, Props, Sentinel
    from payloads.avro import AvroSchema, Record


class HoodieAvroPayload(BuiltinPayload, heads_family=True):
    """Wraps an existing row: the later arrival wins, and nothing in the row marks a delete.

    The ordering value is ignored and may be None, Java's null.
    """

    __slots__ = ()

    java_name = "org.apache.hudi.common.model.HoodieAvroPayload"

    def __init__(self, record: Record | None, ordering_value: Ordering | None = NATURAL_ORDER) -> None:
        self.record = record
        self.ordering_value = ordering_value  # type: ignore[assignment]  # the one class that lets null pass

    @classmethod
    def rule(cls, point: Point, schema: AvroSchema, props: Props) -> MergeRule | None:
        """Return that the newer version is taken; where it is decoded, as a copy."""
        if point is Point.BATCH:
            return MergeRule()
        return MergeRule(cases=(Case(IsEmpty(NEWER), Effect.DELETE),), otherwise=Effect.COPY)

    def pre_combine(
        self,
        older: HoodieRecordPayload,
        schema: AvroSchema | None = None,
        props: Props | None = None,
    ) -> HoodieRecordPayload:
        """Return `self`."""
        self.check_family(older)
        return self

    def combine_and_get_update_value(
        self,
        current: Record,
        schema: AvroSchema,
        props: Props | None = None,
    ) -> Record | Sentinel | None:
        """Return the record."""
        return self._java_insert(schema)

    def get_insert_value(self, schema: AvroSchema, props: Props | None = None) -> Record | Sentinel | None:
        """Return the record, None if there is none."""
        return self._java_read(schema) if self.is_extended else self.record

    _java_insert = get_insert_value

    def get_record_bytes(self) -> bytes:
        """Return the record in Avro's binary coding, empty without a record.

        Raises:
            PayloadConfigError: no call has passed the schema yet.
        """
        return self._java_bytes("getRecordBytes")


class EmptyHoodieRecordPayload(BuiltinPayload, heads_family=True):
    """A delete without data. It ignores its arguments; its ordering value is Integer 0."""

    __slots__ = ()

    java_name = "org.apache.hudi.common.model.EmptyHoodieRecordPayload"

    def __init__(self, record: Record | None = None, ordering_value: Ordering | None = None) -> None:
        super().__init__(None)

    @classmethod
    def rule(cls, point: Point, schema: AvroSchema, props: Props) -> MergeRule | None:
        """Return that it deletes; of two such deletes the older one stays."""
        return MergeRule(otherwise=Effect.CURRENT if point is Point.BATCH else Effect.DELETE)

    def pre_combine(
        self,
        older: HoodieRecordPayload,
        schema: AvroSchema | None = None,
        props: Props | None = None,
    ) -> HoodieRecordPayload:
        """Return `older`, which is a delete without data as well."""
        self.check_family(older)
        return older

    def combine_and_get_update_value(
        self,
        current: Record,
        schema: AvroSchema,
        props: Props | None = None,
    ) -> None:
        """Return None: delete the stored row."""

    def get_insert_value(self, schema: AvroSchema, props: Props | None = None) -> None:
        """Return None: store nothing."""

    _java_insert = get_insert_value


class RewriteAvroPayload(BuiltinPayload, heads_family=True):
    """Passes a rewritten row to a writer. It takes no ordering value and can't be merged in a batch."""

    __slots__ = ()

    java_name = "org.apache.hudi.common.model.RewriteAvroPayload"
    takes_ordering = False

    def __init__(self, record: Record | None) -> None:
        super().__init__(record)

    @classmethod
    def rule(cls, point: Point, schema: AvroSchema, props: Props) -> MergeRule | None:
        """Return that the newer version is taken, and that it fails without a record, or in a batch."""
        if point is Point.BATCH:
            return MergeRule(otherwise=Error(ErrorKind.UNSUPPORTED))
        return MergeRule(cases=(Case(IsEmpty(NEWER), Error(ErrorKind.FAILED)),), otherwise=Effect.INCOMING)

    def pre_combine(
        self,
        older: HoodieRecordPayload,
        schema: AvroSchema | None = None,
        props: Props | None = None,
    ) -> NoReturn:
        """Refuse.

        Raises:
            UnsupportedPayloadOperationError: always.
        """
        msg = f"{type(self).__name__} does not support pre_combine; choose another payload for batches with duplicates"
        raise UnsupportedPayloadOperationError(msg)

    def combine_and_get_update_value(
        self,
        current: Record,
        schema: AvroSchema,
        props: Props | None = None,
    ) -> Record | Sentinel | None:
        """Return the record.

        Raises:
            PayloadFailedError: there is none.
        """
        return self._java_insert(schema)

    def get_insert_value(self, schema: AvroSchema, props: Props | None = None) -> Record | Sentinel | None:
        """Return the record.

        Raises:
            PayloadFailedError: there is none.
        """
        if self.record is None:
            msg = f"{type(self).__name__} was built without a record; Hudi fails here too: give it one or drop the row"
            raise PayloadFailedError(msg)
        return self.record

    _java_insert = get_insert_value
