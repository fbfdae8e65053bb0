"""Migrates copies of recorded tables with a real bundle: python -m tests.applied [DIR] --release 0.15.0 --case CASE.

For each table the script of `migrate --script` is run on a copy: applied, applied once more, and, on a second copy,
applied and undone. Printed are the answers, and whether the properties are as planned; the command fails where they are
not, or where a byte of the table itself changed. Needs network or a filled Ivy cache.
"""

from __future__ import annotations

import contextlib
import itertools
import sys
import tarfile
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bridge import HudiTable, PlanError, local_session, plan_migration
from bridge.config import assumed_writer
from bridge.migration import apply_to_copy
from tests.conformance.tables import load
from tests.support import TABLES
from tests.support.archives import unpack

if TYPE_CHECKING:
    from collections.abc import Sequence

_RUNS = (("apply", "apply", "check"), ("apply", "undo"))


@click.command()
@click.argument("directory", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--release", default="0.15.0", show_default=True, help="Who wrote.")
@click.option("--to", multiple=True, default=("1.2", "COMMIT_TIME_ORDERING"), show_default=True, help="Where to.")
@click.option("--case", "cases", multiple=True, required=True, help="The folder of a table; may be repeated.")
def main(*, directory: Path | None, release: str, to: Sequence[str], cases: Sequence[str]) -> None:
    """Print a line a run; exit 1 where one is not as planned."""
    spark = local_session(cores=2)
    failed = 0
    with contextlib.ExitStack() as closing:
        here = directory or Path(closing.enter_context(tempfile.TemporaryDirectory(prefix="applied-")))
        if directory is None:
            with tarfile.open(TABLES) as tar:
                unpack(tar, here)
        copies = Path(closing.enter_context(tempfile.TemporaryDirectory(prefix="applied-")))
        found = [one for one in load(here, release) if one.folder.name in cases]
        for number, (recorded, target, verbs) in enumerate(itertools.product(found, to, _RUNS)):
            table = HudiTable(spark, str(recorded.folder / "table"))
            began = time.monotonic()
            try:
                table = table.read_by(assumed_writer(int(table.properties["hoodie.table.version"])))
                made = plan_migration(table.properties, target)
                done = apply_to_copy(table, made, copies / str(number), verbs=verbs)
            except PlanError as error:
                click.echo(f"{recorded.folder.name} to {target}: no script ({error})")
                continue
            failed += not done.success
            click.echo(f"{recorded.folder.name} to {target}, {', '.join(verbs)}: {time.monotonic() - began:.0f} s")
            click.echo("\n".join(f"  {line}" for line in done.lines()))
    spark.stop()
    sys.exit(bool(failed or not found))


if __name__ == "__main__":
    main()
