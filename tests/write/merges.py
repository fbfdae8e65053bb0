"""One table of real Hudi and the batches that are merged into it: what disturbs them, and what must be there then."""

from __future__ import annotations

import collections
import importlib
from typing import TYPE_CHECKING, Any
from unittest import mock

from bridge import ConflictError, HudiTable, InputError, merge_into
from bridge.errors import EngineError
from tests.write.tables import COMPACTING, Case, batch_of, create, frame_of, merged, readers_that_differ

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession


class CrashError(Exception):
    """What ends a run where a test wants it."""


class Run:
    """One table, and the batches that are merged into it."""

    def __init__(self, spark: SparkSession, case: Case, table: Path, source: random.Random) -> None:
        self._spark, self._case, self._table, self._source = spark, case, table, source
        self.counts: collections.Counter[str] = collections.Counter()
        self.problems: list[str] = []
        self._options = case.writer | (COMPACTING if case.is_merge_on_read else {})
        self._rows: dict[Any, Any] = {}
        self._merged: list[str] = []
        self._first: str | None = None
        self._places: dict[Any, list[list[Any]]] = collections.defaultdict(list)

    def go(self, batches: int) -> None:
        """Create the table, merge batches, and disturb some of them."""
        self._rows = create(self._spark, self._case, self._table)
        self._check("created")
        disturbed = self._disturbances()
        for number in range(1, batches + 1):
            if number % 3 == 2 and self._merged:  # a batch that comes again has to have been there
                next(disturbed, None)
            self._merge(f"batch {number}")
        list(disturbed)
        if self._first is None or self._first in self._instants():
            self.wrong(f"the first commit {self._first} is not archived, so no archived batch comes again")
        for batch in (self._merged[0], self._merged[-1]):
            self._again(batch)

    def _merge(self, name: str) -> None:
        rows = batch_of(self._case, self._source)
        report = self._run(rows, name)
        after = merged(self._case, self._rows, rows)
        changes = after != self._rows
        if changes != (report.instant is not None):
            self.wrong(f"{name}: {report.verdict}, and the model changes {'rows' if changes else 'nothing'}")
        self._rows = after
        self.counts["commits" if report.instant else "batches without a change"] += 1
        if report.instant:
            self._merged.append(name)
            self._first = self._first or report.instant
        self._check(name)

    def _run(self, rows: list[Any], name: str, **more: Any) -> Any:
        frame = frame_of(self._spark, self._case, rows)
        return merge_into(
            str(self._table), frame, self._case.plan, batch_id=name, **{"write_options": self._options, **more}
        )

    def _check(self, what: str) -> None:
        self._note_moves()
        found = readers_that_differ(self._spark, self._case, self._table, self._rows.values())
        self.counts["comparisons"] += 1
        for problem in found:
            self.wrong(f"{what}: {problem}")

    def _note_moves(self) -> None:
        """Count the rows that have gone to another partition, and those that have been there before."""
        for gone in self._places.keys() - self._rows.keys():
            del self._places[gone]
        for key, row in self._rows.items():
            seen, now = self._places[key], [row[name] for name in self._case.partition]
            if seen and seen[-1] != now and self._case.is_global:
                self.counts["moves"] += 1
                self.counts["of these back"] += now in seen
            seen.append(now)

    def wrong(self, what: str) -> None:
        """Note what is not as it should be."""
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
            self.wrong(f"{name} is merged again: {report.verdict}")
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
        if self._case.is_merge_on_read and not self._case.has_modes:
            self._fails(InputError, lambda: self._run(rows, "within"))
            self._undone.write_bytes(self._completion)  # the commit completes after all
        else:
            self._run(rows, "within")
        self._rows = after

    def _undo_completion(self) -> None:
        folder = self._table / ".hoodie"
        folder = folder / "timeline" if self._case.has_modes else folder
        done = [path for path in folder.iterdir() if path.suffix in {".commit", ".deltacommit"} and path.name[0] != "."]
        last = max((path for path in done if self._is_data(path)), key=lambda path: path.name)
        self._undone, self._completion = last, last.read_bytes()
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
                write_options=self._case.writer,
            )
            if report.instant is None:
                self.wrong("the second writer changed nothing")
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
            self._run(rows, name, write_options=self._case.writer)

    def _fails(self, kind: type[Exception], run: Callable[[], object]) -> None:
        try:
            run()
        except kind:
            self.counts["runs that ended early"] += 1
        else:
            self.wrong(f"a run did not end by {kind.__name__}")


def _crash() -> None:
    raise CrashError
