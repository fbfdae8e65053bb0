"""Batches are merged into tables of real Hudi; after each commit every reader shows what a plain-Python model has.

Real Hudi creates each table and makes each commit; it reads the table, and so do HudiTable and hudi-rs. In between,
batches are merged again, runs end before, in and after their commit, and a second writer writes. Needs network or a
filled Ivy cache for Hudi's bundles. Each release runs in a process of its own, because Java keeps its class path.
"""

from __future__ import annotations

import collections
import importlib
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import click

from bridge import ConflictError, HudiTable, merge_into
from bridge.errors import EngineError
from bridge.spark.small_input import INTERPRETED, JAVA_OPTIONS
from tests.conformance.record_table import session
from tests.write.guide import run_page
from tests.write.payloads import MODELS
from tests.write.tables import COMPACTING, WRITER, Case, batch_of, create, frame_of, merged, readers_that_differ

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import SparkSession

_RELEASES = ("1.2.0", "1.0.2")


class CrashError(Exception):
    """What ends a run where a test wants it."""


@click.command(help=__doc__)
@click.option("--release", "releases", multiple=True, default=_RELEASES, show_default=True, help="In full: 1.2.0.")
@click.option("--batches", default=30, show_default=True, help="How many batches for each table.")
@click.option("--payload", "names", multiple=True, type=click.Choice(list(MODELS)), help="Only these; may be repeated.")
@click.option("--table-type", "kinds", multiple=True, type=click.Choice(["cow", "mor"]), default=("cow", "mor"))
@click.option("--layout", "layouts", multiple=True, type=click.Choice(["parts", "plain"]), default=("parts", "plain"))
@click.option("--seed", default=0, show_default=True)
@click.option("--guide", is_flag=True, help="Only run the commands of the page of the guide.")
def main(  # noqa: PLR0913 (one parameter an option)
    *,
    releases: tuple[str, ...],
    batches: int,
    names: tuple[str, ...],
    kinds: tuple[str, ...],
    layouts: tuple[str, ...],
    seed: int,
    guide: bool,
) -> None:
    """Run the tables; exit 1 where a reader shows other rows, or a run that should end does not."""
    if guide:
        with tempfile.TemporaryDirectory(prefix="page-") as folder:
            wrong = run_page(Path(folder))
        click.echo("\n".join(wrong) or "the page answers as it says")
        sys.exit(int(bool(wrong)))
    if len(releases) > 1:
        own = [f"--batches={batches}", f"--seed={seed}", *(f"--payload={name}" for name in names)]
        own += [f"--table-type={kind}" for kind in kinds] + [f"--layout={layout}" for layout in layouts]
        command = [sys.executable, "-m", "tests.write"]
        codes = [subprocess.call([*command, f"--release={one}", *own]) for one in releases]
        sys.exit(int(any(code != 0 for code in codes)))  # a child that a signal ends has a negative one
    types = {"cow": "COPY_ON_WRITE", "mor": "MERGE_ON_READ"}
    with tempfile.TemporaryDirectory(prefix="written-") as folder:
        release = releases[0]
        spark = session(release, {**INTERPRETED, "spark.driver.extraJavaOptions": JAVA_OPTIONS})
        cases = [
            Case(name, types[kind], layout == "parts", release)
            for name in names or MODELS
            for kind in kinds
            for layout in layouts
        ]
        total: collections.Counter[str] = collections.Counter()
        for case in cases:
            began = time.monotonic()
            run = Run(spark, case, Path(folder, case.name), random.Random(f"{seed}/{case.name}"))  # noqa: S311
            run.go(batches)
            total.update(run.counts)
            told = ", ".join(f"{number} {what}" for what, number in run.counts.items())
            click.echo(f"{release} {case.name}: {told}; {time.monotonic() - began:.0f} s")
            for problem in run.problems:
                click.echo(f"  WRONG {problem}")
        click.echo(
            f"{release}, seed {seed}: {len(cases)} tables, {', '.join(f'{n} {what}' for what, n in total.items())}"
        )
        sys.exit(int(total["wrong"] > 0))


class Run:
    """One table, and the batches that are merged into it."""

    def __init__(self, spark: SparkSession, case: Case, table: Path, source: random.Random) -> None:
        self._spark, self._case, self._table, self._source = spark, case, table, source
        self.counts: collections.Counter[str] = collections.Counter()
        self.problems: list[str] = []
        self._options = WRITER | (COMPACTING if case.is_merge_on_read else {})
        self._rows = create(spark, case, table)
        self._merged: list[str] = []
        self._first: str | None = None

    def go(self, batches: int) -> None:
        """Merge batches, and disturb some of them."""
        self._check("created")
        disturbed = self._disturbances()
        for number in range(1, batches + 1):
            if number % 3 == 2:
                next(disturbed, None)
            self._merge(f"batch {number}")
        list(disturbed)
        if self._first is None or self._first in self._instants():
            self._wrong(f"the first commit {self._first} is not archived, so no archived batch comes again")
        for batch in (self._merged[0], self._merged[-1]):
            self._again(batch)

    def _merge(self, name: str) -> None:
        rows = batch_of(self._case, self._source)
        report = self._run(rows, name)
        after = merged(self._case, self._rows, rows)
        changes = after != self._rows
        if changes != (report.instant is not None):
            self._wrong(f"{name}: {report.verdict}, and the model changes {'rows' if changes else 'nothing'}")
        self._rows = after
        self.counts["commits" if report.instant else "batches without a change"] += 1
        if report.instant:
            self._merged.append(name)
            self._first = self._first or report.instant
        self._check(name)

    def _run(self, rows: list[Any], name: str, **more: Any) -> Any:
        frame = frame_of(self._spark, self._case, rows)
        return merge_into(str(self._table), frame, self._case.plan, batch=name, **{"options": self._options, **more})

    def _check(self, what: str) -> None:
        for problem in readers_that_differ(self._spark, self._case, self._table, self._rows.values()):
            self._wrong(f"{what}: {problem}")

    def _wrong(self, what: str) -> None:
        self.counts["wrong"] += 1
        self.problems.append(what)

    # -- what may happen meanwhile

    def _disturbances(self) -> Iterator[None]:
        for disturb in (self._repeated, self._ends_before, self._ends_after, self._ends_within, self._second_writer):
            disturb()
            self._check(disturb.__name__.strip("_"))
            yield

    def _again(self, name: str) -> None:
        before = self._instants()
        report = self._run(batch_of(self._case, self._source), name)
        if report.merged_by is None or self._instants() != before:
            self._wrong(f"{name} is merged again: {report.verdict}")
        self.counts["repeated"] += 1

    def _instants(self) -> list[Any]:
        return [row[0] for row in HudiTable(self._spark, str(self._table)).instants.collect()]

    def _repeated(self) -> None:
        self._again(self._merged[-1])

    def _changing(self) -> tuple[list[Any], dict[Any, Any]]:
        """Return a batch that changes the table, and the rows after it."""
        while True:
            rows = batch_of(self._case, self._source)
            after = merged(self._case, self._rows, rows)
            if after != self._rows:
                return rows, after

    def _ends_before(self) -> None:
        def crash(_: Any) -> None:
            raise CrashError

        rows, after = self._changing()
        self._fails(CrashError, lambda: self._run(rows, "before", before_commit=crash))
        self._check("ended before the commit")
        self._run(rows, "before")
        self._rows = after

    def _ends_after(self) -> None:
        rows, after = self._changing()
        self._fails(EngineError, lambda: self._run_around(rows, "after", lambda: None, _crash))
        self._rows = after
        self._check("ended after the commit")
        self._again("after")

    def _ends_within(self) -> None:
        """The commit has its files, and never completes."""
        rows, after = self._changing()
        self._fails(CrashError, lambda: self._run_around(rows, "within", lambda: None, self._undo_completion))
        self._check("ended within the commit")
        self._run(rows, "within")
        self._rows = after

    def _undo_completion(self) -> None:
        folder = self._table / ".hoodie" / "timeline"
        done = [path for path in folder.iterdir() if path.suffix in {".commit", ".deltacommit"} and path.name[0] != "."]
        last = max((path for path in done if self._is_data(path)), key=lambda path: path.name)
        last.unlink()
        (folder / f".{last.name}.crc").unlink(missing_ok=True)
        raise CrashError

    def _is_data(self, path: Path) -> bool:
        return path.suffix == (".deltacommit" if self._case.is_merge_on_read else ".commit")

    def _second_writer(self) -> None:
        other = {**batch_of(self._case, self._source)[0], "id": "other", "name": "a", "qty": 1, "Op": "I"}
        if "_hoodie_is_deleted" in other:
            other["_hoodie_is_deleted"] = False

        def write() -> None:
            report = merge_into(
                str(self._table),
                frame_of(self._spark, self._case, [other]),
                self._case.plan,
                options=WRITER,
            )
            if report.instant is None:
                self._wrong("the second writer changed nothing")
            self._rows = merged(self._case, self._rows, [other])

        rows, _ = self._changing()
        self._fails(ConflictError, lambda: self._run(rows, "conflict", before_commit=lambda _: write()))
        self._check("another writer before the commit")
        other = {**other, "ts": 9, "qty": 2}
        rows, _ = self._changing()
        self._fails(ConflictError, lambda: self._run_around(rows, "late conflict", write, lambda: None))
        self._rows = merged(self._case, self._rows, rows)
        self._check("another writer in between")

    def _run_around(self, rows: list[Any], name: str, before: Callable[[], None], after: Callable[[], None]) -> None:
        module = importlib.import_module("bridge.write.merge_into")
        commit = module.commit

        def around(*arguments: Any) -> None:
            with mock.patch.object(module, "commit", commit):
                before()
            commit(*arguments)
            after()

        with mock.patch.object(module, "commit", around):
            self._run(rows, name, options=WRITER)

    def _fails(self, kind: type[Exception], run: Callable[[], object]) -> None:
        try:
            run()
        except kind:
            self.counts["runs that ended early"] += 1
        else:
            self._wrong(f"a run did not end by {kind.__name__}")


def _crash() -> None:
    raise CrashError


if __name__ == "__main__":
    main()
