"""Merge behaviours that change without an error when a table moves: examples that were run, and the notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.config import OVERWRITE, SUCCESSORS
from bridge.migration.known_changes import NOTES
from bridge.migration.move import Answering, Move, SilentChange
from bridge.migration.scenarios import OPERATIONS, About, ScenarioDifference
from mergers import RecordMergeMode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Examples = Callable[[Answering, Answering], tuple[ScenarioDifference, ...] | None]


def silent_changes(move: Move, examples: Examples) -> tuple[SilentChange, ...]:
    """Return the behaviours that change: damage first, then in the order of `About`.

    `examples` gives the scenarios with different results on two tables. What no scenario shows is in the notes.
    """
    found = [*_played(move, examples), *(note.change for note in NOTES if note.holds(move))]
    return tuple(sorted(found, key=lambda change: (not change.is_damage, list(About).index(change.about))))


def _played(move: Move, examples: Examples) -> Iterator[SilentChange]:
    if move.loses_class:
        # In the scenarios tables store their class; the notes cover the others.
        return
    left = Answering(move.from_release, move.from_version, move.payload, move.table_type)
    for (about, text, batches), before, after in examples(left, _then(move)) or ():
        by_operation = any(row.op for batch in batches for row in batch)
        yield SilentChange(about, text, before, after, columns=OPERATIONS if by_operation else ())


def _then(move: Move) -> Answering:
    """Return the table that answers then.

    Version 9 merges by its mode. If that is not the one of the class's successor, it is the plain mode, and the delete
    marker of the successor stays.
    """
    then = Answering(move.to_release, move.to_version, move.payload, move.table_type)
    successor = SUCCESSORS.get(move.payload or "")
    is_own = not move.after.payload_successors or move.to_mode in {None, RecordMergeMode.CUSTOM}
    if is_own or (successor is not None and successor.mode is move.to_mode and not move.changes_mode):
        return then
    plain = OVERWRITE if move.to_mode is RecordMergeMode.COMMIT_TIME_ORDERING else None
    kept = () if successor is None else tuple(successor.properties.items())
    return then._replace(payload=plain, properties=kept)
