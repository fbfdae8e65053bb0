"""A table of a report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

from bridge.report.json_values import cell

Label: TypeAlias = "tuple[str, Sequence[Any]]"
"""A column in front of a table: its header, and one cell a row."""


@dataclass(frozen=True)
class Table:
    """A table of text cells.

    Attributes:
        columns: the headers.
        rows: the cells.
        title: a line above, or nothing.
        right: the columns of numbers, set flush right.
        marks: the cells that a terminal shows in colour, as row and column, counted from 0.
        folded: the width at which a terminal folds the lines of the last column, where that is text; 0 for none.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""
    right: frozenset[str] = frozenset()
    marks: frozenset[tuple[int, int]] = frozenset()
    folded: int = 0

    @classmethod
    def of_rows(
        cls,
        columns: Sequence[str],
        rows: Iterable[Mapping[str, object]],
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
