"""What a notebook shows: a part of a page, without a script and of a bounded size."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final, Protocol

from bridge.display.templates import template_of, trusted
from bridge.redaction import without_credentials

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_ROWS: Final = 20
_MOST_COLUMNS: Final = 30
_MOST_PARTS: Final = 16
_MOST_LINES: Final = 12
_MOST_LETTERS: Final = 300
_OF_A_LINE: Final = 600
"""How long a line of a paragraph may be; a cell of a table may be half as long."""
_LETTERS_IN_ALL: Final = 60_000
"""All text of a body: beyond it a notebook is not the place to read."""


class Grid(Protocol):
    """A table of text cells, as reports have them."""

    @property
    def columns(self) -> Sequence[str]:
        """The headers."""

    @property
    def rows(self) -> Sequence[Sequence[str]]:
        """The cells."""

    @property
    def title(self) -> str:
        """A line above, or nothing."""

    @property
    def right(self) -> frozenset[str]:
        """The columns of numbers."""

    @property
    def marks(self) -> frozenset[tuple[int, int]]:
        """The cells that stand out, as row and column."""


@dataclasses.dataclass(frozen=True)
class Fragment:
    """What a notebook shows of an object.

    Attributes:
        brand: what the object is, in a word.
        headline: what it says, in one sentence.
        verdict: the result; empty where the headline says it.
        style: the class of the style sheet for what the verdict says of the rows; empty where nothing is judged.
        mark: the same in a mark and words.
        warnings: what else the user should know.
        facts: names and values.
        body: paragraphs and tables.
        view: what a page shows besides (`bridge.report.View`); None for nothing.
    """

    brand: str
    headline: str
    verdict: str = ""
    style: str = ""
    mark: str = ""
    warnings: Sequence[str] = ()
    facts: Sequence[tuple[str, str]] = ()
    body: Sequence[str | Grid] = ()
    view: Any = None


@dataclasses.dataclass(frozen=True)
class _Cut:
    """A table that fits a notebook, and what it leaves out."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: frozenset[str]
    marks: frozenset[tuple[int, int]]
    note: str = ""


def notebook_html(shown: Fragment) -> str:
    """Return HTML for `_repr_html_`: every value escaped, nothing that runs, at most some 100 kB."""
    parts, left_out = _body(shown.body)
    warnings = [*map(_cut, shown.warnings[:_MOST_LINES])]
    if len(shown.warnings) > len(warnings):
        warnings.append(f"{len(shown.warnings) - len(warnings)} more warnings")
    return template_of("notebook.html").render(
        shown=shown,
        headline=_cut(shown.headline),
        verdict="" if shown.verdict == shown.headline else _cut(shown.verdict),
        warnings=warnings,
        facts=[(name, _cut(value)) for name, value in shown.facts[:_MOST_COLUMNS]],
        view=shown.view,
        parts=parts,
        left_out=left_out,
        style=trusted("colours.css", "parts.css"),
    )


def _body(body: Sequence[str | Grid]) -> tuple[list[str | _Cut], int]:
    """Return the parts that fit, and how many do not."""
    shown: list[str | _Cut] = []
    room = _LETTERS_IN_ALL
    for part in body[:_MOST_PARTS]:
        fitting = _paragraph(part) if isinstance(part, str) else _table(part)
        room -= len(fitting) if isinstance(fitting, str) else sum(len(text) for row in fitting.rows for text in row)
        if room < 0:
            break
        shown.append(fitting)
    return shown, len(body) - len(shown)


def _paragraph(text: str) -> str:
    lines = text.splitlines()
    more = [f"({len(lines) - _MOST_LINES} more lines)"] if len(lines) > _MOST_LINES else []
    return "\n".join((*(_cut(line, _OF_A_LINE) for line in lines[:_MOST_LINES]), *more))


def _table(grid: Grid) -> _Cut:
    rows, columns = grid.rows[:_MOST_ROWS], grid.columns[:_MOST_COLUMNS]
    notes = [f"{len(rows)} of {len(grid.rows):,} rows"] if len(rows) < len(grid.rows) else []
    notes += [f"{len(columns)} of {len(grid.columns)} columns"] if len(columns) < len(grid.columns) else []
    cells = [[_cut(text) for text in row[:_MOST_COLUMNS]] for row in rows]
    return _Cut(_cut(grid.title), [*map(_cut, columns)], cells, grid.right, grid.marks, ", ".join(notes))


def _cut(text: str, most: int = _MOST_LETTERS) -> str:
    if len(text) <= most:
        return text  # the template takes credentials out
    return f"{without_credentials(text[: 4 * most])[:most]}\u2026"
