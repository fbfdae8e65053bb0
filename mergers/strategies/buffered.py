"""BufferedMerger: how a merge mode folds log entries and merges with the stored row; delete entries of log files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, NamedTuple

from mergers.record import DELETE, HoodieAvroIndexedRecord, HoodieKey
from payloads.errors import NullOrderingError
from payloads.ordering import NATURAL_ORDER, Ordering, compare
from payloads.rules import Role

if TYPE_CHECKING:
    from mergers.strategies.record_context import RecordContext
    from payloads.avro import AvroSchema
    from payloads.rules import MergeRule, Point

Version = HoodieAvroIndexedRecord
"""A BufferedRecord: a delete if its operation is `D` or `-U`, with data or without."""


class DeleteEntry(NamedTuple):
    """An entry of a delete block (org.apache.hudi.common.model.DeleteRecord).

    Attributes:
        key: the identity of the deleted record.
        ordering_value: as the block gives it, before any conversion to an engine's class; None is Java's null.
    """

    key: HoodieKey | None
    ordering_value: Ordering | None


class BufferedMerger(ABC):
    """A merge mode's operations on rows (BufferedRecordMerger; until 1.0 the rules inside the file-group reader).

    Both `delta` operations return None for "keep what is there", which is not a delete.

    Attributes:
        context: how the engine reads ordering values.
    """

    def __init__(self, context: RecordContext) -> None:
        """Merge rows of `context`."""
        self.context = context

    def __init_subclass__(cls) -> None:
        """Leave a class that states no rule without one: that of the class it extends is not its own."""
        super().__init_subclass__()
        if "rule" not in vars(cls):
            cls.rule = BufferedMerger.rule  # type: ignore[method-assign]

    def rule(self, point: Point, schema: AvroSchema) -> MergeRule | None:  # noqa: ARG002 (none is stated)
        """Return what the mode does with two versions of `schema`, as a value; None where it has to be called.

        It is that of `delta_merge` in a batch or a log, of `final_merge` with the stored row, and of
        `delta_merge_delete` for an entry of a delete block.
        """
        return None

    @abstractmethod
    def delta_merge(self, new: Version, existing: Version | None) -> Version | None:
        """Merge a row of a log, or of a batch, with what came before it; None keeps `existing`."""

    @abstractmethod
    def delta_merge_delete(self, entry: DeleteEntry, existing: Version | None) -> DeleteEntry | None:
        """Merge an entry of a delete block with what came before it: `entry` itself, or None to keep `existing`."""

    @abstractmethod
    def final_merge(self, older: Version, newer: Version) -> Version:
        """Merge a row of a base file with the merged log of its key; `older` itself if it stays.

        Hudi never tests a row of a base file for a delete: `older` must not be marked as one there.
        """

    def fold(self, existing: Version | None, change: Version | DeleteEntry) -> Version:
        """Return the state of a key once `change` has followed `existing`: a row, or a delete."""
        if isinstance(change, DeleteEntry):
            kept = existing is not None and self.delta_merge_delete(change, existing) is None
            merged = None if kept else self.buffered(change)
        else:
            merged = change if existing is None else self.delta_merge(change, existing)
        return existing if merged is None else merged  # type: ignore[return-value]  # one of them is there

    def buffered(self, entry: DeleteEntry) -> Version:
        """Return the version that an entry becomes: no data, no schema, a null ordering value as Integer 0."""
        ordering = entry.ordering_value
        converted = NATURAL_ORDER if ordering is None else self.context.entry_ordering(ordering)
        return Version(entry.key, None, None, DELETE, converted)


OLDER, NEWER = Role.OLDER, Role.NEWER


def is_later(left: Version, right: Version) -> bool:
    """Whether `left` has the strictly greater ordering value.

    Raises:
        NullOrderingError: one of the ordering values is null.
        OrderingTypeError: they have different Java classes.
    """
    if left.ordering_value is None or right.ordering_value is None:
        msg = f"a version with the key {left.record_key!r} has a null ordering value; fill the ordering field"
        raise NullOrderingError(msg)
    return compare(left.ordering_value, right.ordering_value) > 0
