"""`payload-bridge history`: which versions the files of a table still hold, and of how many keys how many."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bridge.cli.options import release_option
from bridge.cli.session import session_options
from bridge.cli.table_input import bootstrap_option, open_table, strict_option, table_argument
from bridge.cli.verb import Verb
from bridge.compare import table_history

if TYPE_CHECKING:
    from bridge.report import Report
    from payloads import HudiRelease


@click.command(cls=Verb, short_help="Show which versions of its rows a table still holds.")
@table_argument
@release_option(default=None, show_default="the release that counts as the table's writer")
@bootstrap_option
@strict_option
@session_options
def history(table: str, release: HudiRelease | None, bootstrap: str | None) -> Report:
    """Count the versions in base files and logs of all file slices, by commit and by key.

    Logs keep what was written. Base files keep what a write or a compaction made of it, so a copy-on-write table holds
    winners alone. Replay what is held with replay --table TABLE --history.
    """
    return table_history(open_table(table, release, bootstrap=bootstrap)).to_report()
