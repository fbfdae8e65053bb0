"""Several writers at once, and a stream that restarts, on tables of real Hudi: python -m tests.write.writers.

With Hudi's optimistic concurrency control another writer commits between the read of a merge and its commit, before
Hudi's writer begins and in another partition, or rolls a commit back that was read; and two threads merge into the same
keys at once: quantities are added, so that a lost or repeated update shows. A stream fails after each of its commits,
and starts again from its checkpoint.
Each release runs in a process of its own. Needs network or a filled Ivy cache for Hudi's bundles.
"""

from __future__ import annotations

import importlib
import itertools
import json
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import click
from pyspark.sql.utils import StreamingQueryException

from bridge import ConflictError, HudiTable, merge_batch, merge_into
from bridge.spark.small_input import INTERPRETED, JAVA_OPTIONS
from bridge.write import BATCH
from tests.conformance.record_table import registered, session
from tests.write.tables import WRITER, Case, create, frame_of, readers_that_differ

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import DataFrame, SparkSession

_LOCKED = WRITER | {
    "hoodie.write.concurrency.mode": "optimistic_concurrency_control",
    "hoodie.write.lock.provider": "org.apache.hudi.client.transaction.lock.InProcessLockProvider",
}
_MODULE = importlib.import_module("bridge.write.merge_into")
_THREADS, _EACH = 2, 3
_FILES = 4


@click.command(help=__doc__)
@click.option("--release", "releases", multiple=True, default=("1.2.0", "1.0.2", "0.15.0"), show_default=True)
@click.option("--table-type", "kinds", multiple=True, type=click.Choice(["cow", "mor"]), default=("cow", "mor"))
@click.option("--only", default="", help="Only the checks whose name contains this: stream.")
def main(releases: tuple[str, ...], kinds: tuple[str, ...], only: str) -> None:
    """Exit 1 where an update is lost or repeated."""
    if len(releases) > 1:
        own = [f"--only={only}", *(f"--table-type={kind}" for kind in kinds)]
        command = [sys.executable, "-m", "tests.write.writers", *own]
        codes = [subprocess.call([*command, f"--release={one}"]) for one in releases]
        sys.exit(int(any(codes)))
    types = {"cow": "COPY_ON_WRITE", "mor": "MERGE_ON_READ"}
    spark = session(releases[0], {**INTERPRETED, "spark.driver.extraJavaOptions": JAVA_OPTIONS})
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="writers-") as folder:
        for kind in kinds:
            case = Case("tally", types[kind], "parts", releases[0])
            if case.is_merge_on_read and not case.has_modes:
                click.echo(f"{releases[0]} {kind}: left out: a conflict leaves a commit that a merge refuses")
                continue
            for check in (one for one in _CHECKS if only in one.__name__):
                table = Path(folder, f"{kind}{check.__name__}")
                told = list(check(_Table(spark, case, table)))
                problems = [one for one in told if one.startswith("WRONG")]
                wrong += len(problems)
                click.echo(f"{releases[0]} {kind} {check.__name__.strip('_')}: {'; '.join(told)}")
    click.echo(f"{releases[0]}: {wrong} wrong")
    sys.exit(int(bool(wrong)))


class _Table:
    """A table whose rows are summed up in plain Python."""

    def __init__(self, spark: SparkSession, case: Case, path: Path) -> None:
        self.spark, self.case, self.path = spark, case, path
        self.rows = create(spark, case, path)

    def add(self, key: str, part: str, qty: int) -> DataFrame:
        """Return a batch that adds to one key, and note what the table has then."""
        row = {"id": key, "part": part, "ts": 1, "name": "a", "qty": qty, "Op": "U"}
        old = self.rows.get((part, key))
        self.rows[part, key] = row | {"qty": qty + (old["qty"] if old else 0)}
        return frame_of(self.spark, self.case, [row])

    def merge(self, rows: DataFrame, **more: Any) -> Any:
        return merge_into(str(self.path), rows, self.case.plan, **{"write_options": _LOCKED, **more})

    def check(self) -> Iterator[str]:
        for problem in readers_that_differ(self.spark, self.case, self.path, self.rows.values()):
            yield f"WRONG {problem}"

    def commits(self) -> int:
        """Return how many commits of a merge the timeline has, archived ones too."""
        found = HudiTable(self.spark, str(self.path)).queries().timeline.commits_with(BATCH)
        return len([*found])


def _between(table: _Table, other: Callable[[], object]) -> tuple[Any, int]:
    """Merge, and let another writer commit once the rows are read; return the report, and how often it was tried."""
    tries = itertools.count(1)
    seen = []

    def before(_: Any) -> None:
        seen.append(next(tries))
        if len(seen) == 1:
            other()

    return table.merge(table.add("k1", "p1", 1), before_commit=before), len(seen)


def _same_partition(table: _Table) -> Iterator[str]:
    report, tries = _between(table, lambda: table.merge(table.add("k1", "p1", 10)))
    yield f"{'' if tries == 2 else 'WRONG '}{tries} tries"
    yield f"{'' if report.instant else 'WRONG '}commit {report.instant}"
    yield from table.check()


def _late(table: _Table) -> Iterator[str]:
    """Another writer commits a key that is new to both, after all checks of ours and before Hudi's writer begins."""
    commit, seen = _MODULE.commit, []
    other = table.add("k7", "p1", 10)

    def around(*arguments: Any) -> None:
        seen.append(1)
        if len(seen) == 1:
            with mock.patch.object(_MODULE, "commit", commit):
                table.merge(other)
                _MODULE.check_since(table.spark, known)  # as before: that merge has told its own in this thread
        commit(*arguments)

    known = HudiTable(table.spark, str(table.path)).queries().timeline
    known = [one.requested for one in known.writes if one.is_completed]
    with mock.patch.object(_MODULE, "commit", around):
        table.merge(table.add("k7", "p1", 1))
    yield f"{'' if len(seen) == 2 else 'WRONG '}{len(seen)} tries"
    yield from table.check()


def _rolled_back(table: _Table) -> Iterator[str]:
    """The commit that was read last is rolled back once its rows are read."""
    rows = dict(table.rows)
    made = table.merge(table.add("k1", "p1", 10)).instant
    table.rows = rows
    name = registered(table.spark, table.path)
    call = f"CALL rollback_to_instant(table => '{name}', instant_time => '{made}')"
    _, tries = _between(table, lambda: table.spark.sql(call).collect())
    yield f"{'' if tries == 2 else 'WRONG '}{tries} tries"
    yield from table.check()


def _other_partition(table: _Table) -> Iterator[str]:
    _, tries = _between(table, lambda: table.merge(table.add("k2", "p2", 10)))
    yield f"{'' if tries == 1 else 'WRONG '}{tries} tries"
    yield from table.check()


def _always(table: _Table) -> Iterator[str]:
    seen: list[int] = []

    def before(_: Any) -> None:
        seen.append(1)
        table.merge(table.add("k1", "p1", 10))

    lost = table.rows.get(("p1", "k1"))
    batch = table.add("k1", "p1", 1)
    if lost is None:
        del table.rows["p1", "k1"]
    else:
        table.rows["p1", "k1"] = lost
    try:
        table.merge(batch, before_commit=before)
    except ConflictError:
        yield f"refused after {len(seen)} tries"
    else:
        yield "WRONG it is not refused"
    yield from table.check()


def _threads(table: _Table) -> Iterator[str]:
    """A thread adds to a key again and again; all its commits count, and no other ones."""
    failed: list[str] = []
    done: list[str] = []
    batches = [[table.add("k1", "p1", 1) for _ in range(_EACH)] for _ in range(_THREADS)]

    def run(own: list[DataFrame]) -> None:
        for number, batch in enumerate(own):
            for _ in range(20):
                try:
                    done.append(table.merge(batch, batch_id=f"{id(own)}/{number}").instant)
                    break
                except ConflictError:
                    continue
                except Exception as error:  # noqa: BLE001 (any error is a finding)
                    failed.append(f"WRONG {type(error).__name__}: {error}"[:400])
                    break

    threads = [threading.Thread(target=run, args=(own,)) for own in batches]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    yield from failed
    yield f"{'' if len(done) == _THREADS * _EACH else 'WRONG '}{len(done)} commits of {_THREADS} threads"
    yield from table.check()


def _stream(table: _Table) -> Iterator[str]:
    """Each micro-batch is merged, and then fails: it comes again when the stream restarts."""
    folder, checkpoint = table.path.parent / f"{table.path.name}-in", table.path.parent / f"{table.path.name}-at"
    folder.mkdir()
    for number in range(_FILES):
        batch = table.add(f"k{number % 2}", f"p{number % 2}", number + 1)
        rows = "".join(json.dumps(row.asDict()) + "\n" for row in batch.collect())
        (folder / f"{number}.json").write_text(rows)
    before, seen = table.commits(), []
    merge = merge_batch(str(table.path), table.case.plan, write_options=WRITER)

    def failing(rows: DataFrame, number: int) -> None:
        merge(rows, number)
        seen.append(number)
        if seen.count(number) == 1:
            msg = "the stream ends before its checkpoint"
            raise RuntimeError(msg)

    schema = ", ".join(f"{name} {kind}" for name, kind in table.case.columns.items())
    restarts = 0
    for _ in range(2 * _FILES):
        source = table.spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).json(str(folder))
        writer = source.writeStream.foreachBatch(failing).option("checkpointLocation", str(checkpoint))
        try:
            writer.trigger(availableNow=True).start().awaitTermination()
            break
        except StreamingQueryException:
            restarts += 1
    made = table.commits() - before
    yield f"{'' if restarts == _FILES else 'WRONG '}{restarts} restarts, {len(seen)} calls"
    yield f"{'' if made == _FILES else 'WRONG '}{made} commits"
    yield from table.check()


_CHECKS = (_same_partition, _late, _rolled_back, _other_partition, _always, _threads, _stream)

if __name__ == "__main__":
    main()
