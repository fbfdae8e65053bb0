"""The reverse-time strategy: the least ordering value wins, ties go to the later arrival."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mergers.strategies.buffered import BufferedMerger, DeleteEntry, Version, is_later
from payloads.rules import MARKED, ByOrdering, MergeRule

if TYPE_CHECKING:
    from payloads.avro import AvroSchema
    from payloads.rules import Point


class ReverseTimeMerger(BufferedMerger):
    """REVERSE_TIME_ORDERING: keeps the version with the least ordering value, whether it is data or a delete."""

    def rule(self, point: Point, schema: AvroSchema) -> MergeRule | None:
        """Return that the lesser ordering value wins."""
        return MergeRule(ByOrdering(reverse=True), MARKED)

    def delta_merge(self, new: Version, existing: Version | None) -> Version | None:
        """Return `new` unless it is later; errors as in `is_later`."""
        return new if existing is None or not is_later(new, existing) else None

    def delta_merge_delete(self, entry: DeleteEntry, existing: Version | None) -> DeleteEntry | None:
        """Return `entry` unless it is later; errors as in `is_later`."""
        return entry if existing is None or not is_later(self.buffered(entry), existing) else None

    def final_merge(self, older: Version, newer: Version) -> Version:
        """Return `newer` unless it is later, else `older`; errors as in `is_later`."""
        return older if is_later(newer, older) else newer
