"""A table with a global index that several writers write in turn; plain Python.

A key may have logs in several partitions: each file group passes from one release to the next by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.programs.global_index import GlobalIndexTable
from bridge.programs.staged import Staged

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from bridge.merge import RecordMerge
    from bridge.programs.file_group import FileGroup
    from bridge.programs.handover import Handover


class GlobalUpgrade(Staged, GlobalIndexTable):
    """Commits of several writers on one table. Adds what `Simulate` adds."""

    def __init__(
        self,
        merge: RecordMerge,
        *,
        commits: int,
        log_updates: bool,
        handover: Handover,
        compact_after: Collection[int] = (),
    ) -> None:
        """Set up a table; the arguments are those of `Upgrade`."""
        super().__init__(merge, commits=commits, log_updates=log_updates, compact_after=compact_after)
        self.begin_with(handover, commits, log_updates=log_updates)

    def file_groups(self) -> Sequence[FileGroup]:
        """Return the file groups that have rows of the key."""
        return self.groups
