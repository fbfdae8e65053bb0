"""The CUSTOM mode: a payload behind AvroRecordMerger, or a user's merger, decides; deletes by the release's rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mergers.avro import AvroRecordMerger
from mergers.compat import RuleMerger
from mergers.errors import MergerConfigError
from mergers.payload_rules import deleted_version, payload_around
from mergers.record import DELETE, DeleteContext, HoodieAvroRecord
from mergers.strategies.buffered import BufferedMerger, DeleteEntry, Version
from mergers.strategies.event_time import EventTimeMergerV1_0
from payloads.ordering import NATURAL_ORDER
from payloads.user import calls_users_code, copier, failure_of, same_record

if TYPE_CHECKING:
    from mergers.api import HoodieRecordMerger
    from mergers.record import HoodieRecord
    from mergers.strategies.record_context import RecordContext
    from payloads.api import HoodieRecordPayload, Props
    from payloads.avro import AvroSchema
    from payloads.rules import MergeRule


class CustomMerger(BufferedMerger):
    """CUSTOM from 1.1 on: each of the three operations calls the merger, for deletes too."""

    def __init__(self, context: RecordContext, merger: HoodieRecordMerger, schema: AvroSchema, props: Props) -> None:
        """Merge by `merger`.

        Args:
            context: how the engine reads ordering values.
            merger: in batch dedup the pre-combining form of a payload, elsewhere the combining one.
            schema: the schema of the rows; a version that has its own is merged with that.
            props: what the merge point passes to the merger.
        """
        super().__init__(context)
        self._merger = _on_copies(merger)
        self._schema = schema
        self._props = props

    @property
    def payload_class(self) -> type[HoodieRecordPayload] | None:
        """The payload class that decides; None for a user's merger."""
        return self._merger.payload_class if isinstance(self._merger, AvroRecordMerger) else None

    @property
    def stated_rule(self) -> MergeRule | None:
        """The rule of a user's merger that states one."""
        return self._merger.rule if isinstance(self._merger, RuleMerger) else None

    def delta_merge(self, new: Version, existing: Version | None) -> Version | None:
        """Return what the merger returns, or None if its row is that of `existing`.

        Two deletes without data have the same row, none, so that of two such deletes the earlier one is kept, with
        its ordering value. Errors are the merger's.
        """
        if existing is None:
            return new
        merged = self._merged(existing, new)
        return None if merged.record is existing.record else merged

    def delta_merge_delete(self, entry: DeleteEntry, existing: Version | None) -> DeleteEntry | None:
        """Return `entry` unless the merger, given a delete without data, keeps `existing`."""
        if existing is None:
            return entry
        return None if self.delta_merge(self.buffered(entry), existing) is None else entry

    def final_merge(self, older: Version, newer: Version) -> Version:
        """Return what the merger returns; errors are the merger's."""
        return self._merged(older, newer)

    def _merged(self, older: Version, newer: Version) -> Version:
        schema = newer.schema or self._schema
        merged: Any = self._merger.merge(older, newer, schema, self._props)
        if merged is None:
            return deleted_version(older, newer, schema)
        if merged is older or merged is newer:
            return newer if merged is newer else older
        return self._ordered(_plain(merged, schema, self._props))

    def _ordered(self, made: Version) -> Version:
        """Return a version that the merger made with its ordering value in the engine's class.

        A payload's has the class of Avro rows, and a user's merger may have left it out.
        """
        is_row = made.record is not None and not made.marked_delete
        is_absent = made.ordering_value is NATURAL_ORDER and not isinstance(self._merger, AvroRecordMerger)
        if is_row and (is_absent or not self.context.rows_are_avro):
            ordering = self.context.row_ordering(made.data_for("its ordering value"))
            return Version(made.key, made.record, made.schema, made.operation, ordering)
        return made


class CustomMergerV1_0(EventTimeMergerV1_0):  # noqa: N801 (the release)
    """CUSTOM of 1.0: if either side is a delete, the event-time rule decides and the merger is not called.

    It compares the ordering *columns*, whatever the payload itself compares. Between two rows of a log a merger that
    deletes is ignored: the earlier row stays.
    """

    def __init__(self, context: RecordContext, merger: HoodieRecordMerger, schema: AvroSchema, props: Props) -> None:
        """Merge data by `merger`, a payload in its combining form everywhere; arguments as in `CustomMerger`."""
        super().__init__(context)
        self._merger = _on_copies(merger)
        self._schema = schema
        self._props = props

    @property
    def payload_class(self) -> type[HoodieRecordPayload] | None:
        """The payload class that decides; None for a user's merger."""
        return self._merger.payload_class if isinstance(self._merger, AvroRecordMerger) else None

    def delta_merge(self, new: Version, existing: Version | None) -> Version | None:
        """Return what the merger returns, or None if that is a delete or the row of `existing`."""
        if existing is None or existing.marked_delete or new.marked_delete:
            return super().delta_merge(new, existing)
        merged = self._merged(existing, new)
        return None if merged is None or merged is existing else merged

    def final_merge(self, older: Version, newer: Version) -> Version:
        """Return what the merger returns."""
        if older.marked_delete or newer.marked_delete:
            return super().final_merge(older, newer)
        merged = self._merged(older, newer)
        return deleted_version(older, newer, self._schema) if merged is None else merged

    def _merged(self, older: Version, newer: Version) -> Version | None:
        schema = newer.schema or self._schema
        sides: list[HoodieRecord] = [older, newer]
        if isinstance(self._merger, AvroRecordMerger):
            payload_class = self._merger.payload_class
            sides = [HoodieAvroRecord(side.key, payload_around(payload_class, side)) for side in (older, newer)]
        merged: Any = self._merger.merge(sides[0], sides[1], schema, self._props)
        if merged is None:
            return None
        plain = _plain(merged, schema, self._props)
        for side in (older, newer):
            if plain.record is side.record:
                return side
        if plain.record is None:
            return Version(newer.key, None, schema, DELETE, plain.ordering_value)
        ordering = self.context.row_ordering(plain.record)
        return Version(newer.key, plain.record, schema, None, ordering)


class SparkRowsMergerV1_0(CustomMergerV1_0):  # noqa: N801 (the release)
    """CUSTOM of 1.0 where a merger of record type SPARK reads: a row that it marks as deleted is deleted in the end."""

    def __init__(self, context: RecordContext, merger: HoodieRecordMerger, schema: AvroSchema, props: Props) -> None:
        """Merge by `merger`; arguments as in `CustomMerger`."""
        super().__init__(context, merger, schema, props)
        self._deletes = _flags(schema, context)

    def delta_merge(self, new: Version, existing: Version | None) -> Version | None:
        """Return what `CustomMergerV1_0` does.

        Raises:
            MergerConfigError: the merger made a record without data of two rows, on which Hudi fails.
        """
        merged = super().delta_merge(new, existing)
        if merged is not None and merged is not new and merged.record is None:
            msg = (
                "merge returned a record without data for two rows of a log, on which Hudi 1.0 fails "
                "(NullPointerException); return None, which keeps the older one there, or a row"
            )
            raise MergerConfigError(msg)
        return merged

    def final_merge(self, older: Version, newer: Version) -> Version:
        """Return what the merger returns, marked as a delete where the row says so."""
        merged = super().final_merge(older, newer)
        if merged is older or merged.marked_delete or not self._deletes.is_delete(merged.record):
            return merged
        return Version(merged.key, merged.record, merged.schema, DELETE, merged.ordering_value)


class SparkWritesMergerV1_0(BufferedMerger):  # noqa: N801 (the release)
    """CUSTOM of 1.0 where a merger of record type SPARK writes: it is called for deletes, too.

    Source: HoodieWriteHelper, HoodieMergeHandle and HoodieIndexUtils of 1.0.2.
    """

    def __init__(self, context: RecordContext, merger: HoodieRecordMerger, schema: AvroSchema, props: Props) -> None:
        """Merge by `merger`; arguments as in `CustomMerger`."""
        super().__init__(context)
        self._merger = _on_copies(merger)
        self._schema = schema
        self._props = props
        self._deletes = _flags(schema, context)

    def delta_merge(self, new: Version, existing: Version | None) -> Version | None:
        """Return what the merger makes of two versions of one batch, or None if that is `existing`.

        Raises:
            MergerConfigError: the merger returned nothing, on which Hudi fails.
        """
        if existing is None:
            return new
        merged = self._merged(existing, new)
        if merged is None:
            msg = (
                "merge returned None for two versions of one batch, on which Hudi 1.0 fails (No value present in "
                "Option); return a version, or a delete to delete the row"
            )
            raise MergerConfigError(msg)
        return None if merged is existing else merged

    def delta_merge_delete(self, entry: DeleteEntry, existing: Version | None) -> DeleteEntry | None:
        """Return what the merger makes of a delete without data."""
        return None if existing is not None and self.delta_merge(self.buffered(entry), existing) is None else entry

    def final_merge(self, older: Version, newer: Version) -> Version:
        """Return what the merger returns; None is a delete."""
        merged = self._merged(older, newer)
        return Version(newer.key, None, self._schema, DELETE) if merged is None else merged

    def _merged(self, older: Version, newer: Version) -> Version | None:
        """Return `older`, `newer`, what the merger made, marked as a delete where the row says so, or None."""
        schema = newer.schema or self._schema
        merged: Version | None = self._merger.merge(older, newer, schema, self._props)
        if merged is None or merged is older or merged is newer:
            return merged
        if merged.record is None:
            return Version(newer.key, None, schema, DELETE, merged.ordering_value)
        for side in (older, newer):
            if merged.record is side.record:
                return side
        operation = DELETE if self._deletes.is_delete(merged.record) else None
        return Version(newer.key, merged.record, schema, operation, self.context.row_ordering(merged.record))


def _flags(schema: AvroSchema, context: RecordContext) -> DeleteContext:
    """Return what tells a deleted row of Spark's: the flag alone (HoodieSparkRecord.isDelete)."""
    return DeleteContext({}, schema, reads_operation=False, release=context.release)


class _OnCopies:
    """A user's merger, which may change what it is given: it gets copies, so that no caller's record changes.

    A version that it gives back as it was is the caller's own again; a changed one is a new version.
    """

    def __init__(self, merger: HoodieRecordMerger) -> None:
        self._merger = merger

    def merge(self, older: Version, newer: Version, schema: AvroSchema, props: Props) -> Version | None:
        """Return the caller's own version, a new one, or None if the merger deletes."""
        lent = [_lent(side, schema) for side in (older, newer)]
        records = [copy.record for copy in lent]
        try:
            merged: Any = self._merger.merge(lent[0], lent[1], schema, props)
        except Exception:
            raise  # told with the merge point
        except BaseException as error:
            target = getattr(self._merger, "target", self._merger)
            raise failure_of(error, f"{type(target).__qualname__}.merge", records[1]) from error
        if merged is None:
            return None
        answer = _plain(merged, schema, props)
        for side, copy, record in zip((older, newer), lent, records, strict=True):
            is_kept = answer.record is record and (record is None or same_record(record, side.record))
            if is_kept and merged is copy and _same_marks(copy, side):
                return side
            if is_kept and record is not None:
                return Version(answer.key, side.record, answer.schema, answer.operation, answer.ordering_value)
        return answer


calls_users_code(_OnCopies.merge.__code__)


def _on_copies(merger: HoodieRecordMerger) -> Any:
    """Return a merger that leaves what it is given as it was, as the merger of a payload and a rule do already."""
    return merger if isinstance(merger, AvroRecordMerger | RuleMerger) else _OnCopies(merger)


def _lent(side: Version, schema: AvroSchema) -> Version:
    record = None if side.record is None else copier(side.schema or schema)(side.record)
    return Version(side.key, record, side.schema, side.operation, side.ordering_value)


def _same_marks(copy: Version, side: Version) -> bool:
    return copy.key is side.key and copy.operation == side.operation and copy.ordering_value is side.ordering_value


def _plain(merged: Any, schema: AvroSchema, props: Props) -> Version:
    """Return the version that a merger made as plain data; a carrier that deletes is marked as a delete."""
    if isinstance(merged, Version):
        return merged
    plain: Version | None = merged.to_indexed_record(schema, props)
    record = None if plain is None else plain.record
    operation = DELETE if plain is None or merged.is_delete(schema, props) else merged.operation
    return Version(merged.key, record, schema, operation, merged.ordering_value)
