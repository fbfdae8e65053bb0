"""Takeover: how a table passes from one writer to the next, upgrades and downgrades; plain Python, no Spark.

A merge-on-read table that 1.1 or 1.2 upgrades to version 8 or later is compacted first, by the code of the new release
under the settings and the table version of the old one: 1.2 writes what its own reader showed before. 1.0 plans this
compaction, and its writer runs it after the first commit, or, if it does not compact inline, never; the compaction of
the next upgrade passes over what is planned. A downgrade is compacted first by the old release. After the last commit
of all there is nothing to write: then the new release only reads.

Source: UpgradeDowngrade and its handlers of 1.0.2, 1.1.1 and 1.2.0.
"""

from __future__ import annotations

import itertools
import operator
from typing import TYPE_CHECKING, NamedTuple

from bridge.config import UpgradeCompaction, capabilities
from bridge.programs.inline_compaction import compacts_inline

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from bridge.merge import RecordMerge
    from bridge.programs.handover import Handover


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


def planned_compactions(stages: Sequence[Stage]) -> Collection[int]:
    """Return the commits after which writers run what an upgrade has planned."""
    is_planned = itertools.accumulate((one.compacts is UpgradeCompaction.PLANNED for one in stages), operator.or_)
    return {one.after + 1 for one, planned in zip(stages, is_planned, strict=True) if planned and one.runs_planned}
