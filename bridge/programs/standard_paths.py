"""The paths that are there for every key: each of three tables, written in each of three ways."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, NamedTuple

from bridge.merge import MergePoint
from bridge.plan import TableType
from bridge.programs.path_walk import Path, as_given

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bridge.plan import MergePlan


class Grouping(enum.Enum):
    """How the versions of a key are split into commits."""

    AS_GIVEN = "batches as given"
    SINGLE = "a commit per version"
    JOINED = "one commit"


class StandardPath(NamedTuple):
    """A path without the number of versions, so that it is one for all keys.

    Attributes:
        table_type: the type of the table.
        compacts: whether the log is compacted after each commit, or never.
        commits: how the versions are split.
    """

    table_type: TableType
    compacts: bool
    commits: Grouping

    @property
    def table(self) -> str:
        """The table in words."""
        return f"{self.table_type.long_name}, compacted" if self.compacts else self.table_type.long_name

    @property
    def words(self) -> str:
        """The path in words."""
        return f"{self.table}, {self.commits.value}"

    def points(self, plan: MergePlan) -> list[MergePoint]:
        """Return where versions can meet on the path; entries of a log meet before they are compacted or queried."""
        combines = self.commits is not Grouping.SINGLE and plan.combine_before_upsert
        is_one_write = self.commits is Grouping.JOINED
        points = [MergePoint.COMBINE_INPUT] if combines else []
        if self.table_type is TableType.COPY_ON_WRITE:
            return points if is_one_write else [*points, MergePoint.UPSERT]
        if is_one_write and plan.inserts_to == "base":
            return points
        return [*points, MergePoint.COMPACT if self.compacts else MergePoint.SNAPSHOT]

    def of(self, batches: Sequence[int]) -> Path:
        """Return the path of a key whose versions came in `batches`."""
        match self.commits:
            case Grouping.AS_GIVEN:
                sizes = as_given(batches)
            case Grouping.SINGLE:
                sizes = (1,) * len(batches)
            case Grouping.JOINED:
                sizes = (len(batches),)
        return Path(self.table_type, sizes, tuple(range(1, len(sizes) + 1)) if self.compacts else ())


def standard_paths(table_types: Iterable[TableType]) -> tuple[StandardPath, ...]:
    """Return the paths through tables of these types, that of the batches as they are first."""
    chosen = set(table_types)
    tables = [(one, False) for one in TableType if one in chosen]
    tables += [(TableType.MERGE_ON_READ, True)] if TableType.MERGE_ON_READ in chosen else []
    return tuple(StandardPath(*table, commits) for table in tables for commits in Grouping)
