"""The JSON of `explain` and `verify`."""

# ruff: noqa: TC001 (the types are read when the schema is made)

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

from bridge.report.envelope.base import Count, Row, RowCounts, ScopeJson, TableTypeName

if TYPE_CHECKING:
    from typing_extensions import NotRequired


class CallSide(TypedDict):
    """A side of a merge call."""

    record: Row | None
    ordering: str | None
    is_delete: bool


class Call(TypedDict):
    """A merge call; `parts` is whether the two sides begin to differ at it."""

    commit: int
    release: str
    point: str
    method: str
    older: CallSide | None
    newer: CallSide
    result: CallSide | None
    rule: str
    parts: bool


class ExplainStatistics(TypedDict):
    """Of one row on each side.

    Attributes:
        parting_commit: the first commit after which the sides differ.
        books: what became of the versions on each side; null for a side that fails before a merge.
    """

    rows_in: Count
    commits: Count
    calls: list[Count]
    parting_commit: int | None
    books: list[RowCounts | None]
    scope: NotRequired[ScopeJson]


class ExplainedSide(TypedDict):
    """One side of a row: what it ends as, and every merge call."""

    side: str
    table_type: TableTypeName
    row: Row | None
    error: str | None
    calls: list[Call]


class TableRowStatistics(TypedDict):
    """Of one row of a table."""

    versions: Count
    readers: list[str]


class TableCallJson(TypedDict):
    """A merge call of a query; sides are names of versions, or of rows that a call has made."""

    point: str
    method: str
    older: str | None
    newer: str | None
    result: str | None
    rule: str
    made: dict[str, Row]


class ExplainedRow(TypedDict):
    """The versions of a row of a table, and by release what its reader shows, where it fails, and its calls."""

    versions: list[Row]
    shown: dict[str, list[Row]]
    failed: dict[str, str]
    calls: dict[str, list[TableCallJson]]


class Ruling(TypedDict):
    """What the rule of the class alone says of a law."""

    outcome: Literal["holds", "fails", "not decided"]
    reason: str


class MergeStepJson(TypedDict):
    """A merge of a bracketing, as text, and what it gives."""

    merge: str
    result: Any


class Bracketing(TypedDict):
    """One side of a law."""

    bracketing: str
    steps: list[MergeStepJson]


class Operand(TypedDict):
    """A version of a counterexample."""

    name: str
    record: Row | None
    ordering: Any
    is_delete: bool


class CounterexampleJson(TypedDict):
    """The smallest versions that violate a law, and what it means for a table."""

    row: Row | None
    versions: list[Operand]
    left: Bracketing
    right: Bracketing
    cause: str | None
    meaning: str


class LawJson(TypedDict):
    """A verdict on a law; `for_all_rows` is whether the rule of the class proves it for all rows."""

    law: str
    domain: Literal["data", "flagged", "empty"]
    verdict: Literal["holds", "proved", "violated", "not-checked", "not-tried", "not-applicable"]
    cases: Count
    detail: str
    for_all_rows: bool
    rule: Ruling | None
    counterexample: CounterexampleJson | None
