"""KeyState: what all programs keep of a key, and how each version that arrives changes it; plain Python, no Spark."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from bridge.errors import InputError
from bridge.merge import Action, LogDelete, LogRow, MergePoint, MergePointError, StoredRow, parts_of
from bridge.programs.program import Origin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bridge.merge import Carrier, Outcome, RecordMerge
    from bridge.programs.program import Arrival, Emit
    from mergers import HoodieKey


class KeyState:
    """The parts that all programs share: the key, its stored row, its folded log and its folded input.

    Attributes:
        base: the stored row.
        log: the folded log.
        revision: how often the stored row was written. A row that a merge keeps stays at its revision.
    """

    def __init__(self, merge: RecordMerge, key: HoodieKey = None) -> None:  # type: ignore[assignment]  # see `start`
        self.merge = merge
        self.key = key
        self.base: StoredRow | None = None
        self.log: Carrier | None = None
        self.revision = 0
        self.input: list[Carrier] = []  # what the batch has: one version, where it is combined

    def start(self, key: HoodieKey) -> None:
        """Begin a key."""
        self.key, self.base, self.log, self.input, self.revision = key, None, None, [], 0

    def accept(self, arrival: Arrival, emit: Emit) -> None:  # noqa: ARG002
        """Take the next version."""
        if arrival.origin is Origin.INCOMING:
            self.fold_input(arrival)
        else:
            self.take_own(arrival)

    def take_own(self, arrival: Arrival) -> None:
        """Take a stored row or a log entry."""
        if arrival.origin is Origin.STORED:
            if self.base is not None:
                msg = "the stored side has more than one row for the key; deduplicate it or check the key columns"
                raise InputError(msg)
            self.base = StoredRow(self.key, arrival.record, self.merge.schema, arrival.source)
        elif arrival.is_delete:
            self.log = self.merge.fold_log(self.log, self.key, LogDelete(arrival.ordering))
        else:
            self.log = self.merge.fold_log(self.log, self.key, LogRow(arrival.record or {}, arrival.source))

    def fold_input(self, arrival: Arrival) -> None:
        """Combine an incoming version with those of its batch before it, where the plan has batches combined."""
        version = self.merge.incoming(self.key, arrival.record, arrival.source, arrival.ordering)
        fold_version(self.merge, self.input, version)

    def write_base(self, versions: list[Carrier]) -> Action:
        """Merge a batch into the base file (copy-on-write), or insert it; return what became of the row there."""
        if not versions:
            return Action.SKIP if self.base is None else Action.KEEP
        versions = [self.merge.shuffled(version) for version in versions]
        if self.base is None:
            return self.store(self._insert(versions))
        return self.store(self.merge.upsert(self.base, functools.reduce(self.merge.fold_uncombined, versions)))

    def store(self, outcome: Outcome[StoredRow]) -> Action:
        """Put the row of an outcome into the base file; return what became of the one there."""
        if outcome.action is not Action.KEEP:
            self.base = outcome.version
            self.revision += 1
        return outcome.action

    def log_entries(self, versions: list[Carrier]) -> list[LogRow | LogDelete]:
        """Return what a batch becomes in a log, in its order there: deletes come last."""
        shuffled = map(self.merge.shuffled, versions)
        entries = [entry for version in shuffled if (entry := self.merge.log_entry(version)) is not None]
        return sorted(entries, key=_is_delete) if len(entries) > 1 else entries

    def _insert(self, versions: list[Carrier]) -> Outcome[StoredRow]:
        outcomes = [self.merge.insert(version) for version in versions]
        inserts = [outcome for outcome in outcomes if outcome.action is Action.INSERT]
        if len(inserts) > 1:
            msg = (
                f"a batch inserts {len(inserts)} rows of the new key; Hudi would store them all and have duplicates "
                "from then on, which is not supported: combine the batch (hoodie.combine.before.upsert=true) or drop "
                "one"
            )
            raise MergePointError(MergePoint.INSERT, InputError(msg))
        return inserts[0] if inserts else outcomes[0]

    def held(self) -> Iterator[Carrier]:
        """Give the carriers of all parts."""
        return (one for one in (self.base, *parts_of(self.log), *self.input) if one is not None)


def _is_delete(entry: LogRow | LogDelete) -> bool:
    return isinstance(entry, LogDelete)


def fold_version(merge: RecordMerge, versions: list[Carrier], version: Carrier) -> None:
    """Add a version to those of its batch; a plan that has batches combined leaves one of them."""
    if versions and merge.plan.combine_before_upsert:
        versions[-1] = merge.combine_input(versions[-1], version)
    else:
        versions.append(version)
