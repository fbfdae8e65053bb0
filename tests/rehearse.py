"""Rehearses the upgrade of recorded tables with a real bundle: python -m tests.rehearse [DIR] --release 0.15.0.

DIR has tables with the answers of real Hudi, as `tests.conformance.tables` reads them; by default the archive of the
tests. Their files have one time, that of the archive, and an upgrade from version 6 takes the times of a timeline for
those of completion: in the copy they get those of their instants. Some tables at a time are copied and upgraded in one
process of the bundle, since starting one takes longer than an upgrade. With --write the recorded batches of a history
are written to the copy once more, and its log is compacted. Needs network or a filled Ivy cache.
"""

from __future__ import annotations

import collections
import contextlib
import datetime
import hashlib
import os
import random
import re
import sys
import tarfile
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from pyspark.errors import PySparkException

from bridge import HudiTable, local_session
from bridge.compare import reason_of
from bridge.config import assumed_writer
from bridge.errors import MergeFailedError, sentence_of
from bridge.hudi import HudiTableError
from bridge.migration import (
    Predictions,
    RehearsalVerdict,
    check_upgrade_to,
    copy_table,
    judge,
    next_of,
    steps_of,
    take_steps,
)
from payloads import HudiRelease, PayloadBridgeError
from tests.conformance.histories import read
from tests.conformance.spark_histories import batches_of
from tests.conformance.tables import load
from tests.support import TABLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession

    from bridge import Batch
    from tests.conformance.tables import Recorded

_NOT_JUDGED = "not judged"
_AS_RECORDED = "refused with an error of its own recorded history"
_INSTANT = re.compile(r"(\d{14})(\d{3})?[._]")
_WORDS = re.compile(r"[^\d/(]+")
"""What a message says before a value, a path or a step."""


@click.command()
@click.argument("directory", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--release", "releases", multiple=True, default=("0.15.0", "1.0.2"), show_default=True, help="Who wrote.")
@click.option("--to", default="1.2", show_default=True, help="The release that upgrades.")
@click.option("--case", "cases", multiple=True, help="Only this folder; may be repeated.")
@click.option("--examples", type=int, help="How many tables of each release, drawn by the seed.  [default: all]")
@click.option("--seed", default=0, show_default=True)
@click.option("--at-once", default=16, show_default=True, help="How many tables one process of the bundle upgrades.")
@click.option("--skip", default=0, show_default=True, help="How many tables of each release were done before.")
@click.option("--write", default=0, show_default=True, help="How many recorded batches are written afterwards.")
@click.option("--mode", help="The merge mode that each upgraded table gets.")
@click.option("--pass-payload", is_flag=True, help="The writer passes the class of the history: its write upgrades.")
@click.option("--downgrade", is_flag=True, help="Each copy goes back in the end.")
def main(  # noqa: PLR0913 (one parameter an option)
    *,
    directory: Path | None,
    releases: Sequence[str],
    to: str,
    cases: Sequence[str],
    examples: int | None,
    seed: int,
    at_once: int,
    skip: int,
    **then: Any,
) -> None:
    """Print a line a table, and how many are as predicted; exit 1 where one is not, or could not be judged."""
    spark = local_session(cores=2)
    counts: collections.Counter[str] = collections.Counter()
    began = time.monotonic()
    with contextlib.ExitStack() as closing:
        here = directory or Path(closing.enter_context(tempfile.TemporaryDirectory(prefix="rehearsed-")))
        if directory is None:
            with tarfile.open(TABLES) as tar:
                tar.extractall(here, filter="data")
        for release in releases:
            found = [one for one in load(here, release) if not cases or one.folder.name in cases]
            if examples is not None and examples < len(found):
                found = random.Random(seed).sample(found, examples)  # noqa: S311 (seeded on purpose)
            for done in range(skip, len(found), at_once):
                counts.update(_rehearsed(spark, found[done : done + at_once], HudiRelease.parse(to), **then))
                click.echo(f"{min(done + at_once, len(found))} of {len(found)} tables of {release} done")
    spark.stop()
    told = ", ".join(f"{number} {name}" for name, number in sorted(counts.items()))
    click.echo(f"{told}; {time.monotonic() - began:.0f} s")
    sys.exit(bool(counts[RehearsalVerdict.NOT_AS_PREDICTED.value] + counts["changed by us"] + counts[_NOT_JUDGED]))


def _rehearsed(  # noqa: PLR0913 (the options of the command)
    spark: SparkSession,
    found: Sequence[Recorded],
    to: HudiRelease,
    *,
    write: int,
    mode: str | None,
    pass_payload: bool,
    downgrade: bool,
) -> list[str]:
    outcomes: list[str] = []
    copied: list[Any] = []
    with tempfile.TemporaryDirectory(prefix="rehearsed-") as temporary:
        for recorded in found:
            try:
                path = str(recorded.folder / "table")
                table = HudiTable(spark, path)
                version = int(table.properties["hoodie.table.version"])
                table = table.read_by(assumed_writer(version))
                check_upgrade_to(table, to)
                sums = _checksum(Path(path))
                payload = recorded.answers.get("payload_class") if pass_payload else None
                then = next_of(table, mode, payload, _batches(spark, recorded, write), None)
                predicted = Predictions(table, to, then)
                own = Path(temporary, f"steps-{len(copied)}")
                own.mkdir()
                steps = steps_of(table, to, predicted, then, own, downgrade=downgrade)
                copy = copy_table(table, Path(temporary, str(len(copied))))
                restore_times(copy.path)
                copied.append((recorded, table, predicted, copy, steps, sums))
            except PayloadBridgeError as error:
                outcomes.append(_told(recorded.label, "not rehearsed", str(error)))
        if not copied:
            return outcomes
        began = time.monotonic()
        tasks = [(copy.path, steps) for *_, copy, steps, _ in copied]
        done = take_steps(spark, to, tasks, Path(temporary, "rows"))
        click.echo(f"{len(done)} tables upgraded in {time.monotonic() - began:.0f} s")
        for (recorded, table, predicted, copy, _, sums), taken in zip(copied, done, strict=True):
            label, answers = recorded.label, recorded.answers
            try:
                with judge(table, predicted, copy, taken) as answer:
                    settings = "".join(f"; {name}: {was} predicted, {now} real" for name, was, now in answer.settings)
                    cost = f"copied in {copy.seconds:.1f} s, the bundle took {answer.seconds:.1f} s"
                    sentence = f"{answer.sentence}{settings} ({copy.bytes:,} bytes, {cost})"
                    known = answer.refused is not None and is_recorded(answers, answer.refused)
                    outcomes.append(_told(label, _AS_RECORDED if known else answer.verdict.value, sentence))
            except (HudiTableError, MergeFailedError) as error:
                outcomes.append(_told(label, "not read by its own release", sentence_of(error)))
            except (PayloadBridgeError, PySparkException) as error:
                outcome = _NOT_JUDGED if _is_read(table) else "not read by its own release"
                outcomes.append(_told(label, outcome, sentence_of(error)))
            if _checksum(Path(table.path)) != sums:
                outcomes.append(_told(label, "changed by us", "a byte of the table is not what it was"))
    return outcomes


def restore_times(table: Path) -> None:
    """Let each file of a timeline have changed at its instant, in UTC; one that completes it a millisecond later."""
    metadata = table / ".hoodie"
    for path in (*metadata.glob("*"), *metadata.glob("timeline/*")):
        found = _INSTANT.match(path.name)
        if found is not None and path.is_file():
            at = datetime.datetime.strptime(found[1], "%Y%m%d%H%M%S").replace(tzinfo=datetime.UTC)
            last = 0 if path.suffix in {".requested", ".inflight"} else 1
            seconds = at.timestamp() + (int(found[2] or 0) + last) / 1000
            os.utime(path, (seconds, seconds))


def is_recorded(answers: Any, refused: str) -> bool:
    """Whether real Hudi refused a step or a query of the recorded table with this error, up to its first value."""
    texts = [answers.get("error"), *(answers.get("refused") or {}).values()]
    texts += [step.get("error") for step in answers.get("steps") or () if isinstance(step, dict)]
    said = _WORDS.match(refused)
    heads = [_WORDS.match(reason_of(str(text))) for text in texts if text]
    return said is not None and any(head is not None and head[0] == said[0] for head in heads)


def _is_read(table: HudiTable) -> bool:
    """Whether the release that wrote a table reads it, as this project says."""
    try:
        table.snapshot().write.format("noop").mode("overwrite").save()
    except (PayloadBridgeError, PySparkException):
        return False
    return True


def _batches(spark: SparkSession, recorded: Recorded, number: int) -> list[Batch] | None:
    """Return the first batches of a history, as they were handed to the writer; None where there is none."""
    file = recorded.folder / "history.json"
    return batches_of(spark, read(file))[:number] if number and file.is_file() else None


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
