"""`payload-bridge explain --table`: the versions of one row in a real table, with file and block."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bridge.cli.rebuilt_input import refuse_table_settings
from bridge.cli.table_input import open_table
from bridge.compare import table_release
from bridge.explain import table_row

if TYPE_CHECKING:
    from bridge.cli.table_class import TableClass
    from bridge.report import Report
    from payloads import HudiRelease


def explain_table(  # noqa: PLR0913 (what the verb was given)
    path: str,
    texts: tuple[str, ...],
    release: HudiRelease | None,
    to: str | None,
    *,
    quarantines: bool,
    merged: TableClass,
) -> Report:
    """Report the versions of a row, and what the reader of `release`, and that of `to`, make of them by `merged`.

    Raises:
        UsageError: an option that is for batches, or a value without its column.
    """
    context = click.get_current_context()
    refuse_table_settings(taken=("row", "to", "on_error"))
    other = None if to is None else table_release(to)
    table = open_table(path, release, **merged)
    row = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            if len(table.keys) != 1:
                msg = f"--row {text}: write COLUMN=VALUE with {' and '.join(table.identity) or '_hoodie_record_key'}"
                raise click.UsageError(msg, context)
            name, value = table.keys[0], text
        row[name] = value
    tables = [table] if other is None else [table, table.read_by(other)]
    return table_row(tables, row, quarantines=quarantines).to_report()
