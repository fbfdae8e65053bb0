"""`payload-bridge replay --table`: what a move changes on a real table; each question says what it can prove."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bridge.cli.table_input import open_table, refuse_given
from bridge.cli.verb import wants_json
from bridge.compare import compare_readers, is_release, report_upgraded_readers
from bridge.spark import output

if TYPE_CHECKING:
    from bridge.report import Report
    from bridge.spark import Target
    from payloads import HudiRelease

_OF_THE_TABLE = (
    "payload",
    "mode",
    "merger",
    "key",
    "partition",
    "ordering",
    "schema",
    "props",
    "config",
    "fidelity",
    "engine",
    "implementation",
    "table_type",
    "arrival",
)
_OF_WRITES = ("upgrade_after", "keep_table_version", "compact_after", "compact_every")


def replay_table(path: str, to: str, *, sample: int | None, out: Target | None, release: HudiRelease | None) -> Report:
    """Report which rows change if the release `to` reads the files of a table as they are; write them all to `out`.

    Raises:
        UsageError: an option that is for batches.
    """
    refuse_given(_OF_THE_TABLE, "describes a table that batches make; a real one has its own settings: leave it out")
    refuse_given(_OF_WRITES, "is about writes, and --table without --batches only reads; leave it out")
    if not is_release(to):
        msg = f"--to {to}: the files of a table are read by a release; name one"
        raise click.UsageError(msg, click.get_current_context())
    with compare_readers(open_table(path, release), [to]) as found:
        report = report_upgraded_readers(found, sample, whole=wants_json())
        differences = None if out is None else found.differences(to)
        if out is not None and differences is not None:
            with output(differences.sparkSession, out) as run:
                run.write(differences)
        return report
