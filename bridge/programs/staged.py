"""Staged: a table of several writers in turn; upgrades, in one step or more, and downgrades; plain Python.

Source: UpgradeDowngrade and its handlers of 1.0.2, 1.1.1 and 1.2.0.
"""

from __future__ import annotations

import abc
import itertools
import operator
from typing import TYPE_CHECKING, NamedTuple, Protocol

from bridge.config import UpgradeCompaction, capabilities
from bridge.programs.commit_loop import CommitLoop
from bridge.programs.inline_compaction import compacts_inline

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bridge.merge import RecordMerge
    from bridge.programs.handover import Handover
    from bridge.programs.program import Arrival, Emit
    from mergers import HoodieKey


class Stage(NamedTuple):
    """A handover with its calls.

    Attributes:
        after: the last commit before it.
        compacts: how the upgrade treats the log of a merge-on-read table: it compacts it, only plans to, or leaves it.
        compacting: the old writer's compaction before a downgrade; None without one.
        kept, upgrading, new: the calls on the table as it was, in the batch that upgrades, and from then on.
        runs_planned: whether the new writer runs, after its first commit, a compaction that is planned.
    """

    after: int
    compacts: UpgradeCompaction
    compacting: RecordMerge | None
    kept: RecordMerge
    upgrading: RecordMerge
    new: RecordMerge
    runs_planned: bool


def stages_of(merge: RecordMerge, handover: Handover | None, commits: int, *, log_updates: bool) -> Iterator[Stage]:
    """Give the handovers of a table with their calls, in order; `merge` has those of the first writer."""
    while handover is not None:
        after, kept, upgraded, upgrading, compacting, then = handover
        at_first = new = at_once = merge
        # Reading copy-on-write merges nothing, nor does upgrading it.
        if log_updates or (upgraded is None and after < commits):
            at_first = new = at_once = merge.with_plan(kept)
        if upgraded is not None:
            new = merge.with_plan(upgraded)
            at_once = new if upgrading is None else merge.with_plan(upgrading)
        compacts = UpgradeCompaction.NONE if upgraded is None else capabilities(upgraded.release).upgrade_compaction
        before = merge.with_plan(compacting) if compacting is not None and log_updates else None
        runs = log_updates and compacts_inline(kept)
        yield Stage(after, compacts, before, at_first, at_once, new, runs)
        merge, handover = new, then


class Staged(CommitLoop):
    """What a program over time does where its table passes from one writer to the next; goes before its base class.

    Attributes:
        stages: the handovers.
        passed: how many of them are done.
        requested_compactions: the commits after which the user has the table compacted.
    """

    merge: RecordMerge

    def begin_with(self, handover: Handover, commits: int, *, log_updates: bool) -> None:
        """Take the writers that follow the one of `merge`, once that is set."""
        self._last = commits
        self._earliest = self.merge
        self.stages = tuple(stages_of(self.merge, handover, commits, log_updates=log_updates))
        self.passed = 0
        self.requested_compactions = frozenset(self._compactions)
        is_planned = itertools.accumulate((s.compacts is UpgradeCompaction.PLANNED for s in self.stages), operator.or_)
        runs = (s.after + 1 for s, planned in zip(self.stages, is_planned, strict=True) if planned and s.runs_planned)
        self._compactions = sorted(self.requested_compactions.union(runs))

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
                self.passed += 1
                self.hand_over(stage, emit)
        super()._end_commit(next_commit, emit)

    def hand_over(self, stage: Stage, emit: Emit) -> None:
        """Let the next writer go on with the table; what it sees counts from its first commit on."""
        self.change_writer(stage)
        seen = stage.after if stage.after == self._last else stage.after + 1
        self.query(seen, emit)  # type: ignore[attr-defined]  # of the class that follows

    def change_writer(self, stage: Stage) -> None:
        """Hand all file groups to the next writer."""
        for group in self.file_groups():
            _hand_over(stage, group)
        self.merge = stage.new

    def compact_after(self, commit: int, emit: Emit) -> None:
        """Run the compaction that an upgrade has planned, compact if that is asked for, and take the snapshot."""
        for group in self.file_groups():
            group.run_planned()
        if commit in self.requested_compactions:
            super().compact_after(commit, emit)  # type: ignore[safe-super]  # of the class that follows
        else:
            self.query(commit, emit)  # type: ignore[attr-defined]  # of the class that follows

    @abc.abstractmethod
    def file_groups(self) -> Sequence[Group]:
        """Return the file groups that have rows of the key."""


class Group(Protocol):
    """A file group with a log that another writer can fold."""

    @property
    def is_planned(self) -> bool:
        """Whether a compaction of the file group is planned."""

    def merge_log_again(self, merge: RecordMerge) -> None:
        """Merge the log by the rules of another writer, which goes on with it."""

    def compact(self) -> None:
        """Merge the log into the base file."""

    def plan_compaction(self) -> None:
        """Plan a compaction of the log as it is."""

    def expect_compaction(self) -> None:
        """Go on with a writer that runs what is planned after its first commit."""

    def run_planned(self) -> None:
        """Run the compaction that is planned, if there is one."""


def _hand_over(stage: Stage, group: Group) -> None:
    if stage.compacting is not None:
        group.merge_log_again(stage.compacting)
        group.compact()
    group.merge_log_again(stage.kept)
    if stage.compacts is UpgradeCompaction.PLANNED:
        group.plan_compaction()
    elif stage.compacts is UpgradeCompaction.RUN and not group.is_planned:
        group.compact()
    if stage.new is not stage.kept:
        group.merge_log_again(stage.new)
    if stage.runs_planned:
        group.expect_compaction()
