"""Mergers on Flink's rows: FLINK mergers as they are, mergers of Avro records, above all payloads, by conversion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mergers.api import HoodieRecordType, OperationMode
from mergers.avro import AvroRecordMerger
from mergers.errors import MergerConfigError
from mergers.record import (
    DELETE,
    UPDATE_BEFORE,
    HoodieAvroIndexedRecord,
    HoodieAvroRecord,
    HoodieFlinkRecord,
    HoodieRecord,
)
from payloads.api import SENTINEL
from payloads.ordering import NATURAL_ORDER
from payloads.release import ByRelease, HudiRelease

if TYPE_CHECKING:
    from mergers.api import HoodieRecordMerger
    from payloads.api import HoodieRecordPayload, Props
    from payloads.avro import AvroSchema
    from payloads.references import PayloadRef

_MERGES_DELETES = ByRelease(False, {"1.1": True})


class FlinkAvroMerger:
    """Runs a merger of Avro records on Flink rows: versions are converted, and the row of the kept one is returned.

    Attributes:
        merger: merges the Avro records.
        merging_strategy: that of `merger`.
    """

    record_type: Final = HoodieRecordType.FLINK

    def __init__(self, merger: HoodieRecordMerger) -> None:
        """Take a merger.

        Raises:
            MergerConfigError: it does not merge Avro records.
        """
        if merger.record_type is not HoodieRecordType.AVRO:
            msg = f"{type(merger).__name__} merges {merger.record_type.value} records; pass one for AVRO records"
            raise MergerConfigError(msg)
        self.merger = merger
        self.merging_strategy = merger.merging_strategy
        self._release = HudiRelease.latest()

    def merge(self, older: Any, newer: Any, schema: AvroSchema, props: Props) -> HoodieFlinkRecord | None:
        """Return `older` or `newer` itself if it is kept, a row of their class if one is made, or a delete.

        A row that is kept and a delete by its flag or marker comes back with the operation `D`; a delete without data
        is a `HoodieFlinkRecord` without row.

        Raises:
            SchemaError: a row does not fit `schema`.
        """
        left, right = (self._carried(one, schema, props) for one in (older, newer))
        merged: Any = self.merger.merge(left, right, schema, props)
        for side, version in ((left, older), (right, newer)):
            if merged is side:
                return _marked(version, side)
        return self._given_back(merged, older, newer, schema)

    def _carried(self, version: HoodieFlinkRecord, schema: AvroSchema, props: Props) -> HoodieRecord:
        """Return a version as Hudi buffers it: an operation says whether it is a delete."""
        operation = version.operation
        if version.is_delete(schema, props) and operation != UPDATE_BEFORE:
            operation = DELETE
        data = self._data(version, schema, props)
        if data is None:
            ordering = version.get_ordering_value(schema, props, release=self._release)
            return HoodieAvroIndexedRecord(version.key, None, schema, operation, ordering)
        return HoodieAvroIndexedRecord(version.key, data.record, schema, operation, data.ordering_value)

    def _data(self, version: HoodieFlinkRecord, schema: AvroSchema, props: Props) -> HoodieAvroIndexedRecord | None:
        """Return what a version hands on as data; None for none."""
        return version.to_indexed_record(schema, props, release=self._release)

    def _given_back(
        self, merged: Any, older: HoodieFlinkRecord, newer: HoodieFlinkRecord, schema: AvroSchema
    ) -> HoodieFlinkRecord | None:
        if merged is None:
            return None
        if merged.record is SENTINEL:
            return older
        if merged.record is None:
            return HoodieFlinkRecord(newer.key, None, DELETE, merged.ordering_value)
        made = newer.with_record(merged.record, merged.schema or schema, merged.ordering_value)
        return made.new_instance(operation=merged.operation) if merged.marked_delete else made

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.merger!r})"


class FlinkPayloadMerger(FlinkAvroMerger):
    """A payload class on Flink rows: `AvroRecordMerger` between two conversions.

    The payload gets no data of a version with the operation `D`, whatever its row: Hudi's Flink writer passes none
    until 1.0, and a delete block has none from 1.1 on. Until 1.0 a delete by the payload is None; from 1.1 on a version
    is a delete by its operation (`D`, `-U`), flag or marker. A delete by flag or marker is never inserted, but keeps
    its data in a merge, as in Hudi's copy-on-write merge: if the payload makes a row of it, that row is kept, flagged
    or not.
    """

    def __init__(
        self,
        payload: str | PayloadRef | type[HoodieRecordPayload],
        release: str | HudiRelease = HudiRelease.latest(),
        operation_mode: OperationMode | str = OperationMode.COMBINE,
    ) -> None:
        """Resolve the payload class in `release`.

        Args:
            payload: a name, a reference, or a class.
            release: the Hudi release whose rules apply.
            operation_mode: `combine` where `older` is the row that is kept, `pre_combine` where it is incoming, too.

        Raises:
            PayloadNotFoundError, PayloadConstructorError, PayloadConfigError: see `AvroRecordMerger`.
        """
        # Flink's rows are not the Avro records that a payload may change in place, and so are its states.
        self._bridge = AvroRecordMerger(payload, release, operation_mode, rows_are_avro=False)
        super().__init__(self._bridge)
        self._release = self._bridge.release
        self._merges_deletes = _MERGES_DELETES.at(self._bridge.release)

    def merge(self, older: Any, newer: Any, schema: AvroSchema, props: Props) -> HoodieFlinkRecord | None:
        """Return `older` or `newer` itself if it is kept, a row of their class if the payload makes one, or a delete.

        Until 1.0 a delete is None.

        Raises:
            SchemaError: a row does not fit `schema`.
        """
        if self._merges_deletes:
            return super().merge(older, newer, schema, props)
        left = self._stored(older, schema, props) if self._combines else self._payload(older, schema, props)
        right = self._payload(newer, schema, props)
        merged: Any = self._bridge.merge(left, right, schema, props)
        if merged is left or merged is right:
            return older if merged is left else newer  # type: ignore[no-any-return]
        if merged is not None and merged.record is getattr(right, "record", None):
            return newer  # type: ignore[no-any-return]
        return self._given_back(merged, older, newer, schema)

    def insert(self, version: HoodieFlinkRecord, schema: AvroSchema, props: Props) -> HoodieFlinkRecord | None:
        """Return what becomes of the first version of a key: the insert value of its payload; None for none.

        From 1.1 on a version that is a delete is not asked for one.

        Raises:
            PayloadConfigError, SchemaError: the row does not fit `schema`; or see `HoodieFlinkRecord.is_delete`.
        """
        if self._merges_deletes and version.is_delete(schema, props):
            return None
        carried = self._payload(version, schema, props)
        record: Any = carried.payload.get_insert_value(schema, props)
        if record is None or record is SENTINEL or version.marked_delete:
            return None
        ordering = carried.ordering_value
        return version if record is carried.payload.record else version.with_record(record, schema, ordering)

    @property
    def _combines(self) -> bool:
        return self._bridge.operation_mode is OperationMode.COMBINE

    def _data(self, version: HoodieFlinkRecord, schema: AvroSchema, props: Props) -> HoodieAvroIndexedRecord | None:
        return None if version.operation == DELETE else super()._data(version, schema, props)

    def _stored(self, version: HoodieFlinkRecord, schema: AvroSchema, props: Props) -> HoodieAvroIndexedRecord:
        data = version.to_indexed_record(schema, props, release=self._release)
        if data is not None:
            return data
        return HoodieAvroIndexedRecord(
            version.key, None, schema, DELETE, version.get_ordering_value(schema, props, release=self._release)
        )

    def _payload(self, version: HoodieFlinkRecord, schema: AvroSchema, props: Props) -> HoodieAvroRecord:
        data = self._data(version, schema, props)
        ordering = (
            version.get_ordering_value(schema, props, release=self._release) if data is None else data.ordering_value
        )
        arguments = (None if data is None else data.record, NATURAL_ORDER if ordering is None else ordering)
        return HoodieAvroRecord(version.key, self._bridge.payload_class(*arguments), version.operation)


def _marked(version: HoodieFlinkRecord, carried: HoodieRecord) -> HoodieFlinkRecord:
    """Return a version with the operation by which it was merged, if that makes it a delete."""
    return version.new_instance(operation=DELETE) if carried.marked_delete and not version.marked_delete else version


def on_flink(merger: HoodieRecordMerger) -> HoodieRecordMerger:
    """Return a selected merger as one that takes Flink rows: itself, or a merger of Avro records by conversion.

    Raises:
        MergerConfigError: it merges Spark's rows.
    """
    return merger if merger.record_type is HoodieRecordType.FLINK else FlinkAvroMerger(merger)
