"""Records tables that several releases write in turn: upgrades in steps, and downgrades."""

from __future__ import annotations

import json
import multiprocessing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bridge.config import capabilities
from payloads.release import HudiRelease
from tests.conformance.record_cases import WRITE_VERSION
from tests.conformance.record_table import history_of, properties, read, reason, registered, save, session, write

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pyspark.sql import SparkSession

    from tests.conformance.record_cases import Case

_PRECOMBINE = "hoodie.datasource.write.precombine.field"
_NAMES = {6: "SIX", 8: "EIGHT", 9: "NINE"}


@dataclass(frozen=True)
class Stage:
    """One writer of a table.

    Attributes:
        release: in full.
        after: the number of the last batch before it.
        version: the table version that its writer names; None if it names none.
    """

    release: str
    after: int
    version: int | None = None

    @classmethod
    def parse(cls, text: str, after: int) -> Stage:
        """Read `1.2.0`, or `1.2.0@8` for a writer that names a table version."""
        release, _, version = text.partition("@")
        return cls(release, after, int(version) if version else None)

    @property
    def target(self) -> int:
        """The table version that the writer works on."""
        return self.version or capabilities(HudiRelease.parse(self.release)).created_version

    def __str__(self) -> str:
        return self.release if self.version is None else f"{self.release}@{self.version}"


def record_stages(cases: Sequence[Case], stages: Sequence[Stage], work: Path, out: Path) -> None:
    """Let each stage go on with the tables of the one before, in a process of its own, in the empty folder `work`."""
    processes = multiprocessing.get_context("spawn")
    for number in range(len(stages)):
        process = processes.Process(target=_run, args=(cases, stages, number, work))
        process.start()
        process.join()
        if process.exitcode:
            message = f"the process of {stages[number]} ended with code {process.exitcode}"
            raise RuntimeError(message)
    for case in cases:
        save(out / "-to-".join(map(str, stages)) / case.folder, json.loads(_noted(work, case).read_text()))


def _noted(work: Path, case: Case) -> Path:
    return work / case.folder / "history.json"


def _run(cases: Sequence[Case], stages: Sequence[Stage], number: int, work: Path) -> None:
    spark = session(stages[number].release)
    for case in cases:
        (work / case.folder).mkdir(exist_ok=True)
        path = _noted(work, case)
        history = json.loads(path.read_text()) if number else history_of(case, stages[0].release) | {"stages": []}
        if "error" not in history:
            table = work / case.folder / "table"
            try:
                _go_on(spark, case, table, history, stages, number)
            except Exception as error:  # noqa: BLE001 (that Hudi fails is an answer, too)
                history["error"] = reason(error, table)
            history["properties_after"] = properties(table)
        path.write_text(json.dumps(history, default=str))
    spark.stop()


def _go_on(  # noqa: PLR0913, PLR0917 (what a stage knows)
    spark: SparkSession, case: Case, table: Path, history: dict[str, Any], stages: Sequence[Stage], number: int
) -> None:
    """Read the table and write the batches of a stage; downgrade it for the next one if that needs it."""
    stage = stages[number]
    options = {} if stage.version is None else {WRITE_VERSION: str(stage.version)}
    if number:
        found = {"hudi_version": stage.release, "after": stage.after, "properties": properties(table)}
        history["stages"].append(found | ({} if stage.version is None else {"table_version": stage.version}))
        history["stages"][-1]["read"] = read(spark, case, table)
    last = stages[number + 1].after if number + 1 < len(stages) else len(case.batches)
    for batch in range(stage.after + 1, last + 1):
        commit = write(spark, case, table, batch, options)
        history["commits"].append(commit | {"hudi_version": stage.release, "options_then": options})
        ordering = properties(table).get("hoodie.table.ordering.fields")
        if ordering is not None and ordering != case.options.get(_PRECOMBINE):
            options = options | {_PRECOMBINE: ordering}  # an upgrade changed them, and the writer has to follow
    if number + 1 < len(stages):
        version = int(properties(table)["hoodie.table.version"])
        target = stages[number + 1].target
        if target < version:
            name = registered(spark, table)
            spark.sql(f"CALL downgrade_table(table => '{name}', to_version => '{_NAMES[target]}')").collect()
