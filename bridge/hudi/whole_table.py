"""The check that a table is as its commits wrote it, for what needs all of its files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.hudi.errors import AlteredTableError

if TYPE_CHECKING:
    from bridge.hudi.table import HudiTable


def check_whole(table: HudiTable) -> None:
    """Refuse a table whose files are not as its commits wrote them, or that can't be read.

    Raises:
        AlteredTableError: files of completed commits are missing, or have another size.
        HudiTableError: the table can't be read.
    """
    if found := table.altered_files():
        raise AlteredTableError.of_files(table.path, found)
    _ = table.columns
