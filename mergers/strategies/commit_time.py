"""The commit-time strategy: the later arrival replaces the earlier one, or fills its own gaps from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mergers.api import COMMIT_TIME_BASED_MERGE_STRATEGY_UUID, HoodieRecordType
from mergers.strategies.buffered import BufferedMerger, DeleteEntry, Version
from mergers.strategies.keep_values import overlaid
from payloads.errors import SchemaError
from payloads.rules import MARKED, STAYS_WHOLE, Effect, MergeRule, Point

if TYPE_CHECKING:
    from mergers.record import HoodieRecord
    from mergers.strategies.partial_update import PartialUpdate
    from mergers.strategies.record_context import RecordContext
    from payloads.api import Props
    from payloads.avro import AvroSchema


class _KeepsNewer:
    merging_strategy: Final = COMMIT_TIME_BASED_MERGE_STRATEGY_UUID

    def merge(
        self,
        older: HoodieRecord,  # noqa: ARG002 (the merger interface)
        newer: HoodieRecord,
        schema: AvroSchema,  # noqa: ARG002
        props: Props,  # noqa: ARG002
    ) -> HoodieRecord:
        """Return `newer` itself."""
        return newer


class OverwriteWithLatestMerger(_KeepsNewer):
    """Keeps the newer version, even if it is a delete (org.apache.hudi.common.model.OverwriteWithLatestMerger)."""

    record_type: Final = HoodieRecordType.AVRO

    def partial_merge(
        self,
        older: Version,
        newer: Version,
        schema: AvroSchema,
        props: Props,  # noqa: ARG002
    ) -> Version:
        """Return `newer` with the columns that it lacks taken from `older`; `newer` itself if it is a delete.

        As on Spark's rows; Hudi merges no partial rows of Avro.

        Raises:
            SchemaError: `older` is a delete of a log; Hudi fails too.
        """
        if newer.marked_delete:
            return newer
        if older.record is None:
            msg = (
                "the log deletes this key and has a row of it later, after an UPDATE of some "
                "columns, which Hudi fails to read (NullPointerException); assign all columns, or compact in between"
            )
            raise SchemaError(msg)
        return overlaid(newer, older, schema)


class CommitTimeFlinkRecordMerger(_KeepsNewer):
    """Keeps the newer Flink row, even a delete (org.apache.hudi.client.model.CommitTimeFlinkRecordMerger)."""

    record_type: Final = HoodieRecordType.FLINK


class CommitTimeMerger(BufferedMerger):
    """COMMIT_TIME_ORDERING of 1.0 and later: ordering values play no part, and deletes are versions like others."""

    def rule(self, point: Point, schema: AvroSchema) -> MergeRule | None:  # noqa: ARG002 (one rule)
        """Return that the newer version wins."""
        return MergeRule()

    def delta_merge(self, new: Version, existing: Version | None) -> Version:  # noqa: ARG002 (the interface)
        """Return `new`."""
        return new

    def delta_merge_delete(self, entry: DeleteEntry, existing: Version | None) -> DeleteEntry:  # noqa: ARG002
        """Return `entry`."""
        return entry

    def final_merge(self, older: Version, newer: Version) -> Version:  # noqa: ARG002
        """Return `newer`."""
        return newer


class CommitTimePartialMerger(CommitTimeMerger):
    """COMMIT_TIME_ORDERING with a partial update mode: the later arrival, filled from the earlier one.

    Attributes:
        update: fills the gaps.
    """

    def __init__(self, context: RecordContext, update: PartialUpdate) -> None:
        """Fill gaps by `update`."""
        super().__init__(context)
        self.update = update

    def rule(self, point: Point, schema: AvroSchema) -> MergeRule | None:
        """Return that the newer version wins, filled from the older one; None if the columns don't tell gaps."""
        columns = self.update.columns(schema)
        if point is Point.ENTRY or columns is None:
            return MergeRule() if point is Point.ENTRY else None
        cases = (STAYS_WHOLE, *self.update.cases(schema))
        return MergeRule(deletes=MARKED, cases=cases, otherwise=Effect.FILLED, columns=columns)

    def delta_merge(self, new: Version, existing: Version | None) -> Version:
        """Return `new`, filled from `existing`; errors as in the partial update mode."""
        return self.update.filled(new, existing, new)

    def final_merge(self, older: Version, newer: Version) -> Version:
        """Return `newer`, filled from `older`; errors as in the partial update mode."""
        return self.update.filled(newer, older, newer)
