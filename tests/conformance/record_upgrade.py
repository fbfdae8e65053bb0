"""Records tables that one release writes and a later one goes on with, at the table's version and upgraded."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import shutil
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.conformance.record_table import history_of, properties, read, reason, save, session, write, write_on

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from pyspark.sql import SparkSession

    from tests.conformance.record_cases import Case

KEPT = "kept-version"
MODES = (KEPT, "upgraded")
_PRECOMBINE = "hoodie.datasource.write.precombine.field"


@dataclass(frozen=True)
class Upgrade:
    """How tables live through an upgrade.

    Attributes:
        release: the earlier release.
        then: the later one.
        after: the number of the last batch of the earlier one.
        modes: some of `MODES`; each goes on with a copy of the tables.
        pyspark: a folder with the PySpark of the earlier one, if that has no bundle for the installed one.
    """

    release: str
    then: str
    after: int
    modes: Sequence[str]
    pyspark: str | None = None


def record_upgrades(cases: Sequence[Case], upgrade: Upgrade, work: Path, out: Path) -> None:
    """Write `cases` with both releases, each in a process of its own, to tables in the empty folder `work`."""
    processes = multiprocessing.get_context("spawn")
    for target, folders in ((_before, (work,)), (_then, (work, out))):
        process = processes.Process(target=target, args=(cases, upgrade, *folders))
        with _pyspark_of(upgrade.pyspark if target is _before else None):
            process.start()
        process.join()
        if process.exitcode:
            message = f"the process of one release ended with code {process.exitcode}"
            raise RuntimeError(message)


@contextlib.contextmanager
def _pyspark_of(folder: str | None) -> Iterator[None]:
    """Have a process that starts, and the workers of its Spark, import another PySpark."""
    path, named = list(sys.path), os.environ.get("PYTHONPATH", "")
    if folder is not None:
        sys.path.insert(0, folder)
        os.environ["PYTHONPATH"] = os.pathsep.join((folder, named))
    try:
        yield
    finally:
        sys.path[:] = path
        os.environ["PYTHONPATH"] = named


def _before(cases: Sequence[Case], upgrade: Upgrade, work: Path) -> None:
    spark = session(upgrade.release)
    for case in cases:
        table = work / case.folder / "table"
        numbers = range(1, upgrade.after + 1)
        commits = [write(spark, case, table, number) | {"hudi_version": upgrade.release} for number in numbers]
        (work / case.folder / "commits.json").write_text(json.dumps(commits, default=str))
    spark.stop()


def _then(cases: Sequence[Case], upgrade: Upgrade, work: Path, out: Path) -> None:
    spark = session(upgrade.then)
    for case in cases:
        for mode in upgrade.modes:
            copy = work / case.folder / mode
            shutil.copytree(work / case.folder / "table", copy)
            history = history_of(case, upgrade.release) | {"then_hudi_version": upgrade.then, "mode": mode}
            history["commits"] = json.loads((work / case.folder / "commits.json").read_text())
            _go_on(spark, case, copy, history)
            save(out / f"{upgrade.release}-to-{upgrade.then}-{mode}" / case.folder, history)
    spark.stop()


def _go_on(spark: SparkSession, case: Case, table: Path, history: dict[str, Any]) -> None:
    """Read the table and write the other batches; add to its history what the later release answered."""
    before = history["properties_before"] = properties(table)
    kept = {"hoodie.write.table.version": before["hoodie.table.version"], "hoodie.write.auto.upgrade": "false"}
    options = kept if history["mode"] == KEPT else {}
    commits = history["commits"]
    try:
        history["read_by_new_release_before_any_write"] = read(spark, case, table)
        for number in range(len(commits) + 1, len(case.batches) + 1):
            more = {"hudi_version": history["then_hudi_version"], "options_then": options}
            if not write_on(spark, case, table, number, history, **more):
                break
            ordering = properties(table).get("hoodie.table.ordering.fields")
            if ordering is not None and ordering != case.options.get(_PRECOMBINE):
                options = options | {_PRECOMBINE: ordering}  # the upgrade changed them, and the writer has to follow
    except Exception as error:  # noqa: BLE001 (that Hudi fails is an answer, too)
        history["error"] = reason(error, table)
    history["properties_after"] = properties(table)
