"""`payload-bridge history`: which versions the files of a table still hold, and of how many keys how many."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bridge.cli.table_class import class_of, table_class_options
from bridge.cli.table_input import bootstrap_option, open_table, reader_option, strict_option, table_argument
from bridge.cli.verb import Verb
from bridge.compare import table_history

if TYPE_CHECKING:
    from bridge.report import Report
    from payloads import HudiRelease


@click.command(cls=Verb, short_help="Show which versions of its rows a table still holds.")
@table_argument
@reader_option
@bootstrap_option
@strict_option
@table_class_options
def history(table: str, release: HudiRelease | None, bootstrap: str | None, **options: object) -> Report:
    """Count the versions in base files and logs of all file slices, by commit and by key.

    Logs keep what was written. Base files keep the result of a write or a compaction, so a copy-on-write table keeps
    only the merged rows. Nothing is merged; a class given by --payload is only checked to run under the release. To
    replay the versions, use replay --table TABLE --history.
    """
    return table_history(open_table(table, release, bootstrap=bootstrap, **class_of(options))).to_report()
