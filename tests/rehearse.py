"""Rehearses the upgrade of recorded tables with a real bundle: python -m tests.rehearse [DIR] --release 0.15.0.

DIR has tables with the answers of real Hudi, as `tests.conformance.tables` reads them; by default the archive of the
tests. Their files have one time, that of the archive, and an upgrade from version 6 takes the times of a timeline for
those of completion: in the copy they get those of their instants. Some tables at a time are copied and upgraded in one
process of the bundle, since starting one takes longer than an upgrade. With --write recorded batches are written to the
copy once more, and its log is compacted. `--figures FILE` keeps what became of each table: a run that was stopped goes
on where it was. Needs network or a filled Ivy cache.
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
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from bridge import Batch, HudiTable, local_session
from bridge.compare import bundle_of, reason_of
from bridge.config import assumed_writer, capabilities
from bridge.errors import MergeFailedError, sentence_of
from bridge.hudi import HudiTableError, TableQueries
from bridge.migration import (
    Predictions,
    RehearsalOutcome,
    TablePart,
    check_upgrade_to,
    copy_table,
    judge,
    next_of,
    part_of,
    steps_of,
    take_steps,
)
from bridge.spark import PySparkException
from payloads import HudiRelease, PayloadBridgeError
from tests.conformance.histories import columns_of, parse_value, read
from tests.conformance.spark_histories import batches_of
from tests.conformance.tables import load
from tests.support import TABLES
from tests.support.archives import unpack
from tests.support.figures import Figures

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import SparkSession

    from tests.conformance.tables import Recorded

_RELEASES = ("0.15.0", "1.0.2", "1.2.0")
_NOT_JUDGED = "not judged"
_CHANGED = "changed by us"
_AS_RECORDED = "refused with an error of its own recorded history"
_INSTANT = re.compile(r"(\d{14})(\d{3})?[._]")
_FIRST_TIME = "19700101000000"
_WORDS = re.compile(r"[^\d/(]+")
"""What a message says before a value, a path or a step."""


@click.command()
@click.argument("directory", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--release", "releases", multiple=True, default=_RELEASES, show_default=True, help="Who wrote last.")
@click.option("--to", default="1.2", show_default=True, help="The release that upgrades.")
@click.option("--case", "cases", multiple=True, help="Only this folder; may be repeated.")
@click.option("--examples", type=int, help="How many tables of each release, drawn by the seed.  [default: all]")
@click.option("--seed", default=0, show_default=True)
@click.option("--at-once", default=16, show_default=True, help="How many tables one process of the bundle upgrades.")
@click.option("--figures", type=click.Path(path_type=Path), help="Where figures are kept, which are not made again.")
@click.option("--minutes", type=float, help="Begin no process after this time.")
@click.option("--write", default=0, show_default=True, help="How many recorded batches are written afterwards.")
@click.option("--mode", help="The merge mode that each upgraded table gets.")
@click.option("--payload", help="The class that the writer passes: its write upgrades.")
@click.option("--pass-payload", is_flag=True, help="The writer passes the class that it had: its write upgrades.")
@click.option("--partitions", type=int, help="How many partitions of each table, at most.  [default: all]")
@click.option("--downgrade", is_flag=True, help="Each copy goes back in the end.")
@click.option("--bundle", help="The bundle that runs: a jar, or a Maven coordinate.  [default: the released one]")
def main(  # noqa: PLR0913 (one parameter an option)
    *,
    directory: Path | None,
    releases: Sequence[str],
    to: str,
    cases: Sequence[str],
    examples: int | None,
    seed: int,
    at_once: int,
    figures: Path | None,
    minutes: float | None,
    **then: Any,
) -> None:
    """Print a line a table, and how many are as predicted; exit 1 where one is not, is not judged, or is left."""
    spark = local_session(cores=2)
    began = time.monotonic()
    with contextlib.ExitStack() as closing:
        here = directory or Path(closing.enter_context(tempfile.TemporaryDirectory(prefix="rehearsed-")))
        if directory is None:
            with tarfile.open(TABLES) as tar:
                unpack(tar, here)
        own = Path(closing.enter_context(tempfile.TemporaryDirectory(prefix="rehearsed-")))
        kept = Figures(figures or own / "figures", to=to, **then)
        wanted: list[str] = []
        for release in releases:
            found = [one for one in load(here, release) if not cases or one.folder.name in cases]
            found = [one for one in found if _has_older_version(one, HudiRelease.parse(to))]
            if examples is not None and examples < len(found):
                found = random.Random(seed).sample(found, examples)  # noqa: S311 (seeded on purpose)
            wanted += (names := [one.label for one in found])
            known = kept.known(names, _is_fine)
            left = [one for one in found if one.label not in known]
            for done in range(0, len(left), at_once):
                if minutes is not None and time.monotonic() - began > minutes * 60:
                    break
                for outcome in _rehearsed(spark, left[done : done + at_once], HudiRelease.parse(to), **then):
                    kept.add(**outcome._asdict())
                number = len(known) + min(done + at_once, len(left))
                click.echo(f"{number} of {len(found)} tables of {release} done")
        spark.stop()
        fine, outcomes = kept.known(wanted, _is_fine), kept.known(wanted, lambda _: True)
    counts = collections.Counter(one["outcome"] for one in outcomes.values())
    told = ", ".join(f"{number} {name}" for name, number in sorted(counts.items()))
    size, seconds = (sum(one[name] for one in outcomes.values()) for name in ("bytes", "seconds"))
    cost = f"{size:,} bytes copied, the bundle took {seconds:.0f} s, this run {time.monotonic() - began:.0f} s"
    click.echo(f"{len(wanted)} tables: {told}; {cost}")
    sys.exit(int(not wanted or len(fine) < len(wanted)))


class _Outcome(NamedTuple):
    """What became of a table: the outcome in words, the size of the copy, and how long the bundle took."""

    name: str
    outcome: str
    bytes: int = 0
    seconds: float = 0.0


def _is_fine(told: Mapping[str, Any]) -> bool:
    return told["outcome"] not in {RehearsalOutcome.NOT_AS_PREDICTED.value, _CHANGED, _NOT_JUDGED}


def _has_older_version(recorded: Recorded, to: HudiRelease) -> bool:
    stored = TableQueries(str(recorded.folder / "table")).properties
    return stored.version < capabilities(to).created_version


def _rehearsed(  # noqa: PLR0913 (the options of the command)
    spark: SparkSession,
    found: Sequence[Recorded],
    to: HudiRelease,
    *,
    write: int,
    mode: str | None,
    payload: str | None,
    pass_payload: bool,
    partitions: int | None,
    downgrade: bool,
    bundle: str | None,
) -> list[_Outcome]:
    outcomes: list[_Outcome] = []
    copied: list[Any] = []
    with contextlib.ExitStack() as closing:
        temporary = closing.enter_context(tempfile.TemporaryDirectory(prefix="rehearsed-"))
        for recorded in found:
            try:
                path = str(recorded.folder / "table")
                table = HudiTable(spark, path)
                version = int(table.properties["hoodie.table.version"])
                table = table.read_by(assumed_writer(version))
                check_upgrade_to(table, to)
                sums = _checksum(Path(path))
                if partitions is not None:
                    part = TablePart(_some_partitions(table, partitions))
                    table = closing.enter_context(part_of(table, part, Path(temporary)))
                passed = recorded.answers.get("payload_class") if pass_payload else payload
                then = next_of(table, mode, passed, _batches(spark, recorded, write), None)
                predicted = Predictions(table, to, then)
                own = Path(temporary, f"steps-{len(copied)}")
                own.mkdir(exist_ok=True)  # of a table that was not rehearsed
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
        program = bundle_of(to, spark, bundle)
        done = take_steps(spark, program, tasks, Path(temporary, "rows"))
        click.echo(f"{len(done)} tables upgraded in {time.monotonic() - began:.0f} s")
        for (recorded, table, predicted, copy, _, sums), taken in zip(copied, done, strict=True):
            label, answers = recorded.label, recorded.answers
            try:
                with judge(table, predicted, copy, taken, program=program) as answer:
                    settings = "".join(f"; {name}: {was} predicted, {now} real" for name, was, now in answer.settings)
                    cost = f"copied in {copy.seconds:.1f} s, the bundle took {answer.seconds:.1f} s"
                    sentence = f"{answer.verdict}{settings} ({copy.bytes:,} bytes, {cost})"
                    known = answer.refused is not None and is_recorded(answers, answer.refused)
                    told = _told(label, _AS_RECORDED if known else answer.outcome.value, sentence)
                    outcomes.append(told._replace(bytes=copy.bytes, seconds=answer.seconds))
            except (HudiTableError, MergeFailedError) as error:
                outcomes.append(_told(label, "not read by its own release", sentence_of(error)))
            except (PayloadBridgeError, PySparkException) as error:
                outcome = _NOT_JUDGED if _is_read(table) else "not read by its own release"
                outcomes.append(_told(label, outcome, sentence_of(error)))
            if _checksum(recorded.folder / "table") != sums:
                outcomes.append(_told(label, _CHANGED, "a byte of the table is not what it was"))
    return outcomes


def _some_partitions(table: HudiTable, number: int) -> tuple[str, ...]:
    found = sorted({one.partition for one in table.queries().snapshot().slices})
    return tuple(found[:number])


def restore_times(table: Path) -> None:
    """Let each file of a timeline have changed at its instant, in UTC; one that completes it a millisecond later."""
    metadata = table / ".hoodie"
    for path in (*metadata.glob("*"), *metadata.glob("timeline/*")):
        found = _INSTANT.match(path.name)
        # The first instants of a bootstrapped table are numbers, 00000000000001 and so on, and no times.
        if found is not None and path.is_file() and found[1] > _FIRST_TIME:
            at = datetime.datetime.strptime(found[1], "%Y%m%d%H%M%S").replace(tzinfo=datetime.timezone.utc)
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
    """Return the first upserts in the table's columns, as they were handed to the writer; None where none is wanted."""
    if not number:
        return None
    if "commits" in recorded.answers:
        return batches_of(spark, read(recorded.folder / "history.json"))[:number]
    ddl = recorded.answers["schema_ddl"]
    kinds = columns_of(ddl)
    steps = [one for one in recorded.answers["steps"] if one.get("incoming") and one.get("do") == "upsert"]
    found = []
    for step in [one for one in steps if "schema_ddl" not in one and "error" not in one][:number]:
        rows = [tuple(parse_value(kind, row.get(name)) for name, kind in kinds.items()) for row in step["incoming"]]
        found.append(Batch(spark.createDataFrame(rows, ddl).coalesce(1)))
    return found or None


def _told(label: str, outcome: str, sentence: str) -> _Outcome:
    click.echo(f"{label}: {sentence}" if sentence.startswith(outcome) else f"{label}: {outcome}: {sentence}")
    return _Outcome(label, outcome)


def _checksum(folder: Path) -> str:
    found = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        found.update(str(path).encode() + (path.read_bytes() if path.is_file() else b""))
    return found.hexdigest()


if __name__ == "__main__":
    main()
