"""The event-time strategy: the greater ordering value wins, ties go to the later arrival, Integer 0 always deletes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mergers.api import EVENT_TIME_BASED_MERGE_STRATEGY_UUID, HoodieRecordType
from mergers.record import is_commit_time_delete
from mergers.strategies.buffered import (
    NEWER,
    OLDER,
    BufferedMerger,
    DeleteEntry,
    Version,
    is_later,
)
from mergers.strategies.keep_values import overlaid
from payloads.errors import NullOrderingError
from payloads.ordering import Ordering, compare, same_class
from payloads.rules import (
    MARKED,
    RESETS,
    STAYS_WHOLE,
    AllOf,
    ByOrdering,
    Case,
    Effect,
    IsDelete,
    IsNatural,
    MergeRule,
    Point,
)

if TYPE_CHECKING:
    from mergers.record import HoodieRecord
    from mergers.strategies.partial_update import PartialUpdate
    from mergers.strategies.record_context import RecordContext
    from payloads.api import Props
    from payloads.avro import AvroSchema, Value


class EventTimeRecordMerger:
    """Keeps the version with the greater ordering value, whether it is data or a delete.

    The rule of DefaultSparkRecordMerger from 1.1 on, for Avro rows, where Hudi itself runs a payload instead.
    """

    record_type: Final = HoodieRecordType.AVRO
    merging_strategy: Final = EVENT_TIME_BASED_MERGE_STRATEGY_UUID

    def merge(
        self,
        older: HoodieRecord,
        newer: HoodieRecord,
        schema: AvroSchema,  # noqa: ARG002 (the merger interface)
        props: Props,  # noqa: ARG002
    ) -> HoodieRecord:
        """Return `older` or `newer` itself; errors as in `EventTimeMerger`."""
        return newer if _keeps_newer(older, newer) else older

    def partial_merge(
        self,
        older: Version,
        newer: Version,
        schema: AvroSchema,
        props: Props,  # noqa: ARG002
    ) -> Version:
        """Return the winner with the columns that it lacks taken from the other, a delete as it is.

        As on Spark's rows; Hudi merges no partial rows of Avro. Errors as in `EventTimeMerger` and `overlaid`.
        """
        if is_commit_time_delete(older) or is_commit_time_delete(newer):
            return newer
        top, bottom = (older, newer) if is_later(older, newer) else (newer, older)
        return top if older.marked_delete or newer.marked_delete else overlaid(top, bottom, schema)


class EventTimeFlinkRecordMerger:
    """Keeps the Flink row with the greater ordering value, whether it is data or a delete; on a tie the newer one.

    As in org.apache.hudi.client.model.EventTimeFlinkRecordMerger, a delete with the ordering value Integer 0 is
    compared like any other version; `EventTimeMerger` does not compare it.
    """

    record_type: Final = HoodieRecordType.FLINK
    merging_strategy: Final = EVENT_TIME_BASED_MERGE_STRATEGY_UUID

    def merge(self, older: HoodieRecord, newer: HoodieRecord, schema: AvroSchema, props: Props) -> HoodieRecord:
        """Return `older` or `newer` itself.

        Raises:
            NullOrderingError: an ordering value is null.
            OrderingTypeError: the ordering values have different Java classes.
        """
        left, right = (side.get_ordering_value(schema, props) for side in (older, newer))
        if left is None or right is None:
            msg = "the ordering value of a version is null; fill the ordering field"
            raise NullOrderingError(msg)
        return older if compare(left, right) > 0 else newer


class EventTimeMerger(BufferedMerger):
    """EVENT_TIME_ORDERING from 1.1 on.

    Without ordering fields every ordering value is Integer 0, so that this equals COMMIT_TIME_ORDERING.
    """

    def rule(self, point: Point, schema: AvroSchema) -> MergeRule | None:  # noqa: ARG002 (columns play no part)
        """Return the rule, which also spares a commit-time delete from an entry that follows it."""
        return _OF_ENTRIES if point is Point.ENTRY else _GREATER

    def delta_merge(self, new: Version, existing: Version | None) -> Version | None:
        """Return `new` if it is not earlier, or if either one is a commit-time delete.

        Raises:
            NullOrderingError: an ordering value is null.
            OrderingTypeError: the ordering values have different Java classes.
        """
        return new if existing is None or _keeps_newer(existing, new) else None

    def delta_merge_delete(self, entry: DeleteEntry, existing: Version | None) -> DeleteEntry | None:
        """Return `entry`, unless `existing` is a commit-time delete, or later and of the same Java class.

        Different classes are not an error here: the delete wins.

        Raises:
            NullOrderingError: an ordering value is null and must be compared.
            OrderingTypeError: both are lists, `entry` has the longer one, and the shared part has the same classes.
        """
        if existing is None:
            return entry
        return None if self._outlasts(existing, entry.ordering_value) else entry

    def final_merge(self, older: Version, newer: Version) -> Version:
        """Return `newer` by the rule of `delta_merge`, else `older`; errors as there."""
        return newer if _keeps_newer(older, newer) else older

    def _outlasts(self, existing: Version, ordering: Ordering | None) -> bool:
        """Whether `existing` stays when a delete entry with `ordering` follows."""
        if is_commit_time_delete(existing):
            return True
        if ordering is not None and ordering.is_default:
            return False
        return _is_greater(existing.ordering_value, self._comparable(ordering))

    def _comparable(self, ordering: Ordering | None) -> Ordering | None:
        """Return the class that the ordering value of an entry is compared in: that of the engine."""
        return None if ordering is None else self.context.entry_ordering(ordering)


class EventTimePartialMerger(EventTimeMerger):
    """EVENT_TIME_ORDERING with a partial update mode: the version that wins, filled from the one that loses.

    Attributes:
        update: fills the gaps.
    """

    def __init__(self, context: RecordContext, update: PartialUpdate) -> None:
        """Fill gaps by `update`."""
        super().__init__(context)
        self.update = update

    def rule(self, point: Point, schema: AvroSchema) -> MergeRule | None:
        """Return the rule of `EventTimeMerger` with the winner filled; None if the columns don't tell gaps."""
        columns = self.update.columns(schema)
        if point is Point.ENTRY or columns is None:
            return _OF_ENTRIES if point is Point.ENTRY else None
        cases = (*_GREATER.cases, STAYS_WHOLE, *self.update.cases(schema))
        return MergeRule(_GREATER.later, MARKED, cases, Effect.FILLED, columns)

    def delta_merge(self, new: Version, existing: Version | None) -> Version:
        """Return the winner by the rule of `EventTimeMerger`, filled from the other: never None."""
        return new if existing is None else self.final_merge(existing, new)

    def final_merge(self, older: Version, newer: Version) -> Version:
        """Return the winner, filled from the other; errors as in `EventTimeMerger` and the partial update mode."""
        high, low = (newer, older) if _keeps_newer(older, newer) else (older, newer)
        return self.update.filled(high, low, newer)


class EventTimeMergerV1_0(EventTimeMerger):  # noqa: N801 (the release)
    """EVENT_TIME_ORDERING of 1.0: the log fold does not spare data from a buffered commit-time delete.

    The ordering value of a delete entry is compared as the block gives it, so that a string, which has another class
    in the engine, always displaces what is there; it is converted when it is stored, decimals and dates never are.
    """

    def rule(self, point: Point, schema: AvroSchema) -> MergeRule | None:  # noqa: ARG002 (columns play no part)
        """Return the rule; in a log a commit-time delete gives way to data that is later."""
        if point is Point.ENTRY:
            return _OF_ENTRIES
        return _GREATER if point is Point.STORED else MergeRule(ByOrdering(), MARKED, (_RESET_BY_NEWER,))

    def delta_merge(self, new: Version, existing: Version | None) -> Version | None:
        """Return `new` if it is not earlier or is a commit-time delete; errors as in `EventTimeMerger`."""
        kept = existing is None or is_commit_time_delete(new) or not is_later(existing, new)
        return new if kept else None

    def _comparable(self, ordering: Ordering | None) -> Ordering | None:
        return ordering


_RESET_BY_NEWER = Case(AllOf((IsDelete(NEWER), IsNatural(NEWER))), Effect.INCOMING)
_GREATER = MergeRule(ByOrdering(), MARKED, (RESETS,))
_OF_ENTRIES = MergeRule(
    ByOrdering(unlike_wins=True),
    MARKED,
    (
        Case(AllOf((IsDelete(OLDER), IsNatural(OLDER))), Effect.CURRENT),
        Case(IsNatural(NEWER), Effect.INCOMING),
    ),
)


def _keeps_newer(older: Value, newer: Value) -> bool:
    return is_commit_time_delete(older) or is_commit_time_delete(newer) or not is_later(older, newer)


def _is_greater(left: Ordering | None, right: Ordering | None) -> bool:
    """Whether both values have the same Java class and `left` is greater."""
    if left is None or right is None:
        msg = "a delete entry, or the version that it follows, has a null ordering value; fill the ordering field"
        raise NullOrderingError(msg)
    return same_class(left, right) and compare(left, right) > 0
