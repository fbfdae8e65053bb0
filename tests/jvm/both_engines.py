"""Runs the programs of two plans, one for each engine, on the same versions, and compares what becomes of each key."""

from __future__ import annotations

import dataclasses
import json
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bridge.config import capabilities
from bridge.engines import ORDERING, PATH, Job, in_driver
from bridge.engines.jvm.gateway import Driver
from bridge.engines.jvm.jars import jars_of
from bridge.engines.jvm.job import Calls, description
from bridge.engines.jvm.upgrade import with_successor
from bridge.engines.ordering_text import from_text
from bridge.engines.python.worker import merged
from bridge.errors import MergeFailedError
from bridge.merge import merge_config
from bridge.plan import TableType
from bridge.programs import PROGRAMS, Operations, Origin, WriteOperation, handover, handovers
from bridge.spark.schema import avro_schema
from payloads import HudiRelease
from tests.jvm.versions import COLUMNS, COMMITS, DATA
from tests.support.support_matrix import next_writers

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

    import pyarrow as pa
    from pyspark.sql import SparkSession

    from bridge import MergePlan
    from tests.jvm.versions import Tables, Versions

_FAILED: Final = re.compile(r"failed(?: at \S+)? \(key .*?id=-?\d+")


_IN_JAVA: Final = frozenset(name for name, spec in PROGRAMS.items() if spec.in_java) - {"simulate_upgrade"}
IN_PYTHON: Final = frozenset(name for name, spec in PROGRAMS.items() if not spec.in_java)
"""The programs that Java lacks."""


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
        return rows_of(self.outcomes)

    @property
    def merged(self) -> float:
        """The part of the outcomes that are rows; the others are failures, in both engines."""
        return share_merged(self.outcomes)


def rows_of(outcomes: Collection[Any]) -> list[dict[str, Any]]:
    """Return the rows of outcomes that are no failures."""
    return [row for outcome in outcomes if isinstance(outcome, list) for row in outcome]


def share_merged(outcomes: Collection[Any]) -> float:
    """Return the part of the outcomes that are rows, not failures."""
    return sum(not isinstance(one, str) for one in outcomes) / len(outcomes)


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
        self,
        java: MergePlan,
        python: MergePlan,
        tables: Tables,
        programs: Collection[str] = _IN_JAVA,
        written: Mapping[str, Any] | None = None,
    ) -> Compared:
        """Run programs, in Java with one call for all keys of all of them; `written` as in `run_in_python`."""
        runs = _runs_of(java, tables, programs, written)
        found, outcomes = [], []
        for run, answer in zip(runs, self._answers(java, runs), strict=True):
            expected = _in_python(_job(python, run), run, answer)
            for key in sorted({*answer, *expected}, key=repr):
                mine, reference = answer.get(key), expected.get(key)
                outcomes.append(mine)
                if mine != reference:
                    versions = run.versions.of(run.origins, None if key is None else {key}).to_pylist()
                    found.append(Difference(run.program, run.arguments, key, mine, reference, versions))
        return Compared(found, outcomes)

    def _answers(self, plan: MergePlan, runs: list[_Run]) -> list[dict[int | None, Any]]:
        """Return the outcomes of each run by key, of programs that Java lacks as Python runs them with the class."""
        in_java = [run for run in runs if _is_in_java(plan, run)]
        answers = iter(self._in_java(plan, in_java) if in_java else ())
        called = in_driver(plan, self.spark) if len(in_java) < len(runs) else plan
        return [next(answers) if _is_in_java(plan, run) else _in_python(_job(called, run), run, None) for run in runs]

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


def _is_in_java(plan: MergePlan, run: _Run) -> bool:
    in_part = capabilities(plan.release).merge_modes and merge_config(plan).partial_update_mode is not None
    alone = plan.global_index or in_part or plan.on_error != "fail"
    return PROGRAMS[run.program].in_java and not alone and "steps" not in run.arguments


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


def _of_python(plan: MergePlan, tables: Tables) -> Iterator[_Run]:
    """Give the runs of programs that Java lacks."""
    stored, incoming = Origin.STORED, Origin.INCOMING
    on_read = plan.table_type is TableType.MERGE_ON_READ
    several: dict[str, Any] = {"commits": COMMITS, "log_updates": on_read, "compact_after": (3,) if on_read else ()}
    if plan.global_index:
        yield _Run("upsert_global_index", tables.contested, (stored, incoming), {})
        yield _Run("append_global_index", tables.contested, (stored, incoming), {})
        yield _Run("simulate_global_index", tables.batches, (incoming,), several)
        deletes = {**several, "operations": Operations({2: WriteOperation.DELETE})}
        yield _Run("simulate_global_operations", tables.batches, (incoming,), deletes)
        if plan.release != HudiRelease.latest():
            change = {**deletes, "after": 3, "keeps": False}
            yield _Run("simulate_global_operations_upgrade", tables.batches, (incoming,), change)
        return
    paths = {"table_types": ("cow", "mor")}
    yield _Run("all_paths", tables.batches, (incoming,), paths)
    yield _Run("smallest_history", tables.batches, (incoming,), paths)
    if plan.combine_before_upsert and plan.inserts_to == "base":
        written = {2: WriteOperation.DELETE, 3: WriteOperation.INSERT, 5: WriteOperation.SQL_DELETE}
        yield _Run("simulate_operations", tables.batches, (incoming,), {**several, "operations": Operations(written)})
        if plan.release != HudiRelease.latest():
            change = {**several, "operations": Operations({2: WriteOperation.DELETE}), "after": 3, "keeps": False}
            yield _Run("simulate_operations_upgrade", tables.batches, (incoming,), change)


def run_in_python(plan: MergePlan, program: str, tables: Tables, written: Mapping[str, Any] | None = None) -> list[Any]:
    """Return what the python engine makes of each key: rows, or where it failed.

    `written` has the `operations` of the commits, and the `steps` of writers that take the table over, by which a
    program runs once; without it, it runs in ways of its own.
    """
    runs = _runs_of(plan, tables, {program}, written)
    return [found for run in runs for found in _in_python(_job(plan, run), run, {}).values()]


def _runs_of(
    plan: MergePlan, tables: Tables, programs: Collection[str], written: Mapping[str, Any] | None
) -> list[_Run]:
    if written:
        on_read = plan.table_type is TableType.MERGE_ON_READ
        given = {"commits": COMMITS, "log_updates": on_read, "compact_after": (), **written}
        return [_Run(program, tables.batches, (Origin.INCOMING,), given) for program in programs]
    return [run for run in (*_runs(plan, tables), *_of_python(plan, tables)) if run.program in programs]


def _job(plan: MergePlan, run: _Run) -> Job:
    arguments = dict(run.arguments)
    if "after" in arguments:
        new = dataclasses.replace(plan, release=HudiRelease.latest())
        arguments["handover"] = handover(
            plan, new, after=arguments.pop("after"), keep_table_version=arguments.pop("keeps")
        )
    if "steps" in arguments:
        steps = list(next_writers(plan, arguments.pop("steps")))
        arguments["handover"] = handovers(plan, steps, commits=COMMITS)
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


def _in_python(job: Job, run: _Run, in_java: dict[int | None, Any] | None) -> dict[int | None, Any]:
    """Return the outcomes by key: the keys that Java merges are merged together, each other one by itself.

    Where what Java makes is not known, all are merged together, if they can be.
    """
    if run.all_keys:
        return {None: _merged(job, run.versions.of(run.origins))}
    there = dict.fromkeys(run.versions.of(run.origins).column(0).to_pylist())
    failed = {key for key, found in (in_java or {}).items() if isinstance(found, str)}
    fine = {*(there if in_java is None else in_java)} - failed
    together = _merged(job, run.versions.of(run.origins, {*there} - failed))
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


def _told(path: dict[str, Any]) -> str:
    """Return what both engines say of a path: of several that are equally near either may be named."""
    same = {name: path.get(name) for name in ("number", "of", "is_complete", "table_type", "batches")}
    steps = {name: len(path.get(name, ())) for name in ("commits", "compact_after")}
    return repr({**same, **steps, "fails": path.get("error") is not None})


def _comparable(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return outcomes sorted, with ordering values that are equal where these are, and errors in nobody's words."""
    for row in rows:
        if isinstance(row.get(ORDERING), dict):
            row[ORDERING] = repr(from_text(row[ORDERING]))
        if isinstance(row.get(PATH), str) and row[PATH].startswith('{"'):
            row[PATH] = _told(json.loads(row[PATH]))
    return sorted(rows, key=repr)
