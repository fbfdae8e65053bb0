"""Traces of every key end as the tables of real Hudi."""

from __future__ import annotations

import collections
import dataclasses
import itertools
from typing import TYPE_CHECKING, Any

import pytest

from bridge import PlanError
from bridge.explain.trace import Tracer, trace_key
from bridge.plan import TableType
from bridge.programs import Operations, WriteOperation, handover, handovers
from bridge.programs.small_files import small_file_candidates
from tests.conformance.coverage import features_of
from tests.conformance.histories import READ, History, load
from tests.conformance.spark_histories import plan_of as plan_of_history
from tests.conformance.spark_histories import steps_of
from tests.mergers.laws.recorded import physical, schema_of
from tests.support import DATA, OPERATIONS
from tests.support.pairwise import few

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from payloads import AvroSchema, Record


def exactly(rows: dict[Any, Record]) -> dict[Any, str]:
    """Return rows as text, which tells -0.0 from 0.0, and 1 from True."""
    return {identity: repr(sorted(one.items())) for identity, one in rows.items()}


def traces_of(history: History) -> Iterator[tuple[int, dict[Any, Record | None], dict[Any, Record]]]:
    """Give for each snapshot our rows and the recorded ones: of every key, until it has several rows."""
    schema, plan, commits = schema_of(history), plan_of_history(history), len(history.commits)
    versions: dict[Any, list[tuple[int, Record]]] = {}
    for number, commit in enumerate(history.commits, start=1):
        for incoming in commit.incoming:
            versions.setdefault((incoming["part"], incoming["id"]), []).append((number, physical(incoming, schema)))
    change, upgrade = None, history.upgrade
    if upgrade is not None and upgrade.after < commits:
        props, ordering = dict(plan.props), plan.ordering
        if upgrade.reorders:  # the write that upgrades is held against the older fields
            props.pop("hoodie.datasource.write.precombine.field", None)
            ordering = ()
        new = dataclasses.replace(plan, release=upgrade.release, props=props, ordering=ordering)
        change = handover(plan, new, after=upgrade.after, keep_table_version=upgrade.keeps_version)
    compacted = [number for number, commit in enumerate(history.commits, start=1) if commit.compacted_inline]
    tracer = Tracer(plan, schema, commits=commits, compact_after=compacted, handover=change)
    traces = {identity: tracer.trace(own) for identity, own in versions.items()}
    for number, snapshot in history.snapshots.items():
        if number == READ or (upgrade is not None and change is None):
            continue
        followed = {of for of, one in traces.items() if not one.has_several_rows or number <= max(one.rows)}
        ours = {identity: traces[identity].row_after(number) for identity in followed}
        real = {of: one for one in snapshot if (of := (one["part"], one["id"])) in followed}
        yield number, ours, {identity: physical(one, schema) for identity, one in real.items()}


def operations_of(history: History) -> Operations:
    columns = {number: history.commits[number - 1].incoming[0] for number in history.operations}
    updates = {number for number, one in history.operations.items() if one is WriteOperation.SQL_UPDATE}
    return Operations(history.operations, {n: tuple({*columns[n]} - {"id", "part"}) for n in updates})


def versions_by_key(
    history: History, schema: AvroSchema, identity: tuple[str, ...]
) -> dict[Any, list[tuple[int, Record]]]:
    """Return what each key gets: of a batch that only names keys, or removes a partition, the key alone."""
    versions: dict[Any, list[tuple[int, Record]]] = {}
    for number, commit in enumerate(history.commits, start=1):
        named = [physical({name: one.get(name) for name in schema.by_name}, schema) for one in commit.incoming]
        if commit.operation is WriteOperation.DELETE_PARTITION:
            paths = {one["part"] for one in named}
            known = {(one["part"], one["id"]): one for own in versions.values() for _, one in reversed(own)}
            named = [one for (part, _), one in known.items() if part in paths]
        for one in named:
            versions.setdefault(tuple(one[name] for name in identity), []).append((number, one))
    return versions


def is_traced(history: History) -> bool:
    """Whether a key depends on no other: no overwrite names its partition, and no small file has both."""
    plan, overwrites = plan_of_history(history), (o for o in history.operations.values() if o.inserts and o.replaces)
    return not any(overwrites) and not (
        plan.table_type is TableType.MERGE_ON_READ and small_file_candidates(plan.props)
    )


@pytest.mark.parametrize(
    "histories",
    [
        pytest.param(lambda one: one.upgrade is None and "RECORD_INDEX" not in str(one.options), id="one-writer"),
        pytest.param(lambda one: one.upgrade is None and "RECORD_INDEX" in str(one.options), id="record-index"),
        pytest.param(lambda one: one.upgrade is not None, id="upgraded"),
    ],
)
def test_traces_of_operations_end_as_the_tables_of_real_hudi(histories: Any) -> None:
    """Of every key, until it has several rows."""
    traced = 0
    for history in load(OPERATIONS):
        if not histories(history) or not is_traced(history):
            continue
        schema, plan = schema_of(history), plan_of_history(history)
        versions = versions_by_key(history, schema, plan.identity)
        for run in history.runs:
            steps = steps_of(history, run, plan)
            settings: dict[str, Any] = {"compact_after": history.compact_after}
            settings["operations"] = operations_of(history).until(run.commits)
            settings["handover"] = handovers(plan, steps, commits=run.commits) if steps else None
            tracer = Tracer(plan, schema, commits=run.commits, **settings)
            ours = {key: tracer.trace([one for one in own if one[0] <= run.commits]) for key, own in versions.items()}
            for commit, number in run.numbers.items():
                followed = {k: t for k, t in ours.items() if not t.has_several_rows or commit <= max(t.rows, default=0)}
                shown = {key: row for key, trace in followed.items() if (row := trace.row_after(commit)) is not None}
                real = {tuple(one[name] for name in plan.identity): one for one in history.snapshots[number]}
                recorded = {key: physical(one, schema) for key, one in real.items() if key in followed}
                assert exactly(shown) == exactly(recorded), (str(history), number)
            traced += sum(len(trace.calls) for trace in ours.values())
    assert traced > 1000


def test_an_insert_overwrite_is_not_explained() -> None:
    history = next(load(OPERATIONS, "1.2.0", "insert-overwrite-default-cow"))
    with pytest.raises(PlanError, match=r"replaces rows of other keys"):
        trace_key([], plan_of_history(history), schema_of(history), operations=operations_of(history))


def traced(folder: str) -> list[History]:
    """Return the histories whose keys can be traced: global indexes can't."""
    return [
        history
        for history in load(DATA / folder)
        if history.error is None
        and not small_file_candidates(history.options)
        and not plan_of_history(history).global_index
    ]


def traits(history: History) -> Iterator[object]:
    """Yield what a trace may get wrong: each two of class, table type and upgrade, and what a case was recorded for."""
    upgrade = history.upgrade and (str(history.upgrade.release), history.upgrade.keeps_version, history.upgrade.after)
    settings = str(history.release), history.rule, history.table_type, upgrade
    yield from itertools.combinations(enumerate(settings), 2)
    yield from features_of(history)
    yield history.case, history.table_type


def few_of(histories: list[History]) -> list[History]:
    return few(histories, traits)


@pytest.mark.parametrize(
    ("folder", "choose"),
    [
        *((f"histories/{release}", list) for release in ("0.15.0", "1.0.2", "1.1.1", "1.2.0")),
        ("histories-upgraded", few_of),
        pytest.param("histories-upgraded", list, marks=pytest.mark.long),
    ],
)
def test_traces_end_as_the_tables_of_real_hudi(folder: str, choose: Callable[[list[History]], list[History]]) -> None:
    """Every key of a table, after each commit; all histories run without a trace in `test_conformance_histories`."""
    looked_at: collections.Counter[str] = collections.Counter()
    for history in choose(traced(folder)):
        for commit, ours, real in traces_of(history):
            shown = {identity: one for identity, one in ours.items() if one is not None}
            assert exactly(shown) == exactly(real), (str(history), commit)
            looked_at[history.table_type] += len(ours)
    assert len(looked_at) == 2
    assert min(looked_at.values()) > 100
