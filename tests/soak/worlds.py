"""What answers a round: this project on one session, next to recorded tables and real Hudi."""

from __future__ import annotations

import contextlib
import dataclasses
import random
import shutil
import tarfile
from typing import TYPE_CHECKING, Any, Final

from bridge import Batch, ConflictError, MergePlan, merge_into, simulate, simulate_upgrade
from bridge.engines import COMMIT
from bridge.spark.small_input import INTERPRETED, JAVA_OPTIONS
from payloads import HudiRelease, PayloadBridgeError
from tests.conformance.record_table import session
from tests.conformance.tables import Check, answer_files, check, load, opened_by
from tests.corpus import compared as corpus
from tests.corpus.__main__ import RECORDED
from tests.corpus.jars import jars_for
from tests.corpus.shapes import build_of
from tests.jvm.java_compiler import JavaCompiler
from tests.live import layouts, written
from tests.live.mixed_up import keys_mixed_up
from tests.soak.rounds import Found, Modelled, Round
from tests.support import OLDER_TABLES, TABLES
from tests.support.archives import unpack
from tests.support.few_rows import session_for_few_rows
from tests.write.tables import Case, create, frame_of, merged, readers_that_differ

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tests.conformance.tables import Recorded
    from tests.write.payloads import Row

_KINDS: Final = {"frames": 50, "upgraded": 15, "recorded": 15, "corpus": 8, "merged": 8, "written": 4}
_OF_BUNDLE: Final = {"merged", "written"}
_ENGINES: Final = ("auto", "python", "native")


class World:
    """A session, with a bundle of Hudi or without, and the archives below a folder.

    Attributes:
        kinds: the kinds of rounds that it takes, by weight.
    """

    def __init__(self, folder: Path, bundle: str | None) -> None:
        """Start the session; the archives are unpacked when they are first read."""
        settings = {**INTERPRETED, "spark.driver.extraJavaOptions": JAVA_OPTIONS}
        settings["spark.ui.showConsoleProgress"] = "false"
        self.spark = session(bundle, settings) if bundle else session_for_few_rows()
        self._folder, self._bundle = folder, bundle or ""
        self.kinds = {kind: weight for kind, weight in _KINDS.items() if bundle or kind not in _OF_BUNDLE}
        self._tables: list[Path] = []
        self._classes: list[corpus.Recorded] = []
        self._jars: dict[Any, Any] = {}

    # -- against a model

    def simulated(self, asked: Modelled) -> dict[int, list[tuple[Any, ...]]]:
        """Return the rows after each batch; a plan that the native engine refuses runs by `auto`."""
        try:
            return self._simulated(asked, asked.settings)
        except PayloadBridgeError as error:
            if asked.settings["engine"] != "native" or "nativ" not in str(error):
                raise
        return self._simulated(asked, asked.settings | {"engine": "auto"})

    def _simulated(self, asked: Modelled, settings: dict[str, Any]) -> dict[int, list[tuple[Any, ...]]]:
        plan = MergePlan(**asked.model.settings, **settings, key=("id",), partition=("part",))
        ddl = ", ".join(f"{name} {kind}" for name, kind in asked.columns.items())
        batches = []
        for operation, rows in asked.batches:
            frame = self.spark.createDataFrame([tuple(row.values()) for row in rows], ddl)
            batches.append(Batch(frame, operation))
        if asked.next_release:
            new = dataclasses.replace(plan, release=HudiRelease.parse(asked.next_release), table_version=None)
            report = simulate_upgrade(batches, plan, new, upgrade_after=1, compact_after=asked.compact_after)
        else:
            report = simulate(batches, plan, compact_after=asked.compact_after)
        found: dict[int, list[tuple[Any, ...]]] = {}
        with report:
            for part in report.snapshots.select(COMMIT, *asked.columns)._collect_as_arrow():
                for number, *row in zip(*(column.to_pylist() for column in part.columns), strict=True):
                    found.setdefault(number, []).append(tuple(row))
        return found

    def merged(self, asked: Modelled) -> Found:
        """Merge batches into a table of real Hudi, another writer beside one; every reader shows what the model has."""
        kind = {"cow": "COPY_ON_WRITE", "mor": "MERGE_ON_READ"}[asked.settings["table_type"]]
        model = asked.name.partition(",")[0]
        case = Case(model, kind, "parts", self._bundle)
        table = self._place("merged")
        rows, compared = create(self.spark, case, table), 0
        told: list[str] = []
        for number, (_, drawn) in enumerate(asked.batches, 1):
            batch = [{name: row[name] for name in case.columns} for row in drawn]
            if number == asked.beside and merged(case, rows, batch) != rows:  # else it ends before its commit
                rows = self._beside(case, table, batch, rows, told)
            merge_into(str(table), frame_of(self.spark, case, batch), case.plan, write_options=case.writer)
            rows = merged(case, rows, batch)
            compared += len(rows)
            told += [
                f"after batch {number}: {one[:2000]}"
                for one in readers_that_differ(self.spark, case, table, rows.values())
            ]
        shutil.rmtree(table)
        return Found(compared, tuple(told))

    def _beside(self, case: Case, table: Path, batch: list[Row], rows: Any, told: list[str]) -> Any:
        """Let another writer commit between the read of a merge and its commit, which it must refuse."""
        other = {**batch[0], "id": "other", "name": "a", "qty": 1, "Op": "I"}
        if "_hoodie_is_deleted" in other:
            other["_hoodie_is_deleted"] = False

        def write(_: Any) -> None:
            frame = frame_of(self.spark, case, [other])
            merge_into(str(table), frame, case.plan, write_options=case.writer)

        try:
            frame = frame_of(self.spark, case, batch)
            merge_into(str(table), frame, case.plan, write_options=case.writer, before_commit=write)
        except ConflictError:
            return merged(case, rows, [other])
        told.append("a merge that another writer came in between did not end")
        return rows

    # -- against real Hudi

    def of_hudi(self, asked: Round) -> Found:
        """Run a round that real Hudi answered, or answers now."""
        source = random.Random(asked.label)  # noqa: S311 (no secret)
        return {"recorded": self._recorded, "corpus": self._corpus, "written": self._written}[asked.kind](source)

    def _recorded(self, source: random.Random) -> Found:
        if not self._tables:
            for archive in (TABLES, OLDER_TABLES):
                self._tables += answer_files(self._unpacked(archive))
        (recorded,) = load(source.choice(self._tables).parent)  # whose rows are not kept for the next rounds
        engine = source.choice(_ENGINES)
        done = list(check(recorded, lambda one: opened_by(engine, self.spark, one)))
        return _judged(recorded, done, f"{recorded.label}, {engine}")

    def _corpus(self, source: random.Random) -> Found:
        if not self._classes:
            folder = self._unpacked(RECORDED)
            labels = sorted(str(path.parent.relative_to(folder)) for path in folder.rglob("history.json"))
            self._classes = list(corpus.load(folder, (one for one in labels if one.startswith(self._bundle))))
        recorded = source.choice(self._classes)
        build = build_of(recorded.history.release)
        if build not in self._jars:
            (self._folder / "jars").mkdir(exist_ok=True)
            self._jars[build] = jars_for(JavaCompiler(self.spark, self._folder / "jars"), build)
        answer = corpus.compared(self.spark, recorded, self._jars)
        return Found(answer.rows, () if answer.verdict in corpus.FINE else (str(answer),))

    def _written(self, source: random.Random) -> Found:
        layout = layouts.draw(source.randrange(1 << 30), 0, self._bundle)
        place = self._place("written")
        place.mkdir()
        recorded = written.record(self.spark, layout, place, self._bundle)
        found = _judged(recorded, list(check(recorded)), layout.name)
        shutil.rmtree(place)
        return found

    def _unpacked(self, archive: Path) -> Path:
        folder = self._place(archive.name)
        with tarfile.open(archive) as opened:
            unpack(opened, folder)
        return folder

    def _place(self, name: str) -> Path:
        folder = self._folder / name
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(folder)
        return folder


def _judged(recorded: Recorded, done: Sequence[Check], label: str) -> Found:
    """Return the rows that real Hudi showed, and the questions whose answer differs; a refusal is none."""
    return Found(_rows(recorded), tuple(f"{label}: {told}" for told in _wrong(recorded, done)))


def _wrong(recorded: Recorded, done: Sequence[Check]) -> Iterator[str]:
    for one in done:
        if one.problem and not one.is_refusal:
            is_failure = one.problem.startswith("failed: ")
            if is_failure or not keys_mixed_up(recorded, one.question):
                yield f"{one.question}: {one.problem}"


def _rows(recorded: Recorded) -> int:
    answers = recorded.answers
    if "commits" in answers:
        return len(answers["commits"][-1].get("snapshot", ())) if answers["commits"] else 0
    many = [*(answers.get("as_of") or {}).values(), *(answers.get("incremental") or {}).values()]
    return sum(len(one) for one in (answers.get("snapshot"), answers.get("read_optimized"), *many) if one)
