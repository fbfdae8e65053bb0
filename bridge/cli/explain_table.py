"""`payload-bridge explain --table`: the versions of one row in a real table, with file and block."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bridge.cli.table_input import open_table, refuse_given
from bridge.compare import is_release
from bridge.explain import table_row

if TYPE_CHECKING:
    from bridge.cli.table_class import TableClass
    from bridge.report import Report
    from payloads import HudiRelease

_OF_BATCHES = (
    "batches",
    "mode",
    "merger",
    "key",
    "partition",
    "ordering",
    "schema",
    "props",
    "config",
    "engine",
    "table_type",
    "upgrade_after",
    "via",
    "operations",
    "arrival",
    "fidelity",
    "implementation",
    "keep_table_version",
    "compact_after",
    "compact_every",
)


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
    refuse_given(_OF_BATCHES, "is for batches; a real table has its own settings: leave it out")
    if to is not None and not is_release(to):
        msg = f"--to {to}: a real table is read by a release; name one"
        raise click.UsageError(msg, context)
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
    tables = [table] if to is None else [table, table.read_by(to)]
    return table_row(tables, row, quarantines=quarantines).to_report()
