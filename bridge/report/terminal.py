"""A report as text for a terminal."""

from __future__ import annotations

import dataclasses
import io
import re
import textwrap
from typing import TYPE_CHECKING, Any, Literal, TextIO

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from bridge.display import PART, escaped
from bridge.report.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_NARROWEST = 10
"""How wide a column is at least in which words are broken."""
_MORE_LINES = 1.5
"""How many times the lines a table may take so that no word is broken."""


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
            for line in part.split("\n"):  # what is set in by four blanks can be pasted, so it is not broken
                console.print(_text(line), soft_wrap=line.startswith("    "))
        console.print()
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()).rstrip("\n")


def _console(stream: TextIO, width: int, *, colours: bool) -> Console:
    system: Literal["standard"] | None = "standard" if colours else None
    settings: dict[str, Any] = {"highlight": False, "markup": False, "emoji": False, "no_color": not colours}
    return Console(file=stream, width=width, color_system=system, force_terminal=colours, **settings)


def _print_table(console: Console, table: Table) -> None:
    """Print a table in the first form that is no wider than the console.

    As it is; without columns that are empty; with rows and columns swapped; with its cells wrapped; or, if there are
    too many columns for that, each row as a list of its own.
    """
    if table.title:
        console.print(_text(table.title))
    table = _folded(table)
    filled = _filled(table)
    for form in (table, filled, _turned(filled)):
        if sum(_natural(form)) + _gaps(form) <= console.width:
            console.print(_grid(form))
            return
    widths = _wrapped(filled, console)
    if widths is not None:
        console.print(_grid(_broken(filled, widths), widths))
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
    grid = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, leading=0 if widths is None else 1)
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


def _wrapped(table: Table, console: Console) -> list[int] | None:
    """Return how wide each column is if cells are wrapped; None if that is no readable table.

    Columns are of one width at most, or as wide as their texts are long, whichever takes fewer lines; or they have room
    for their longest words, unless that takes many more lines.
    """
    room, wanted = console.width - _gaps(table), _natural(table)
    evenly = [min(one, _NARROWEST) for one in wanted]
    if sum(evenly) > room:
        return None
    columns = zip(table.columns, *table.rows, strict=True)
    words = [max(_width_of("\n".join(cell.split())) for cell in column) for column in columns]
    found = [_widened(evenly, wanted, room), _widened(evenly, wanted, room, by=wanted)]
    lines, best = min((_height(table, widths, console), widths) for widths in found)
    if sum(words) <= room:
        whole = _widened(words, wanted, room)
        return whole if _height(table, whole, console) <= _MORE_LINES * lines else best
    return best


def _widened(widths: Sequence[int], wanted: Sequence[int], room: int, by: Sequence[int] | None = None) -> list[int]:
    """Give what is left, a character at a time, to the narrowest column that is wrapped, in units of `by` if given."""
    found = [*widths]
    for _ in range(room - sum(found)):
        wrapped = [at for at, (own, full) in enumerate(zip(found, wanted, strict=True)) if own < full]
        found[min(wrapped, key=lambda at: found[at] / (1 if by is None else by[at]))] += 1
    return found


def _height(table: Table, widths: Sequence[int], console: Console) -> int:
    """Return how many lines the rows of a table take."""
    return sum(
        max(len(_text(cell).wrap(console, width)) for cell, width in zip(row, widths, strict=True))
        for row in _broken(table, widths).rows
    )


def _broken(table: Table, widths: Sequence[int]) -> Table:
    """Return the table with words broken that are wider than their columns, after a dot and the like if possible."""
    rows = [[_parted(cell, width) for cell, width in zip(row, widths, strict=True)] for row in table.rows]
    return dataclasses.replace(table, rows=rows)


def _parted(text: str, width: int) -> str:
    """Return text with a new line in words that are longer than a line."""
    found = []
    for word in re.split(r"(\s+)", text):
        line = 0
        for part in [word] if _width_of(word) <= width else PART.split(word):
            if line and line + _width_of(part) > width:
                found.append("\n")
                line = 0
            found.append(part)
            line += _width_of(part)
    return "".join(found)


def _folded(table: Table) -> Table:
    """Return the table with the sentences of its last column in lines that are easy to read."""
    if not table.folded:
        return table
    rows = [[*row[:-1], "\n".join(_fold(line, table.folded) for line in row[-1].split("\n"))] for row in table.rows]
    return dataclasses.replace(table, rows=rows)


def _fold(line: str, width: int) -> str:
    text = line.lstrip()
    indent = line[: len(line) - len(text)]
    return textwrap.fill(text, width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)


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
