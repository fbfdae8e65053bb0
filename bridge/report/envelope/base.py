"""What the JSON of every verb has, and what several have."""

# ruff: noqa: TC001 (the types are read when the schema is made)

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NamedTuple, TypeAlias, TypedDict

from bridge.report.severity import Severity

if TYPE_CHECKING:
    from typing_extensions import NotRequired

FORMAT: Final = 2
"""The version of the JSON envelope."""


class Least(NamedTuple):
    """The keywords of JSON Schema that a number adds to its type."""

    minimum: int


Count: TypeAlias = Annotated[int, Least(minimum=0)]
Row: TypeAlias = dict[str, Any]
"""Columns and values: dates and times as ISO text (instants in UTC, ending in Z), decimals as text, bytes as base64."""
TableTypeName: TypeAlias = Literal["cow", "mor"]
Kind: TypeAlias = Literal["only-left", "only-right", "changed"]
Point: TypeAlias = Literal["batch", "stored", "alone", "entry"]
Change: TypeAlias = Literal["table-type", "compaction", "commits"]


class Sides(TypedDict):
    """What `left` and `right` are called in texts."""

    left: str
    right: str


class Envelope(TypedDict):
    """One object a run, on standard output.

    Attributes:
        format: the version of this envelope.
        verb: the verb; empty if the command line names none.
        success: whether nothing was found on which the verb fails: the exit code is 0.
        severity: the worst of what was found; null where nothing is judged.
        not_checked: whether something was not checked, whatever else was found.
        scenario: what is counted, where the same upgrade has other counts under another verb.
        verdict: the result in a sentence or two; error for a run that failed.
        plan: the settings that were used, by the names of the options.
        statistics: counts by name; what they are depends on the verb.
        results: the results; what they are depends on the verb.
        warnings: what else to know.
        next: what to run or to do next.
        sides: what left and right are called, where two sides are compared.
        error: what failed and what to do, for a run with exit code 2 or 3 that has no result.
    """

    format: Literal[2]
    verb: str
    success: bool
    severity: Severity | None
    not_checked: bool
    scenario: str | None
    verdict: str
    plan: dict[str, Any]
    statistics: dict[str, Any]
    results: list[Any]
    warnings: list[str]
    next: list[str]
    sides: NotRequired[Sides]
    error: NotRequired[str]


class TableDifference(TypedDict):
    """A row that differs.

    Attributes:
        key: the columns that identify it.
        columns: those whose values differ, if both sides have the row.
    """

    key: Row
    kind: Kind
    columns: list[str]
    left: Row | None
    right: Row | None


class KeyDifference(TableDifference):
    """A key that differs, and a remark as a sentence."""

    note: str | None


class RowCountsLine(TypedDict):
    """Row counts at a merge point, from a side."""

    merge_point: str
    side: Literal["stored", "log", "incoming"]
    merged: Count
    kept: Count
    deleted: Count
    ignored: Count
    quarantined: Count


RowCounts: TypeAlias = list[RowCountsLine]


class Estimate(TypedDict):
    """An interval for the share of all keys, from 0 to 1, and the counts of the sample that it follows from."""

    table: str
    found: Count
    keys: Count
    low: float
    high: float


class ScopeJson(TypedDict):
    """The part of the batches that was taken.

    Attributes:
        exact_for: the keys for which the answers are exact, in words.
        confidence: of the estimates, where the part is a sample.
        method: how the intervals are computed.
    """

    exact_for: str
    confidence: NotRequired[float]
    method: NotRequired[str]
    estimates: NotRequired[list[Estimate]]


class Held(TypedDict):
    """What the files of a table still hold; `keys_by_versions` by the number of versions, as text."""

    keys: NotRequired[Count]
    keys_with_several_versions: NotRequired[Count]
    keys_by_versions: NotRequired[dict[str, Count]]


class FindingJson(TypedDict):
    """A warning about a table; `example` is what was counted, and the smallest example."""

    severity: Severity
    text: str
    remedy: str
    example: NotRequired[Row]


class PropertyChanged(TypedDict):
    """A table property; null where it is not set."""

    key: str
    before: str | None
    after: str | None
