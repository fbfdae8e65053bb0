"""Merge behaviours that change without an error when a table moves: examples that were run, and the notes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bridge.config import OVERWRITE, SUCCESSORS
from bridge.migration.known_changes import NOTES
from bridge.migration.move import Answering, Move, SilentChange
from bridge.migration.scenarios import OPERATIONS, ScenarioDifference, VersionKind
from mergers import RecordMergeMode
from payloads import builtin_payloads

if TYPE_CHECKING:
    from collections.abc import Callable

    Examples = Callable[[Answering, Answering], tuple[ScenarioDifference, ...] | None]


class Changes(NamedTuple):
    """What is known of the behaviours that change.

    Attributes:
        found: the changes.
        untried: why the class was not tried on the scenarios; None if it was.
    """

    found: tuple[SilentChange, ...]
    untried: str | None = None


def silent_changes(move: Move, examples: Examples) -> Changes:
    """Return the behaviours that change: damage first, then what surely changes, each in the order of `VersionKind`.

    `examples` gives the scenarios with different results on two tables, None where a class can't run there. What no
    scenario shows is in the notes.
    """
    # In the scenarios tables store their class; the notes cover the others.
    played = () if move.loses_class else _played(move, examples)
    found = [*(played or ()), *(note.change for note in NOTES if note.holds(move))]
    kinds = list(VersionKind)
    ordered = sorted(found, key=lambda one: (not one.is_damage, bool(one.depends_on), kinds.index(one.about)))
    if played is not None:
        return Changes(tuple(ordered))
    is_hudis = move.payload in {name for found in builtin_payloads() for name in (found.java_name, *found.aliases)}
    both = f"Hudi {move.from_release} and {move.to_release} don't both run it"
    why = both if is_hudis else "it is not a class of Hudi"
    return Changes(tuple(ordered), f"{move.payload} was not tried on examples, because {why}")


def _played(move: Move, examples: Examples) -> list[SilentChange] | None:
    left = Answering(
        move.from_release, move.from_version, move.payload, move.table_type, has_ordering=bool(move.ordering)
    )
    differing = examples(left, _then(move))
    if differing is None:
        return None
    return [SilentChange(*one.scenario[:2], one.left, one.right, columns=_columns(one, move)) for one in differing]


def _columns(one: ScenarioDifference, move: Move) -> tuple[str, ...]:
    """Return the columns without which a table has no such rows."""
    if any(row.op for batch in one.scenario.batches for row in batch):
        return OPERATIONS
    return move.ordering + move.ordering_then if one.scenario.about in {VersionKind.LATE_ROWS, VersionKind.TIES} else ()


def _then(move: Move) -> Answering:
    """Return the table that answers then.

    Version 9 merges by its mode. If that is not the one of the class's successor, it is the plain mode, and the delete
    marker of the successor stays.
    """
    then = Answering(
        move.to_release, move.to_version, move.payload, move.table_type, has_ordering=bool(move.ordering_then)
    )
    successor = SUCCESSORS.get(move.payload or "")
    is_own = not move.after.payload_successors or move.to_mode in {None, RecordMergeMode.CUSTOM}
    if is_own or (successor is not None and successor.mode is move.to_mode and not move.changes_mode):
        return then
    plain = OVERWRITE if move.to_mode is RecordMergeMode.COMMIT_TIME_ORDERING else None
    kept = () if successor is None else tuple(successor.properties.items())
    return then._replace(payload=plain, properties=kept)
