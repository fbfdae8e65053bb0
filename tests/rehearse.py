"""Rehearses the upgrade of recorded tables with a real bundle: python -m tests.rehearse [DIR] --release 0.15.0.

DIR has tables with the answers of real Hudi, as `tests.conformance.tables` reads them; by default the archive of the
tests. The tables of a release are copied and upgraded in one process of the bundle, since starting one takes longer
than an upgrade. Needs network or a filled Ivy cache.
"""

from __future__ import annotations

import collections
import contextlib
import hashlib
import random
import sys
import tarfile
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click
from pyspark.errors import PySparkException

from bridge import HudiTable, local_session
from bridge.config import assumed_writer
from bridge.errors import MergeFailedError, sentence_of
from bridge.hudi import HudiTableError
from bridge.migration import RehearsalVerdict, check_upgrade_to, copy_table, judge, upgrade
from payloads import HudiRelease, PayloadBridgeError
from tests.conformance.tables import load
from tests.support import TABLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession

    from tests.conformance.tables import Recorded

_NOT_JUDGED = "not judged"


@click.command()
@click.argument("directory", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--release", "releases", multiple=True, default=("0.15.0", "1.0.2"), show_default=True, help="Who wrote.")
@click.option("--to", default="1.2", show_default=True, help="The release that upgrades.")
@click.option("--case", "cases", multiple=True, help="Only this folder; may be repeated.")
@click.option("--examples", type=int, help="How many tables of each release, drawn by the seed.  [default: all]")
@click.option("--seed", default=0, show_default=True)
def main(  # noqa: PLR0913 (one parameter an option)
    *, directory: Path | None, releases: Sequence[str], to: str, cases: Sequence[str], examples: int | None, seed: int
) -> None:
    """Print a line a table, and how many are as predicted; exit 1 where one is not, or could not be judged."""
    spark = local_session(cores=2)
    counts: collections.Counter[str] = collections.Counter()
    with contextlib.ExitStack() as closing:
        here = directory or Path(closing.enter_context(tempfile.TemporaryDirectory(prefix="rehearsed-")))
        if directory is None:
            with tarfile.open(TABLES) as tar:
                tar.extractall(here, filter="data")
        for release in releases:
            found = [one for one in load(here, release) if not cases or one.folder.name in cases]
            if examples is not None and examples < len(found):
                found = random.Random(seed).sample(found, examples)  # noqa: S311 (seeded on purpose)
            counts.update(_rehearsed(spark, found, HudiRelease.parse(to)))
    spark.stop()
    click.echo(", ".join(f"{number} {name}" for name, number in sorted(counts.items())))
    sys.exit(bool(counts[RehearsalVerdict.NOT_AS_PREDICTED.value] + counts["changed by us"] + counts[_NOT_JUDGED]))


def _rehearsed(spark: SparkSession, found: Sequence[Recorded], to: HudiRelease) -> list[str]:
    outcomes, copied = [], []
    with tempfile.TemporaryDirectory(prefix="rehearsed-") as temporary:
        for recorded in found:
            try:
                path = str(recorded.folder / "table")
                table = HudiTable(spark, path)
                version = int(table.properties["hoodie.table.version"])
                table = table.read_by(assumed_writer(version))
                check_upgrade_to(table, to)
                sums = _checksum(Path(path))
                place = Path(temporary, str(len(copied)))
                copied.append((recorded.label, table, copy_table(table, place), sums))
            except PayloadBridgeError as error:
                outcomes.append(_told(recorded.label, "not rehearsed", str(error)))
        if not copied:
            return outcomes
        began = time.monotonic()
        done = upgrade(spark, to, [one.path for _, _, one, _ in copied], Path(temporary, "rows"))
        click.echo(f"{len(done)} tables upgraded in {time.monotonic() - began:.0f} s")
        for (label, table, copy, sums), upgraded in zip(copied, done, strict=True):
            try:
                with judge(table, to, copy, upgraded) as answer:
                    settings = "".join(f"; {name}: {was} predicted, {now} real" for name, was, now in answer.settings)
                    outcomes.append(_told(label, answer.verdict.value, answer.sentence + settings))
            except (HudiTableError, MergeFailedError) as error:
                outcomes.append(_told(label, "not read by its own release", sentence_of(error)))
            except (PayloadBridgeError, PySparkException) as error:
                outcomes.append(_told(label, _NOT_JUDGED, sentence_of(error)))
            if _checksum(Path(table.path)) != sums:
                outcomes.append(_told(label, "changed by us", "a byte of the table is not what it was"))
    return outcomes


def _told(label: str, outcome: str, sentence: str) -> str:
    click.echo(f"{label}: {sentence}" if sentence.startswith(outcome) else f"{label}: {outcome}: {sentence}")
    return outcome


def _checksum(folder: Path) -> str:
    found = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        found.update(str(path).encode() + (path.read_bytes() if path.is_file() else b""))
    return found.hexdigest()


if __name__ == "__main__":
    main()
