"""Merge behaviours that change without an error when a table moves: what real Hudi answered, and the notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.config.move import WITH_SUCCESSORS, Move, SilentChange
from bridge.config.notes import NOTES
from bridge.config.scenarios import About, Column, Rules, differences
from bridge.config.succession import OVERWRITE, SUCCESSORS
from mergers import RecordMergeMode

if TYPE_CHECKING:
    from collections.abc import Iterator


def silent_changes(move: Move) -> tuple[SilentChange, ...]:
    """Return the behaviours that change: damage first, then in the order of `About`.

    Those with a case are what real Hudi answered on either side; the others are known from its rules.
    """
    found = [*_measured(move), *(note.change for note in NOTES if note.holds(move))]
    return tuple(sorted(found, key=lambda change: (not change.is_damage, list(About).index(change.about))))


def _measured(move: Move) -> Iterator[SilentChange]:
    if move.loses_class:
        # Real Hudi was asked for classes that the table stores; what happens to the others is in the notes.
        return
    payload, has_marker = _answering_class(move)
    left = Column(move.payload, Rules.of(move.from_release, move.from_version), move.table_type)
    right = Column(payload, Rules.of(move.to_release, move.to_version), move.table_type)
    for (about, text, has_operation), before, after in differences(left, right) or ():
        if not (has_operation and has_marker):
            yield SilentChange(about, text, before, after)


def _answering_class(move: Move) -> tuple[str | None, bool]:
    """Return the class whose recorded answers hold then, and whether the table has a delete marker besides.

    Version 9 answers by its mode. Where that is not the one of the class's successor, these are the answers of the
    plain mode, in which no delete marker was set.
    """
    successor = SUCCESSORS.get(move.payload or "")
    is_own = move.to_version < WITH_SUCCESSORS or move.to_mode in {None, RecordMergeMode.CUSTOM}
    if is_own or (successor is not None and successor.mode is move.to_mode and not move.changes_mode):
        return move.payload, False
    plain = OVERWRITE if move.to_mode is RecordMergeMode.COMMIT_TIME_ORDERING else None
    return plain, successor is not None and bool(successor.properties)
