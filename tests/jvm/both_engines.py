"""Runs the programs of two plans, one for each engine, on the same versions, and compares what becomes of each key."""

from __future__ import annotations

import dataclasses
import json
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bridge.engines import ORDERING, Job
from bridge.engines.jvm.gateway import Driver
from bridge.engines.jvm.jars import jars_of
from bridge.engines.jvm.job import Calls, description
from bridge.engines.jvm.upgrade import with_successor
from bridge.engines.ordering_text import from_text
from bridge.engines.python.worker import merged
from bridge.errors import MergeFailedError
from bridge.plan import TableType
from bridge.programs import PROGRAMS, Operations, Origin, WriteOperation, handover
from bridge.spark.schema import avro_schema
from payloads import HudiRelease
from tests.jvm.versions import COLUMNS, COMMITS, DATA

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    import pyarrow as pa
    from pyspark.sql import SparkSession

    from bridge import MergePlan
    from tests.jvm.versions import Tables, Versions

_FAILED: Final = re.compile(r"failed at \S+ \(key .*?id=-?\d+")


_OF_ONE_RELEASE: Final = frozenset(PROGRAMS) - {"simulate_upgrade"}


class _Run(NamedTuple):
    """A program on some versions; it sees one key after the other, or all together."""

    program: str
    versions: Versions
    origins: tuple[Origin, ...]
    arguments: dict[str, Any]
    all_keys: bool = False


class Difference(NamedTuple):
    """A key of which the engines make different rows; None where the program sees all keys together."""

    program: str
    arguments: dict[str, Any]
    key: int | None
    java: Any
    python: Any
    versions: list[dict[str, Any]]


class Compared(NamedTuple):
    """What became of all keys.

    Attributes:
        differences: where the engines differ.
        outcomes: what Java made of each key in each program; where it failed, the merge point and the key.
    """

    differences: list[Difference]
    outcomes: list[Any]

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows of all outcomes."""
        return [row for outcome in self.outcomes if isinstance(outcome, list) for row in outcome]

    @property
    def merged(self) -> float:
        """The part of the outcomes that are rows; the others are failures, in both engines."""
        return sum(not isinstance(one, str) for one in self.outcomes) / len(self.outcomes)


class BothEngines:
    """The jvm engine and the python engine on versions in memory.

    Attributes:
        spark: the session whose JVM runs the one.
    """

    def __init__(self, spark: SparkSession, harness: Path) -> None:
        """Take `EachKey` from the jar `harness`."""
        self.spark = spark
        self._driver = Driver(spark)
        self._harness = harness

    def compared(
        self, java: MergePlan, python: MergePlan, tables: Tables, programs: Collection[str] = _OF_ONE_RELEASE
    ) -> Compared:
        """Run programs, in Java with one call for all keys of all of them."""
        runs = [run for run in _runs(java, tables) if run.program in programs]
        found, outcomes = [], []
        for run, answer in zip(runs, self._in_java(java, runs), strict=True):
            expected = _in_python(_job(python, run), run, answer)
            for key in sorted({*answer, *expected}, key=repr):
                mine, reference = answer.get(key), expected.get(key)
                outcomes.append(mine)
                if mine != reference:
                    versions = run.versions.of(run.origins, None if key is None else {key}).to_pylist()
                    found.append(Difference(run.program, run.arguments, key, mine, reference, versions))
        return Compared(found, outcomes)

    def _in_java(self, plan: MergePlan, runs: list[_Run]) -> list[dict[int | None, Any]]:
        """Return the outcomes of each run by key: sorted rows, or where it failed."""
        calls = Calls(plan)
        jars = jars_of(self.spark, calls.reference, plan.release, calls.classes)
        harness = self._driver.class_in([str(self._harness)], "com.acme.EachKey")
        task = self._driver.session_class("bridge.jvm.MergeTask")
        names = self._driver.jvm.java.util.ArrayList(list(jars.names))
        answers: list[dict[int | None, Any]] = []
        for versions, together in _by_versions(runs):
            jobs = [with_successor(self.spark, _job(plan, run), DATA, is_java8=False) for run in together]
            asked = [
                {
                    "description": description(job, calls, DATA, [*COLUMNS], is_java8=False),
                    "origins": run.origins,
                    "all_keys": run.all_keys,
                }
                for job, run in zip(jobs, together, strict=True)
            ]
            told = self._driver.call(harness, "answers", task, names, versions.rows, json.dumps(asked))
            answers += [
                _by_key(run, _job(plan, run).added, answer)
                for run, answer in zip(together, json.loads(str(told)), strict=True)
            ]
        return answers


def _by_versions(runs: list[_Run]) -> Iterator[tuple[Versions, list[_Run]]]:
    """Give neighbouring runs with the same versions together."""
    start = 0
    for end, run in enumerate(runs):
        if run.versions is not runs[start].versions:
            yield runs[start].versions, runs[start:end]
            start = end
    yield runs[start].versions, runs[start:]


def _runs(plan: MergePlan, tables: Tables) -> Iterator[_Run]:
    stored, log, incoming = Origin.STORED, Origin.LOG, Origin.INCOMING
    if plan.combine_before_upsert:
        yield _Run("combine_input", tables.contested, (incoming,), {})
    yield _Run("upsert", tables.contested, (stored, incoming), {})
    yield _Run("append", tables.contested, (stored, incoming), {})
    yield _Run("snapshot", tables.contested, (stored, log), {})
    yield _Run("compact", tables.contested, (stored, log), {})
    several: dict[str, Any] = {"commits": COMMITS}
    yield _Run("simulate", tables.batches, (incoming,), {**several, "compact_after": (), "log_updates": False})
    yield _Run("simulate", tables.batches, (incoming,), {**several, "compact_after": (3,), "log_updates": True})
    if plan.release != HudiRelease.latest():
        on_read = plan.table_type is TableType.MERGE_ON_READ
        for after, keeps in ((3, False), (3, True), (COMMITS, True)):
            change = {"compact_after": (2, 4), "log_updates": on_read, "after": after, "keeps": keeps}
            yield _Run("simulate_upgrade", tables.batches, (incoming,), {**several, **change})
    if plan.combine_before_upsert and plan.inserts_to == "base":
        small: dict[str, Any] = {**several, "compact_after": (3,), "candidates": 1}
        yield _Run("simulate_small_files", tables.batches_by_arrival, (incoming,), small, all_keys=True)


def run_in_python(plan: MergePlan, program: str, tables: Tables) -> list[Any]:
    """Return what the python engine makes of each key: rows, or where it failed."""
    log_updates = plan.table_type is TableType.MERGE_ON_READ
    commits = {"commits": COMMITS, "log_updates": log_updates}
    arguments: dict[str, dict[str, Any]] = {
        "all_paths": {"table_types": ("cow", "mor")},
        "simulate": commits,
        "simulate_global_index": commits,
        "simulate_global_operations": {**commits, "operations": Operations({2: WriteOperation.DELETE})},
        "simulate_operations": {**commits, "operations": Operations({2: WriteOperation.DELETE})},
        "simulate_operations_upgrade": {
            **commits,
            "operations": Operations({2: WriteOperation.DELETE}),
            "after": 3,
            "keeps": False,
        },
        "simulate_small_files": {"commits": COMMITS, "candidates": 1},
        "simulate_upgrade": {**commits, "after": 3, "keeps": False},
        "smallest_history": {"table_types": ("cow", "mor")},
    }
    contested = {"combine_input": {2}, "snapshot": {0, 1}, "compact": {0, 1}}.get(program, {0, 2})
    run = _Run(program, tables.contested, tuple(Origin(one) for one in sorted(contested)), {})
    if program in arguments:
        by_partition = PROGRAMS[program].by_partition
        versions = tables.batches_by_arrival if by_partition else tables.batches
        run = _Run(program, versions, (Origin.INCOMING,), arguments[program], by_partition)
    return list(_in_python(_job(plan, run), run, {}).values())


def _job(plan: MergePlan, run: _Run) -> Job:
    arguments = dict(run.arguments)
    if "after" in arguments:
        new = dataclasses.replace(plan, release=HudiRelease.latest())
        arguments["handover"] = handover(
            plan, new, after=arguments.pop("after"), keep_table_version=arguments.pop("keeps")
        )
    return Job(plan, avro_schema(DATA, plan.release), tuple(DATA.names), run.program, arguments)


def _by_key(run: _Run, added: tuple[str, ...], answer: dict[str, Any]) -> dict[int | None, Any]:
    names = (*DATA.names, *added)
    rows = [dict(zip(names, row, strict=True)) for found in answer["outcomes"].values() for row in found]
    for row in rows:
        if row.get(ORDERING) is not None:
            java_type, text = row[ORDERING]
            row[ORDERING] = {"type": java_type, "value": text}
    failed = answer["failed"]
    if run.all_keys:
        return {None: _failure(next(iter(failed.values()))) if failed else _comparable(rows)}
    return {**_keyed(rows), **{int(key): _failure(message) for key, message in failed.items()}}


def _in_python(job: Job, run: _Run, in_java: dict[int | None, Any]) -> dict[int | None, Any]:
    """Return the outcomes by key: the keys that Java merges are merged together, each other one by itself."""
    if run.all_keys:
        return {None: _merged(job, run.versions.of(run.origins))}
    fine = {key for key, found in in_java.items() if not isinstance(found, str)}
    there = dict.fromkeys(run.versions.of(run.origins).column(0).to_pylist())
    together = _merged(job, run.versions.of(run.origins, {*there} - {key for key in in_java if key not in fine}))
    alone = [key for key in there if key not in fine] if not isinstance(together, str) else list(there)
    found: dict[int | None, Any] = {} if isinstance(together, str) else _keyed(together)
    for key in alone:
        rows = _merged(job, run.versions.of(run.origins, {key}))
        if isinstance(rows, str) or rows:
            found[key] = rows
    return found


def _keyed(rows: list[dict[str, Any]]) -> dict[int | None, Any]:
    keys = dict.fromkeys(row["id"] for row in rows)
    return {key: _comparable([row for row in rows if row["id"] == key]) for key in keys}


def _failure(message: str) -> str:
    """Return the merge point and the key that a failure names; what follows is in the words of each language."""
    return str(_FAILED.search(message)[0])


def _merged(job: Job, versions: pa.RecordBatch) -> Any:
    try:
        return _comparable([row for batch in merged(job, [versions]) for row in batch.to_pylist()])
    except MergeFailedError as error:
        return _failure(str(error))


def _comparable(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return outcomes sorted, with ordering values that are equal where these are."""
    for row in rows:
        if isinstance(row.get(ORDERING), dict):
            row[ORDERING] = repr(from_text(row[ORDERING]))
    return sorted(rows, key=repr)
