"""What a payload or merger handed back: one of the objects that it was given, or one that it made.

Hudi tells these apart by identity, and so does this module. All other code of the merge goes by the value that it
returns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.merge.carriers import StoredRow
from bridge.merge.outcome import INSERT, KEEP, UPDATE

if TYPE_CHECKING:
    from bridge.merge.outcome import Action
    from mergers import HoodieAvroIndexedRecord


def came_back(answer: object, given: object) -> bool:
    """Whether `answer` is the object that was given, and not one that was made."""
    return answer is given


def action_of(answer: object, older: object) -> Action:
    """Return what became of the older version, None where there is none, if `answer` is what follows."""
    if older is None:
        return INSERT
    return KEEP if answer is older else UPDATE


def as_stored_row(merged: HoodieAvroIndexedRecord, *known: StoredRow | None) -> StoredRow:
    """Return what a merger handed back as one of our carriers: a known one, or one with the source of its record."""
    if isinstance(merged, StoredRow):
        return merged
    source = next((row.source for row in known if row is not None and row.record is merged.record), None)
    return StoredRow(merged.key, merged.record, merged.schema, source, merged.operation, merged.ordering_value)
