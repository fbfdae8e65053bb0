"""A report as text for a terminal."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, Literal, TextIO

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from bridge.display import escaped
from bridge.report.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_TALLEST = 6
"""How many lines a row of a table takes at most, about, where its cells are wrapped."""


def as_text(
    head: Sequence[str], colour: str | None, body: Iterable[str | Table], width: int | None, *, colours: bool
) -> str:
    """Return a report as text of `width` columns; None for those of the terminal, 80 without one.

    `head` has the lines that come first, in bold and in `colour`.
    """
    stream = io.StringIO()
    console = _console(stream, width or Console().width, colours=colours)
    for line in head:
        console.print(_text(line, "bold" if colour is None else f"bold {colour}"))
    console.print()
    for part in body:
        if isinstance(part, Table):
            _print_table(console, part)
        else:
            console.print(_text(part))
        console.print()
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()).rstrip("\n")


def _console(stream: TextIO, width: int, *, colours: bool) -> Console:
    system: Literal["standard"] | None = "standard" if colours else None
    settings: dict[str, Any] = {"highlight": False, "markup": False, "emoji": False, "no_color": not colours}
    return Console(file=stream, width=width, color_system=system, force_terminal=colours, **settings)


def _print_table(console: Console, table: Table) -> None:
    """Print a table in the first form that is no wider than the console.

    As it is; without columns that are empty; with rows and columns swapped; with its cells wrapped; or each row as a
    list of its own, where a word would be broken, or a row take more than `_TALLEST` lines.
    """
    if table.title:
        console.print(_text(table.title))
    filled = _filled(table)
    for form in (table, filled, _turned(filled)):
        if sum(_natural(form)) + _gaps(form) <= console.width:
            console.print(_grid(form))
            return
    widths = _wrapped(filled, console.width)
    if widths is not None:
        console.print(_grid(filled, widths))
        return
    for number, row in enumerate(filled.rows):
        block = RichTable(box=None, pad_edge=False, show_header=False)
        block.add_column(no_wrap=True)
        block.add_column(overflow="fold")
        for at, (name, value) in enumerate(zip(filled.columns, row, strict=True)):
            block.add_row(_text(name), _text(value, _style(filled, number, at)))
        console.print(f"-- {number + 1} of {len(filled.rows)}")
        console.print(block)


def _grid(table: Table, widths: Sequence[int] | None = None) -> RichTable:
    grid = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for at, name in enumerate(table.columns):
        side: Literal["left", "right"] = "right" if name in table.right else "left"
        grid.add_column(_text(name), justify=side, overflow="fold", width=None if widths is None else widths[at])
    for number, row in enumerate(table.rows):
        grid.add_row(*(_text(value, _style(table, number, at)) for at, value in enumerate(row)))
    return grid


def _gaps(table: Table) -> int:
    """Return how many columns of the console lie between those of a table."""
    return 3 * (len(table.columns) - 1)


def _natural(table: Table) -> list[int]:
    """Return how wide each column is if nothing in it is wrapped."""
    return [max(_width_of(cell) for cell in column) for column in zip(table.columns, *table.rows, strict=True)]


def _width_of(cell: str) -> int:
    return max((_text(line).cell_len for line in cell.split("\n")), default=0)


def _wrapped(table: Table, width: int) -> list[int] | None:
    """Return how wide each column is if cells are wrapped between words; None if that is no readable table.

    What the longest words leave goes, a character at a time, to the column that has the most lines.
    """
    columns = zip(table.columns, *table.rows, strict=True)
    found = [max(_width_of("\n".join(cell.split())) for cell in column) for column in columns]
    left = width - _gaps(table) - sum(found)
    if left < 0:
        return None
    wanted = _natural(table)
    for _ in range(left):
        tallest = max(range(len(found)), key=lambda at: wanted[at] / max(found[at], 1))
        found[tallest] += 1
    return found if all(most <= _TALLEST * least for most, least in zip(wanted, found, strict=True)) else None


def _filled(table: Table) -> Table:
    """Return the table without the columns that are empty in each row."""
    kept = [at for at in range(len(table.columns)) if not table.rows or any(row[at] for row in table.rows)]
    marks = frozenset((row, kept.index(at)) for row, at in table.marks if at in kept)
    rows = [[row[at] for at in kept] for row in table.rows]
    return Table([table.columns[at] for at in kept], rows, right=table.right, marks=marks)


def _style(table: Table, row: int, column: int) -> str:
    return "bold yellow" if (row, column) in table.marks else ""


def _turned(table: Table) -> Table:
    """Return the table with its rows as columns; their first cells become the headers."""
    first, *others = zip(table.columns, *table.rows, strict=True)
    return Table(first, others, marks=frozenset((column - 1, row + 1) for row, column in table.marks))


def _text(text: str, style: str = "") -> Text:
    """Return text with control characters, which data may contain and a terminal would interpret, as escapes."""
    return Text(escaped(text), style)
