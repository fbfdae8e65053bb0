"""The JSON of `replay`, `diff`, `compare-readers` and `history`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, TypedDict

from bridge.report.envelope.base import (
    Count,
    Held,
    KeyDifference,
    Row,
    RowCounts,
    ScopeJson,
    Sides,
    TableDifference,
    TableTypeName,
)

if TYPE_CHECKING:
    from typing_extensions import NotRequired


class Sided(TypedDict):
    """Of each side; a refused side has none."""

    left: NotRequired[RowCounts]
    right: NotRequired[RowCounts]


class Quarantined(TypedDict):
    """The rows whose keys a side can't merge."""

    left: NotRequired[Count]
    right: NotRequired[Count]


class ReplayFigures(TypedDict):
    """A replay on one table type."""

    grade: str
    verdict: str
    refused_as_it_is: str | None
    sides: Sides
    differing: Count
    by_object_identity: Count


class Counted(TypedDict):
    """How many keys differ after a commit."""

    table_type: TableTypeName
    commit: Count
    only_left: Count
    only_right: Count
    changed: Count
    equal: bool


class ReplayExample(TypedDict):
    """The smallest example of a kind: the versions of its key, and the columns that `explain --row` takes."""

    table_type: TableTypeName
    commit: Count
    difference: KeyDifference
    versions: list[Row]
    row: dict[str, str]


Graded: TypeAlias = Literal[
    "REFUSED", "IDENTICAL", "IDENTICAL ON THIS DATA", "DIFFERS ON TIES", "DIFFERS ON DELETES", "DIFFERS"
]


class Compaction(TypedDict):
    """A compaction that is rebuilt."""

    instant: str
    after: Count
    groups: Count
    existing: Count


class OverRepresentedValue(TypedDict):
    """A value (null for null) that is more frequent among the rows that differ than among all rows."""

    column: str
    value: str | None
    differing: Count
    of_differing: Count
    rows: Count
    of_rows: Count


class ReplayStatistics(Held):
    """Of batches under two configurations; with `--history` also of the table that they come from.

    Attributes:
        question: what is counted.
        causes: how many of the traced keys differ by a cause, where a page is written.
        rows: how many rows the table has.
        not_rebuilt: of how many of its keys the rebuilt commits give another row.
    """

    question: Literal["first", "upgraded", "batches", "history"]
    rows_in: Count
    quarantined: dict[TableTypeName, Quarantined]
    books: dict[TableTypeName, Sided]
    grade: Graded
    table_types: dict[TableTypeName, ReplayFigures]
    commits: list[Counted]
    over_represented: dict[TableTypeName, list[OverRepresentedValue]]
    examples: list[ReplayExample]
    scope: NotRequired[ScopeJson]
    causes: NotRequired[dict[str, Count]]
    rows: NotRequired[Count]
    not_rebuilt: NotRequired[Count]
    compactions: NotRequired[list[Compaction]]


class ReplayedKey(KeyDifference):
    """A key that differs after the last batch."""

    table_type: TableTypeName


class FilesRead(TypedDict):
    """What was read of a table; `logged_keys` is null in a scope."""

    rows_in: Count
    logged_keys: Count | None
    file_slices: Count


class UpgradedReaders(FilesRead):
    """Of a table whose files another release reads as they are.

    Attributes:
        causes: how many of the traced rows differ by a cause; the result in Python leaves it out.
    """

    question: Literal["readers"]
    grade: Graded
    differing: Count
    only_left: Count
    only_right: Count
    changed: Count
    over_represented: list[OverRepresentedValue]
    causes: NotRequired[dict[str, Count]]


class Differing(TypedDict):
    """How many keys differ, by kind."""

    only_left: Count
    only_right: Count
    changed: Count


class ReaderJson(TypedDict):
    """How far a reader agrees with the first; `how` its rows are known."""

    reader: str
    only_left: Count
    only_right: Count
    changed: Count
    refused: str | None
    not_run: str | None
    program: str | None
    differing: Count
    how: str


class ReadersStatistics(FilesRead):
    """Of all readers of a table."""

    readers: list[ReaderJson]


class ReadDifference(TableDifference):
    """A row that a reader shows differently."""

    reader: str


class HistoryStatistics(TypedDict):
    """What the files of a table still hold; `keys_by_versions` by the number of versions, as text."""

    keys: Count
    keys_with_several_versions: Count
    keys_by_versions: dict[str, Count]


class HeldOfCommit(TypedDict):
    """What they hold of one commit; `written` is null where its metadata is archived."""

    instant: str
    logged: Count
    based: Count
    deletes: Count
    written: Count | None
    complete: bool
