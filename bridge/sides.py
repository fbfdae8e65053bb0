"""Sides: the two tables that a comparison writes the same batches to."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from bridge.pipeline import simulate_commits, simulate_upgrade

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from bridge.plan import MergePlan


@dataclasses.dataclass(frozen=True)
class Sides:
    """What both sides do with the same batches.

    Attributes:
        left: the plan of the left side, which all commits follow.
        right: the plan of the right side.
        commits: how many commits there are, counted from 1.
        upgrade_after: the right side is the table of the left one, which the plan `right` takes over after this
            commit; after the last one it only reads. None: a table of its own.
        keep_table_version: whether that table keeps its version.
        compact_after: the commits after which a log is compacted, on both sides.
    """

    left: MergePlan
    right: MergePlan
    commits: int
    upgrade_after: int | None = None
    keep_table_version: bool = False
    compact_after: tuple[int, ...] = ()

    @property
    def follow_one_rule(self) -> bool:
        """Whether both sides do the same, so that no data can tell them apart."""
        return self.left == self.right and self.upgrade_after is None

    def left_of(self, versions: DataFrame) -> DataFrame:
        """Return the snapshots of the left side."""
        return simulate_commits(versions, self.left, commits=self.commits, compact_after=self.compact_after)

    def right_of(self, versions: DataFrame) -> DataFrame:
        """Return the snapshots of the right side.

        Raises:
            PayloadBridgeError: its release refuses payload or settings.
        """
        if self.right.payload is not None and self.upgrade_after != self.commits:
            self.right.payload.resolve(self.right.release)
        if self.upgrade_after is None:
            return simulate_commits(versions, self.right, commits=self.commits, compact_after=self.compact_after)
        return simulate_upgrade(
            versions,
            self.left,
            self.right,
            commits=self.commits,
            upgrade_after=self.upgrade_after,
            keep_table_version=self.keep_table_version,
            compact_after=self.compact_after,
        )
