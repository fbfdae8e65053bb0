"""Report: the result of a verb, the verdict first: the JSON envelope for programs, text or Markdown for people."""

from __future__ import annotations

import io
import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TextIO, TypeAlias

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table as RichTable
from rich.text import Text

from bridge.redaction import scrubbed, setting_shown
from bridge.report.json_values import cell

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bridge.plan import MergePlan
    from bridge.report.view import View

FORMAT = 1
"""The version of the JSON envelope."""

_COLOURS = {"good": "green", "warns": "yellow", "bad": "red"}

SAMPLE = 20
"""How many rows or keys are shown to people unless they say otherwise."""

MOST = 100_000
"""How many JSON has unless the user says otherwise: one process gathers them."""

Label: TypeAlias = "tuple[str, Sequence[Any]]"
"""A column in front of a table: its header, and one cell a row."""


def limit_of(sample: int | None, *, whole: bool) -> int:
    """Return how many rows or keys to gather: as many as the user says; else all that JSON, or a person, is given."""
    if sample is not None:
        return sample
    return MOST if whole else SAMPLE


@dataclass(frozen=True)
class Table:
    """A table of text cells.

    Attributes:
        columns: the headers.
        rows: the cells.
        title: a line above, or nothing.
        right: the columns of numbers, set flush right.
        marks: the cells that a terminal shows in colour, as row and column, counted from 0.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""
    right: frozenset[str] = frozenset()
    marks: frozenset[tuple[int, int]] = frozenset()

    @classmethod
    def of_rows(
        cls,
        columns: Sequence[str],
        rows: Iterable[Mapping[str, Any]],
        title: str = "",
        labels: Sequence[Label] = (),
    ) -> Table:
        """Make a table of rows of JSON values.

        `labels` are columns in front of them, each a header and one cell a row; a column may have the same header.
        """
        heads = (*(head for head, _ in labels), *columns)
        data = [[row[name] for name in columns] for row in rows]
        cells = [[*(column[at] for _, column in labels), *row] for at, row in enumerate(data)]
        numbers = {
            head
            for head, column in zip(heads, zip(*cells, strict=True), strict=False)
            if all(isinstance(value, int | float | None) and not isinstance(value, bool) for value in column)
        }
        return cls(heads, [[cell(value) for value in row] for row in cells], title, frozenset(numbers))


class Check(NamedTuple):
    """One thing that a verb checked, for reports that list what passed and what failed.

    Attributes:
        name: what was checked.
        failure: what is wrong; None if nothing is.
        details: the differences, line by line.
    """

    name: str
    failure: str | None = None
    details: str = ""


@dataclass
class Report:
    """The result of a verb. Credentials that a message quotes are hidden in all its forms (`bridge.redaction`).

    Attributes:
        verb: the verb.
        verdict: the result in one sentence.
        success: whether it is a good one (exit code 0, else 1).
        plan: the settings that were used; see `plan_as_json`.
        statistics: counts by name.
        results: JSON values.
        sides: what `left` and `right` in the results are called; None where nothing is compared.
        warnings: what else the user should know.
        body: paragraphs and tables of the text, after the verdict.
        checks: what the verdict sums up; empty if there is only the verdict.
        view: what a page shows besides the text; None if there is only that.
        is_undecided: whether it is no success because something could not be checked (exit code 3).
        warns: whether the verdict of a success tells of changes, damage, or what was not looked at.
    """

    verb: str
    verdict: str
    success: bool = True
    plan: dict[str, Any] = field(default_factory=dict)
    statistics: dict[str, Any] = field(default_factory=dict)
    results: list[Any] = field(default_factory=list)
    sides: tuple[str, str] | None = None
    warnings: list[str] = field(default_factory=list)
    body: list[str | Table] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    view: View | None = None
    is_undecided: bool = False
    warns: bool = False

    @property
    def tone(self) -> str:
        """How the verdict is shown: `good`, `warns` or `bad`."""
        return "bad" if not self.success else "warns" if self.warns else "good"

    def as_json(self) -> str:
        """Return the envelope."""
        one: Report = scrubbed(self)
        sides: dict[str, Any] = {} if one.sides is None else {"sides": sides_as_json(one.sides)}
        content = (one.verb, one.success, one.verdict, one.plan, one.statistics, one.results, one.warnings)
        return _json(*content, **sides)

    def as_text(self, width: int | None = None, *, colours: bool = False) -> str:
        """Return text for a terminal or file of `width` columns; None for that of the terminal, 80 without one."""
        one: Report = scrubbed(self)
        stream = io.StringIO()
        console = _console(stream, width or Console().width, colours=colours)
        console.print(_text(one.verdict, f"bold {_COLOURS[one.tone]}"), end="\n\n")
        for part in one.body:
            if isinstance(part, Table):
                _print_table(console, part)
            else:
                console.print(_text(part))
            console.print()
        return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()).rstrip("\n")

    def as_markdown(self) -> str:
        """Return Markdown: a heading, the verdict in bold, the body, the warnings as a list."""
        one: Report = scrubbed(self)
        parts = [_markdown_table(part) if isinstance(part, Table) else _markdown_part(part) for part in one.body]
        warnings = ["\n".join(f"- warning: {_markdown_text(text)}" for text in one.warnings)] if one.warnings else []
        return "\n\n".join((f"# {one.verb}", f"**{_markdown_text(one.verdict)}**", *parts, *warnings))

    def rendered(self, output: str, *, colours: bool = False) -> str:
        """Return the report as `text`, `json` or `markdown`; `colours` are for text alone."""
        match output:
            case "json":
                return self.as_json()
            case "markdown":
                return self.as_markdown()
            case _:
                return self.as_text(colours=colours)


def error_as_json(verb: str, message: str) -> str:
    """Return the envelope of a verb that failed: all of its fields, and the sentence once more as `error`."""
    return _json(verb, False, "error", {}, {}, [], [], error=message)


def _json(  # noqa: PLR0913, PLR0917 (the fields of the envelope, in order)
    verb: str,
    success: bool,  # noqa: FBT001
    verdict: str,
    plan: dict[str, Any],
    statistics: dict[str, Any],
    results: list[Any],
    warnings: list[str],
    **more: Any,
) -> str:
    envelope = {
        "format": FORMAT,
        "verb": verb,
        "success": success,
        "verdict": verdict,
        "plan": plan,
        "statistics": statistics,
        "results": results,
        "warnings": warnings,
        **more,
    }
    return json.dumps(envelope, indent=2, ensure_ascii=False, allow_nan=False)


def sides_as_json(names: tuple[str, str]) -> dict[str, str]:
    """Return the names of the sides under the words that results use."""
    return dict(zip(("left", "right"), names, strict=True))


def plan_as_json(plan: MergePlan) -> dict[str, Any]:
    """Return the settings of a plan under the names of the options."""
    return {
        "payload": plan.payload_name,
        "release": str(plan.release),
        "table_type": plan.table_type.value,
        "key": list(plan.key),
        "partition": list(plan.partition),
        "ordering": list(plan.ordering),
        "table_version": plan.table_version,
        "arrival": plan.arrival,
        "schema": None if plan.schema is None else plan.schema.source,
        "props": {name: setting_shown(name, value) for name, value in plan.props.items()},
        "combine_before_upsert": plan.combine_before_upsert,
        "inserts_to": plan.inserts_to,
        "global_index": plan.global_index,
        "fidelity": plan.fidelity,
        "engine": plan.engine,
        "implementation": plan.implementation,
        "on_error": plan.on_error,
    }


# -- tables


def _console(stream: TextIO, width: int, *, colours: bool) -> Console:
    system: Literal["standard"] | None = "standard" if colours else None
    settings: dict[str, Any] = {"highlight": False, "markup": False, "emoji": False, "no_color": not colours}
    return Console(file=stream, width=width, color_system=system, force_terminal=colours, **settings)


def _print_table(console: Console, table: Table) -> None:
    """Print a table; one that is wider than the console with its rows side by side, or each as a list of its own."""
    if table.title:
        console.print(_text(table.title))
    for form in (table, _turned(table)):
        grid = _grid(form)
        if Measurement.get(console, console.options.update(max_width=10_000), grid).maximum <= console.width:
            console.print(grid)
            return
    for number, row in enumerate(table.rows):
        block = RichTable(box=None, pad_edge=False, show_header=False)
        block.add_column(no_wrap=True)
        block.add_column(overflow="fold")
        for at, (name, value) in enumerate(zip(table.columns, row, strict=True)):
            block.add_row(_text(name), _text(value, _style(table, number, at)))
        console.print(f"-- {number + 1} of {len(table.rows)}")
        console.print(block)


def _grid(table: Table) -> RichTable:
    grid = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in table.columns:
        grid.add_column(_text(name), justify="right" if name in table.right else "left", overflow="fold")
    for number, row in enumerate(table.rows):
        grid.add_row(*(_text(value, _style(table, number, at)) for at, value in enumerate(row)))
    return grid


def _style(table: Table, row: int, column: int) -> str:
    return "bold yellow" if (row, column) in table.marks else ""


def _turned(table: Table) -> Table:
    """Return the table with its rows as columns; their first cells become the headers."""
    first, *others = zip(table.columns, *table.rows, strict=True)
    return Table(first, others, marks=frozenset((column - 1, row + 1) for row, column in table.marks))


def _text(text: str, style: str = "") -> Text:
    """Return text without control characters, which data may contain and a terminal would interpret."""
    return Text(_CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text), style)


_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def _markdown_table(table: Table) -> str:
    head = "| " + " | ".join(map(_markdown_cell, table.columns)) + " |"
    rule = "|" + "|".join("---:" if name in table.right else "---" for name in table.columns) + "|"
    rows = ["| " + " | ".join(map(_markdown_cell, row)) + " |" for row in table.rows]
    lines = "\n".join((head, rule, *rows))
    return f"{_markdown_text(table.title)}\n\n{lines}" if table.title else lines


def _markdown_part(text: str) -> str:
    """Return a paragraph; several lines, which Markdown would join, as a block of code."""
    if "\n" not in text:
        return _markdown_text(text)
    fence = max((run + "`" for run in _BACKTICKS.findall(text)), default="```", key=len)
    return f"{fence}text\n{text}\n{fence}"


def _markdown_cell(text: str) -> str:
    return _markdown_text(text).replace("|", "\\|").replace("\n", "<br>")


def _markdown_text(text: str) -> str:
    """Return text with what Markdown would read as markup escaped."""
    return _MARKS.sub(r"\\\1", text).replace("&", "&amp;").replace("<", "&lt;")


_BACKTICKS = re.compile(r"`{3,}")
# An underscore inside a word is not markup.
_MARKS = re.compile(r"([\\`*\[\]]|(?<!\w)_(?=\w*_(?!\w)))")
