"""The same rows and row counts under every condition: python -m tests.reliability.invariance.

Plans are drawn by a seed and a number. Each runs as a plain session runs it, on the python engine, and then under
conditions that are drawn, too, in processes whose machine differs: time zone, locale, hash seed, heap, executors.
A difference is printed with its number, which `--only` repeats.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
import pyarrow as pa
import pyarrow.types as arrow_types

from bridge import PayloadBridgeError, merge_frames, simulate
from bridge.errors import sentence_of
from bridge.spark import PySparkException, local_session
from tests.reliability.drawn_plans import draw, frame_of
from tests.support.one_task import change

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from bridge import MergePlan
    from tests.reliability.drawn_plans import Drawn

_ROOT: Final = Path(__file__).parents[2]
PLAIN: Final[dict[str, str]] = {
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "10000",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.autoBroadcastJoinThreshold": "10MB",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.windowExec.buffer.in.memory.threshold": "4096",
    "spark.sql.sortMergeJoinExec.buffer.in.memory.threshold": "100000",
    "spark.payload_bridge.one_task": "false",
}
"""The conditions of the run that others are compared with."""
CONDITIONS: Final[dict[str, tuple[str, ...]]] = {
    "spark.sql.shuffle.partitions": ("1", "2", "7", "64"),
    "spark.sql.execution.arrow.maxRecordsPerBatch": ("1", "3", "10000"),
    "spark.sql.adaptive.enabled": ("false", "true"),
    "spark.sql.session.timeZone": ("UTC", "America/New_York", "Pacific/Apia", "Asia/Kolkata"),
    "spark.sql.autoBroadcastJoinThreshold": ("-1", "10MB"),
    "spark.sql.codegen.wholeStage": ("false", "false", "false", "true"),
    "spark.sql.windowExec.buffer.in.memory.threshold": ("1", "4096"),
    "spark.sql.sortMergeJoinExec.buffer.in.memory.threshold": ("1", "100000"),
    "spark.payload_bridge.one_task": ("false", "true"),
}
_SPILLS: Final = "spark.shuffle.spill.numElementsForceSpillThreshold"
MACHINES: Final[tuple[tuple[dict[str, str], dict[str, str]], ...]] = (
    ({}, {}),
    ({"TZ": "America/New_York", "PYTHONHASHSEED": "1"}, {}),
    ({"LC_ALL": "tr_TR.UTF-8", "PYTHONHASHSEED": "2", "JDK_JAVA_OPTIONS": "-Duser.language=tr -Duser.country=TR"}, {}),
    ({"TZ": "Pacific/Apia", "LC_ALL": "C"}, {_SPILLS: "2"}),
    ({"TZ": "Asia/Kolkata", "PYTHONHASHSEED": "3"}, {"spark.master": "local-cluster[2,1,1024]"}),
)
"""Environment and settings of the processes that run the same plans; the first one is this one's."""


@dataclasses.dataclass(frozen=True)
class Answer:
    """What a plan gives: rows and row counts as text, by what was asked; or the sentence with which it is refused."""

    told: tuple[str, ...]
    rows: int = 0

    @property
    def digest(self) -> str:
        """A digest of it."""
        return hashlib.sha256("\n".join(self.told).encode()).hexdigest()[:16]


def answer(spark: SparkSession, drawn: Drawn, plan: MergePlan, slices: int) -> Answer:
    """Run a plan on its batches: all commits, and the first two batches by the merge points."""
    told: list[str] = []
    total = 0
    for name, run in (("simulate", _simulated), ("merge points", _merged)):
        try:
            for part, table in run(spark, drawn, plan, slices):
                lines = _lines(table) if isinstance(table, pa.Table) else [table]
                total += len(lines)
                told += [f"{name} {part}: {line}" for line in lines]
        except (PayloadBridgeError, PySparkException) as error:
            told.append(f"{name}: {sentence_of(error)}")
    return Answer(tuple(told), total)


def _simulated(spark: SparkSession, drawn: Drawn, plan: MergePlan, slices: int) -> Iterator[tuple[str, pa.Table | str]]:
    with simulate(drawn.frames(spark, slices), plan, compact_after=drawn.compact_after) as found:
        yield "rows", _table(found.snapshots)
        if found.quarantine is not None:
            yield "quarantine", _table(found.quarantine)
        yield "counts", json.dumps(found.row_counts.lines(), sort_keys=True, default=str)


def _merged(spark: SparkSession, drawn: Drawn, plan: MergePlan, slices: int) -> Iterator[tuple[str, pa.Table | str]]:
    ddl = ", ".join(f"{name} {kind}" for name, kind in drawn.columns.items())
    place = [list(drawn.columns).index(name) for name in (*plan.partition, *plan.key)]
    once = {tuple(row[at] for at in place): row for row in drawn.batches[0][1]}
    stored = frame_of(spark, tuple(once.values()), ddl, slices)
    incoming = frame_of(spark, drawn.batches[-1][1], ddl, slices)
    on_read = plan.table_type.value == "mor"
    with merge_frames("append" if on_read else "upsert", plan, stored=stored, incoming=incoming) as first:
        yield from _parts(first.frames, first.row_counts.lines(), "first")
        if on_read:
            log = first.frames["log"].withColumn("_pb_commit", _one())
            below = first.frames["stored"]
            with merge_frames("snapshot", plan, stored=below, log=log) as read:
                yield from _parts(read.frames, read.row_counts.lines(), "snapshot")


def _one() -> Any:
    from pyspark.sql import functions as sf  # noqa: PLC0415 (only where it runs)

    return sf.lit(1).cast("long")  # its commits are named by the time of day


def _parts(frames: Mapping[str, DataFrame], counts: Any, name: str) -> Iterator[tuple[str, pa.Table | str]]:
    for part, frame in frames.items():
        # The commit is named by the time of day; the numbers in `_pb_seq` have gaps where partitions end.
        yield f"{name} {part}", _table(frame.drop("_pb_commit", "_pb_seq"))
    yield f"{name} counts", json.dumps(counts, sort_keys=True, default=str)


def _table(frame: DataFrame) -> pa.Table:
    batches = frame._collect_as_arrow()
    return pa.Table.from_batches(batches) if batches else pa.table({name: [] for name in frame.columns})


def _lines(table: pa.Table) -> list[str]:
    """Write rows as texts in order; an instant by its microseconds, whichever zone shows it."""
    names, columns = [], []
    for name in table.column_names:
        column = table[name]
        names.append(name)
        columns.append((column.cast("int64") if arrow_types.is_timestamp(column.type) else column).to_pylist())
    return sorted(repr(dict(zip(names, row, strict=True))) for row in zip(*columns, strict=True))


@contextlib.contextmanager
def under(spark: SparkSession, settings: Mapping[str, str]) -> Iterator[None]:
    """Give a session settings, and take them back."""
    before = change(spark, settings)
    try:
        yield
    finally:
        change(spark, before)
        spark.catalog.clearCache()


def conditions_of(seed: int, number: int, machine: int) -> tuple[dict[str, str], str, int]:
    """Draw settings of the session, the engine, and the partitions of the frames."""
    source = random.Random(f"{seed} {number} {machine}")  # noqa: S311 (no secret)
    settings = {name: source.choice(values) for name, values in CONDITIONS.items()}
    return settings, source.choice(("auto", "auto", "python", "native")), source.choice((1, 1, 3))


def plain_answer(spark: SparkSession, seed: int, number: int) -> Answer:
    """Return what a plan gives under plain conditions, on the python engine."""
    drawn = draw(seed, number)
    with under(spark, PLAIN):
        return answer(spark, drawn, drawn.plan(engine="python"), 1)


def varied_answer(spark: SparkSession, seed: int, number: int, machine: int) -> tuple[Answer, str]:
    """Return what it gives under conditions that are drawn, and the conditions; refused natively, it runs by `auto`."""
    drawn = draw(seed, number)
    settings, engine, slices = conditions_of(seed, number, machine)
    with under(spark, {**PLAIN, **settings}):
        found = answer(spark, drawn, drawn.plan(engine=engine), slices)
        if engine == "native" and any("native engine" in line or "natively" in line for line in found.told):
            engine = "auto"
            found = answer(spark, drawn, drawn.plan(engine=engine), slices)
    return found, f"{engine}, {slices} slices, {settings}"


def differences(left: Sequence[str], right: Sequence[str]) -> str:
    """Say which lines one has and the other has not; some of them."""
    missing = [f"- {line}" for line in left if line not in set(right)]
    more = [f"+ {line}" for line in right if line not in set(left)]
    return "\n    ".join([*missing[:3], *more[:3]])


@click.command(help=__doc__)
@click.option("--plans", default=100, show_default=True)
@click.option("--seed", default=0, show_default=True)
@click.option("--only", multiple=True, type=int, help="The number of a plan; may be repeated.")
@click.option("--machine", default=0, help="Run in this process, which is the machine of this number.")
@click.option("--machines", default=len(MACHINES), show_default=True, help="How many machines run.")
@click.option("--minutes", default=0.0, help="Begin no plan after so many minutes; 0 for no limit.")
@click.option("--expected", type=click.Path(path_type=Path), help="Where the plain answers are kept.")
def main(  # noqa: PLR0913 (one parameter an option)
    *, plans: int, seed: int, only: tuple[int, ...], machine: int, machines: int, minutes: float, expected: Path | None
) -> None:
    """Run the plans on each machine; exit 1 where an answer differs."""
    numbers = [*only] or [*range(plans)]
    if expected is None:
        with tempfile.TemporaryDirectory(prefix="invariance-") as folder:
            given = ["--seed", str(seed), "--plans", str(plans), "--minutes", str(minutes / machines)]
            given += [f"--only={number}" for number in only]
            codes = [
                subprocess.run(
                    [sys.executable, "-m", __spec__.name, *given, f"--machine={one}", f"--expected={folder}/plain"],
                    env={**os.environ, **MACHINES[one][0]},
                    cwd=_ROOT,
                    check=False,
                ).returncode
                for one in range(machines)
            ]
        sys.exit(max(codes))
    sys.exit(_on_machine(numbers, seed, machine, minutes, expected))


def _on_machine(numbers: Sequence[int], seed: int, machine: int, minutes: float, expected: Path) -> int:
    spark = _session(machine)
    known = dict(line.split("\t") for line in expected.read_text().splitlines()) if machine else {}
    end = time.monotonic() + minutes * 60 if minutes else float("inf")
    compared = rows = refused = different = 0
    for number in numbers:
        if time.monotonic() > end or (machine and str(number) not in known):
            break
        plain = None if machine else plain_answer(spark, seed, number)
        if plain is not None:
            known[str(number)] = plain.digest
            with expected.open("a") as stream:
                stream.write(f"{number}\t{plain.digest}\n")
        found, conditions = varied_answer(spark, seed, number, machine)
        compared, rows = compared + 1, rows + found.rows
        refused += found.rows == 0
        if found.digest != known[str(number)]:
            different += 1
            plain = plain or plain_answer(spark, seed, number)
            print(f"{number} on machine {machine}: {conditions}\n    {draw(seed, number).settings}")  # noqa: T201 (a command)
            print(f"    {differences(plain.told, found.told)}", flush=True)  # noqa: T201
    spark.stop()
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(  # noqa: T201
        f"machine {machine}: {compared} combinations, {refused} of them refused, {rows:,} rows compared, {different} "
        f"differ; {most} MiB of the driver's Python at most",
        flush=True,
    )
    return int(different > 0)


def _session(machine: int) -> SparkSession:
    """Return the session of a machine."""
    settings = dict(MACHINES[machine][1])
    master = settings.pop("spark.master", None)
    if settings:
        os.environ["PYSPARK_SUBMIT_ARGS"] = " ".join(f"--conf {k}={v}" for k, v in settings.items()) + " pyspark-shell"
    if master is None:
        return local_session(2)
    from bridge.spark import SessionOptions, session_of  # noqa: PLC0415 (only here)

    os.environ["PYSPARK_PYTHON"] = sys.executable
    return session_of(SessionOptions(master))


if __name__ == "__main__":
    main()
