"""Staged: a table of many file groups that other writers take over in turn; plain Python.

Source: UpgradeDowngrade and its handlers of 1.0.2, 1.1.1 and 1.2.0.
"""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Protocol

from bridge.config import UpgradeCompaction
from bridge.programs.commit_loop import CommitLoop
from bridge.programs.upgrade import stages_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bridge.merge import RecordMerge
    from bridge.programs.handover import Handover
    from bridge.programs.program import Arrival, Emit
    from bridge.programs.upgrade import Stage
    from mergers import HoodieKey


class Group(Protocol):
    """A file group with a log that another writer can fold."""

    def fold_anew(self, merge: RecordMerge) -> None:
        """Fold the log as another writer does, which goes on with it."""

    def compact(self) -> None:
        """Merge the log into the base file."""


class Staged(CommitLoop):
    """What a program over time does where its table passes from one writer to the next; goes before its base class."""

    merge: RecordMerge

    def begin_with(self, handover: Handover, commits: int, *, log_updates: bool) -> None:
        """Take the writers that follow the one of `merge`; the last step of a constructor."""
        self._last = commits
        self._earliest = self.merge
        self.stages = tuple(stages_of(self.merge, handover, commits, log_updates=log_updates))
        self.passed = 0

    def start(self, key: HoodieKey) -> None:
        """Begin a key of an empty table of the first writer."""
        super().start(key)  # type: ignore[misc]  # of the class that follows
        self.merge, self.passed = self._earliest, 0

    def fold_input(self, arrival: Arrival) -> None:
        """Take a version of the current commit; the batch that upgrades is combined in a way of its own."""
        merge = self.merge
        if self.passed and arrival.commit == self.stages[self.passed - 1].after + 1:
            self.merge = self.stages[self.passed - 1].upgrading
        super().fold_input(arrival)  # type: ignore[safe-super]  # of the class that follows
        self.merge = merge

    def _end_commit(self, next_commit: int, emit: Emit) -> None:
        for stage in self.stages[self.passed :]:
            if self._commit <= stage.after < next_commit:
                super()._end_commit(stage.after + 1, emit)
                for group in self.file_groups():
                    _hand_over(stage, group)
                self.passed += 1
                self.take_over(stage)
                seen = stage.after if stage.after == self._last else stage.after + 1
                self.query(seen, emit)  # type: ignore[attr-defined]  # of the class that follows
        super()._end_commit(next_commit, emit)

    def take_over(self, stage: Stage) -> None:
        """Let the next writer go on; the file groups were handed over already."""
        self.merge = stage.new

    @abc.abstractmethod
    def file_groups(self) -> Sequence[Group]:
        """Return the file groups that have rows of the key."""


def _hand_over(stage: Stage, group: Group) -> None:
    if stage.compacting is not None:
        group.fold_anew(stage.compacting)
        group.compact()
    group.fold_anew(stage.kept)
    if stage.compacts is UpgradeCompaction.RUN:
        group.compact()
    group.fold_anew(stage.new)
