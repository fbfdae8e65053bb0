"""Rows of Flink for tests: PyFlink's own where it is installed, else rows with what a carrier needs of them."""

from __future__ import annotations

import enum
from typing import Any

try:
    from pyflink.common import Row, RowKind
except ImportError:

    class RowKind(enum.Enum):  # type: ignore[no-redef]
        """The kinds of a changelog, as in pyflink.common."""

        INSERT = 0
        UPDATE_BEFORE = 1
        UPDATE_AFTER = 2
        DELETE = 3

    class Row:  # type: ignore[no-redef]
        """Values by position, their names if they have any, and a kind (mergers.FlinkRow)."""

        def __init__(self, *values: Any) -> None:
            self._values = list(values)
            self._row_kind = RowKind.INSERT

        def __getitem__(self, position: int) -> Any:
            return self._values[position]

        def __len__(self) -> int:
            return len(self._values)

        def get_row_kind(self) -> RowKind:
            return self._row_kind

        def set_row_kind(self, row_kind: RowKind) -> None:
            self._row_kind = row_kind

        def set_field_names(self, field_names: list[str]) -> None:
            self._fields = field_names


def row(*values: Any, kind: str = "INSERT", names: Any = None) -> Any:
    """Return a row."""
    made = Row(*values)
    made.set_row_kind(RowKind[kind])
    if names is not None:
        made.set_field_names(list(names))
    return made


def values(row: Any) -> list[Any]:
    """Return the values of a row, those of rows in it as lists."""
    found = [row[position] for position in range(len(row))]
    return [values(value) if hasattr(value, "get_row_kind") else value for value in found]
