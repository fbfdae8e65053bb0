"""The operations of a merge mode, as the laws see them: folding a log, and merging with the stored row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mergers.api import RecordMergeMode
from mergers.laws.merger_algebra import KEY, MergerAlgebra
from mergers.record import DELETE, HoodieAvroIndexedRecord
from mergers.strategies import (
    MERGE_PROPERTY_PREFIX,
    MODES_WITH_PARTIAL_UPDATES,
    UNAVAILABLE_VALUE,
    PartialUpdateMode,
    buffered_merger,
)
from payloads.builtin import UNAVAILABLE
from payloads.ordering import NATURAL_ORDER, Ordering
from payloads.release import HudiRelease
from payloads.user import copied

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mergers.laws.algebra import OpaqueVersion
    from mergers.laws.core import Version
    from payloads.api import Props
    from payloads.avro import AvroSchema, Record
    from payloads.rules import MergeRule, Point

_UNAVAILABLE_PROPERTY: Final = MERGE_PROPERTY_PREFIX + UNAVAILABLE_VALUE


def _names(release: HudiRelease) -> Iterator[str]:
    for mode in RecordMergeMode:
        if mode is not RecordMergeMode.CUSTOM:
            yield mode.value
        if mode in MODES_WITH_PARTIAL_UPDATES:
            yield from (f"{mode.value}/{partial.value}" for partial in PartialUpdateMode if partial.is_in(release))


MODES: Final = tuple(_names(HudiRelease.latest()))
"""The merge modes by name, with a partial update mode after a slash."""


class ModeAlgebra(MergerAlgebra):
    """A merge mode without a merger of its own.

    Every version is a buffered record with the ordering value that the mode reads from it: Integer 0 by commit time.
    """

    def __init__(self, name: str, schema: AvroSchema, props: Props, release: HudiRelease) -> None:
        """Make the merger of the mode called `name`, one of `MODES`.

        Raises:
            MergerConfigError: the release has no merge modes, or no partial update modes.
        """
        mode, _, partial = name.partition("/")
        given = {_UNAVAILABLE_PROPERTY: UNAVAILABLE, **props}
        self._mode: Any = buffered_merger(mode, schema, given, release=release, partial_update_mode=partial or None)
        super().__init__(self._mode, schema, given, release)
        self.name = name

    def rule(self, point: Point) -> MergeRule | None:
        """Return the rule of the mode at a point."""
        found: MergeRule | None = self._mode.rule(point, self.schema)
        return found

    def incoming(self, version: Version) -> HoodieAvroIndexedRecord:
        """Build the buffered record of a version."""
        record = None if version.record is None else copied(version.record)
        # By commit time nothing reads ordering fields, not those of a delete either.
        is_carried = record is None and self._mode.context.ordering_fields
        ordering = version.ordering if is_carried else self.row_ordering(record)
        return self._carrier(record, ordering, DELETE if version.is_delete else None)

    def row_ordering(self, record: Record | None) -> Ordering:
        """Return the ordering value that the mode reads from a record."""
        if record is None:
            return NATURAL_ORDER
        ordering: Ordering = self._mode.context.row_ordering(record)
        return ordering

    def _carrier(
        self, record: Record | None, ordering: Ordering | None, operation: str | None
    ) -> HoodieAvroIndexedRecord:
        return HoodieAvroIndexedRecord(KEY, record, self.schema, operation, ordering)

    def merge(self, older: OpaqueVersion, newer: OpaqueVersion) -> OpaqueVersion:
        """Fold a newer entry of a log into what came before it."""
        return self._mode.fold(older, newer)

    def act(self, row: Record | None, newer: OpaqueVersion) -> Record | None:
        """Merge with the row of a base file; without one, insert anything but a delete."""
        merged = newer
        if row is not None:
            merged = self._mode.final_merge(self._carrier(row, self.row_ordering(row), None), newer)
        if self._is_delete(merged):
            return None
        record: Record | None = merged.record
        return record

    def __reduce__(self) -> tuple[object, ...]:
        return ModeAlgebra, (self.name, self.schema, dict(self.props), self._release)
