"""What a page shows besides the text of a report: figures, bars, causes, keys with their timelines, and laws."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from bridge.report.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bridge.report.json_values import JsonObject

PAGE_KEYS = 1_000
"""How many keys a page lists at most."""


class Figure(NamedTuple):
    """A number that a page shows large, and what it counts."""

    value: str
    label: str


class Bar(NamedTuple):
    """A line of a chart.

    Attributes:
        label: what the line is about.
        parts: how many keys there are of each kind, in the order of the chart's legend.
        out_of: how many keys there are in all; None where that is not known.
        choose: the filter of the list that the line sets, as field and value; None for none.
    """

    label: str
    parts: Sequence[int]
    out_of: int | None = None
    choose: tuple[str, str] | None = None

    @property
    def total(self) -> int:
        """How many keys the line counts."""
        return sum(self.parts)


class Chart(NamedTuple):
    """Bars on one scale, with a remark on what is left out."""

    title: str
    bars: Sequence[Bar]
    note: str = ""

    @property
    def most(self) -> int:
        """The longest bar, at least 1."""
        return max(1, *(bar.total for bar in self.bars), 1)


class CauseLine(NamedTuple):
    """A rule on which two sides part.

    Attributes:
        id: its id, by which the list is filtered.
        title: its name.
        text: what it means, as a clause.
        keys: how many of the keys that were traced it has.
        example: what each side did with one of these keys, as side and rule.
    """

    id: str
    title: str
    text: str
    keys: int
    example: Sequence[tuple[str, str]] = ()


class ValueLine(NamedTuple):
    """A value that is more frequent among the rows that differ than among all rows.

    Attributes:
        name: the column with the value.
        share: its share of the rows that differ, in words.
        base: its share of all rows, in words.
        search: what the list is searched for to see them; None where the list can't be.
    """

    name: str
    share: str
    base: str
    search: str | None = None


@dataclass(frozen=True)
class Keys:
    """The list of keys, drawn by the page's script.

    Attributes:
        rows: the keys: `key` (values in the order of `identity`), `kind`, `table` and `cause` (positions in the lists
            below, `cause` may be None), `columns` (names), `left`, `right` (rows or None), `note`, `story` (or None).
            Those of several answers have `answers` instead of two sides, each with `groups` (names), `path`, `row`
            and `error`, and `paths`, the pairs of groups that end differently.
        identity: the columns that identify a row.
        partition: those of them that are partition columns.
        kinds: the kinds of differences, in words.
        tables: the table types.
        causes: the causes.
        total: how many keys differ in all.
        note: how the keys were chosen, where they are not all.
        title: what the list has.
        sides: what the sides of its rows are called; None if those of the report.
    """

    rows: Sequence[JsonObject]
    identity: Sequence[str] = ()
    partition: Sequence[str] = ()
    kinds: Sequence[str] = ()
    tables: Sequence[str] = ()
    causes: Sequence[CauseLine] = ()
    total: int = 0
    note: str = ""
    title: str = "Keys that differ"
    sides: tuple[str, str] | None = None


class LawCell(NamedTuple):
    """The verdict on a law in a domain; `panel` is the id of its counterexample, `scope` what a proof covers."""

    verdict: str
    cases: int
    detail: str
    panel: str = ""
    scope: str = ""


class LawPanel(NamedTuple):
    """A counterexample: its operands, both bracketings step by step, and what it means."""

    id: str
    title: str
    operands: Sequence[tuple[str, str]]
    columns: tuple[str, str]
    steps: Sequence[tuple[str, str]]
    meaning: str


@dataclass(frozen=True)
class Laws:
    """The verdicts on laws: a line a law, a column a domain.

    Attributes:
        domains: the columns.
        lines: id, equation and reading of a law, and its cell in each domain.
        panels: the counterexamples.
        values: what was enumerated, for each domain with a proof: its name, and lines of text.
    """

    domains: Sequence[str]
    lines: Sequence[tuple[str, str, str, Sequence[LawCell]]]
    panels: Sequence[LawPanel]
    values: Sequence[tuple[str, Sequence[str]]] = ()


class PathLine(NamedTuple):
    """Paths that end alike, and on how many keys the others do not.

    Attributes:
        name: the name of the group.
        paths: each path in words, and the merge points that it leads through.
        cells: a line, in order, how many keys end differently, by kind; empty for the line itself.
    """

    name: str
    paths: Sequence[tuple[str, str]]
    cells: Sequence[Sequence[int]]


@dataclass(frozen=True)
class View:
    """The parts of a page.

    Attributes:
        headline: the result in one sentence, with the names of what is compared.
        figures: the numbers of the first screen.
        legend: what the parts of bars are.
        charts: bars.
        causes: the causes of differences, the most frequent first.
        cause_note: what the causes were counted on.
        keys: the keys that differ, if the page lists them.
        story: the timeline of one row, if that is what the page is about; see `bridge.explain`.
        laws: verdicts on laws, if that is what the page is about.
        notes: what else the page says.
        cause_title: what the causes are called.
        paths: which paths disagree, if that is what the page is about.
        values: the over-represented values, the most notable first.
    """

    headline: str
    figures: Sequence[Figure] = ()
    legend: Sequence[str] = ()
    charts: Sequence[Chart] = ()
    causes: Sequence[CauseLine] = ()
    cause_note: str = ""
    keys: Keys | None = None
    story: JsonObject | None = None
    laws: Laws | None = None
    notes: Sequence[str] = field(default_factory=tuple)
    cause_title: str = "Why"
    paths: Sequence[PathLine] = ()
    values: Sequence[ValueLine] = ()

    @property
    def why(self) -> list[str | Table]:
        """The causes and notes as parts of a text."""
        lines = [
            (one.title, f"{one.keys:,}", "\n".join((one.text, *(f"{side}: {rule}" for side, rule in one.example))))
            for one in self.causes
        ]
        title = f"{self.cause_title}, {self.cause_note}" if self.cause_note else self.cause_title
        found = Table(("cause", "number", "what happens"), lines, title, frozenset({"number"}))
        return [*([found] if lines else []), *self.notes]
