"""The JSON of `merge`, `merge-into`, `snapshot` and `simulate`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

from bridge.report.envelope.base import Change, Count, Held, Row, RowCounts, ScopeJson, Sides, TableTypeName

if TYPE_CHECKING:
    from typing_extensions import NotRequired


class RowStatuses(TypedDict):
    """Row counts."""

    merged: Count
    kept: Count
    deleted: Count
    ignored: Count
    quarantined: Count


class MergeStatistics(RowStatuses):
    """Rows that came in are merged, kept, deleted, ignored or quarantined; those of the result are kept or made.

    Attributes:
        inserted: how many keys are new.
    """

    rows_in: Count
    rows_out: Count
    inserted: Count
    made: Count
    books: RowCounts


class Written(TypedDict):
    """What a commit wrote."""

    inserted: Count
    updated: Count
    deleted: Count


class MergeIntoStatistics(TypedDict, total=False):
    """Of a batch that was merged into a table; counts are missing where nothing was merged.

    Attributes:
        merged_by: the commit that had merged the batch before; null if none had.
    """

    rows_in: Count
    rows_out: Count
    inserted: Count
    made: Count
    merged: Count
    kept: Count
    deleted: Count
    ignored: Count
    quarantined: Count
    books: RowCounts
    written: Written
    merged_by: str | None


class SnapshotStatistics(TypedDict):
    """Of a table that was read."""

    rows_out: Count
    quarantined: NotRequired[Count]


class SimulateStatistics(RowStatuses, Held):
    """Of batches written to a new table of each type: what became of rows, and the keys inserted, changed, removed."""

    rows_in: Count
    rows_out: Count
    inserted: Count
    changed: Count
    removed: Count
    commits: Count
    disagreeing_keys: NotRequired[Count]
    books: dict[TableTypeName, RowCounts]
    scope: NotRequired[ScopeJson]


class SimulatedSnapshot(TypedDict):
    """The snapshot after a commit."""

    commit: Count
    table_type: TableTypeName
    snapshot: list[Row]


class SimulatedQuarantine(TypedDict):
    """The versions of keys that can't be merged."""

    table_type: TableTypeName
    quarantine: list[Row]


class PathKinds(TypedDict):
    """How many keys are missing on some paths, failing on some, and there with other values."""

    missing: Count
    failing: Count
    values: Count


class PathJson(TypedDict):
    """A path that every key can take.

    Attributes:
        group: keys end alike on all paths of a group.
        compacted: whether the log is compacted after each commit, or never.
        merge_points: where versions can meet on it.
    """

    group: str
    path: str
    table_type: TableTypeName
    compacted: bool
    commits: Literal["batches as given", "a commit per version", "one commit"]
    merge_points: list[Literal["combine-input", "upsert", "compact", "snapshot"]]


class GroupsDisagree(TypedDict):
    """Two groups, and how many keys end differently."""

    groups: list[str]
    keys: Count
    kinds: PathKinds


class PathAnswer(TypedDict):
    """How a key ends on a path, the nearest of those that end so; `groups` end so, too."""

    path: str
    table_type: TableTypeName
    commits: list[int]
    compact_after: list[int]
    row: Row | None
    error: str | None


class GroupedAnswer(PathAnswer):
    """How a key ends, and on which groups of paths."""

    groups: list[str]


class SmallestPaths(TypedDict):
    """The smallest versions that end differently on two paths."""

    key: Row
    versions: list[Row]
    batches: list[int]
    sides: Sides
    left: PathAnswer
    right: PathAnswer
    meaning: str


ByChange = TypedDict("ByChange", {"table-type": Count, "compaction": Count, "commits": Count})
"""How many keys each change to the batches as given is the least for to end differently."""


class PathsStatistics(RowStatuses):
    """Of every path; rows are counted on one of them: the batches as they are, in the table type that `books` name."""

    rows_in: Count
    keys: Count
    depending_keys: Count
    keys_of_many_versions: Count
    incomplete_keys: Count
    paths: list[PathJson]
    disagreements: list[GroupsDisagree]
    kinds: PathKinds
    changes: ByChange
    books: dict[TableTypeName, RowCounts]
    smallest: SmallestPaths | None
    scope: NotRequired[ScopeJson]
    keys_with_several_versions: NotRequired[Count]
    keys_by_versions: NotRequired[dict[str, Count]]


class DependingKey(TypedDict):
    """A key whose row depends on the path."""

    key: Row
    batches: list[int]
    kind: Literal["missing", "failing", "values"]
    change: Change
    answers: list[GroupedAnswer]
