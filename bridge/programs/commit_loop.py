"""CommitLoop: what every program over time does between the commits of a table; plain Python, no Spark."""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from bridge.programs.program import Arrival, Emit


class CommitLoop(abc.ABC):
    """The commits of a table in order, from 1: one ends where the next begins, and compactions run in between."""

    def __init__(self, commits: int, compact_after: Collection[int]) -> None:
        self._commits = commits
        self._compactions = sorted(compact_after)
        self._commit = 0

    def accept(self, arrival: Arrival, emit: Emit) -> None:
        """Take a version of the current commit, or end that commit and begin the arrival's."""
        if arrival.commit != self._commit:
            self._end_commit(arrival.commit, emit)
        self.fold_input(arrival)

    def finish(self, emit: Emit) -> None:
        """End the last commits and emit what is visible then."""
        self._end_commit(self._commits + 1, emit)
        self.end_table(self._commits + 1, emit)

    def _end_commit(self, next_commit: int, emit: Emit) -> None:
        """Write the input of the current commit, and run the compactions before `next_commit`."""
        self.write_commit(emit)
        for commit in self._compactions:
            if self._commit <= commit < next_commit:
                self.compact_after(commit, emit)
        self._commit = next_commit

    @abc.abstractmethod
    def fold_input(self, arrival: Arrival) -> None:
        """Take a version of the current commit."""

    @abc.abstractmethod
    def write_commit(self, emit: Emit) -> None:
        """Write the input of the current commit, if it has any, and show what is visible then."""

    @abc.abstractmethod
    def compact_after(self, commit: int, emit: Emit) -> None:
        """Compact the table after `commit`, and show what is visible then."""

    @abc.abstractmethod
    def end_table(self, commit: int, emit: Emit) -> None:
        """Emit what is visible until `commit`, which is the one after the last."""
