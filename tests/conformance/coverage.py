"""Chooses few histories that together have every feature of many, for engines that take seconds for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from bridge.pipeline import program_of
from bridge.plan import TableType
from bridge.programs import Operations
from tests.conformance.histories import columns_of
from tests.conformance.spark_histories import plan_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tests.conformance.histories import Commit, History
    from tests.conformance.replays import Question

T = TypeVar("T")


def smallest_cover(members: Sequence[T], features: Callable[[T], Iterable[str]]) -> list[T]:
    """Return members that together have all features, taking the one with most new features first."""
    left = {index: set(features(member)) for index, member in enumerate(members)}
    chosen = []
    while any(left.values()):
        best = max(left, key=lambda index: (len(left[index]), -index))
        chosen.append(best)
        new = left.pop(best)
        left = {index: others - new for index, others in left.items()}
    return [members[index] for index in sorted(chosen)]


def _clauses(commit: Commit) -> str:
    return "" if commit.statement is None else commit.statement.partition(" WHEN ")[2]


def features_of(history: History) -> Iterator[str]:
    """Name what Spark could get wrong about a history whose answers are right in this process."""
    plan, columns = plan_of(history), columns_of(history.schema_ddl)
    on_read = plan.table_type is TableType.MERGE_ON_READ
    yield f"{plan.table_type.value} of {plan.release}"
    yield "a mode" if history.payload_class is None else "a class"
    yield f"{len(history.ordering)} ordering fields"
    yield from (f"a column of {kind}" for kind in columns.values())
    for run in history.runs:
        program = program_of(plan, Operations(history.operations), upgraded=bool(run.upgrades))
        program = "simulate_upgrade" if history.plain_after is not None else program
        yield f"{program}, {plan.table_type.value}"
        for one in run.upgrades:
            yield "only reads" if one.after == run.commits else f"keeps version: {one.keeps_version}"
    features = {
        "batches as they are": not plan.combine_before_upsert,
        "new keys in logs": on_read and plan.inserts_to == "log",
        "rows move": plan.global_index and plan.moves_rows,
        "rows stay": plan.global_index and not plan.moves_rows,
        "a plain writer": history.plain_after is not None,
        "compaction": on_read and bool(history.compact_after),
        "empty partition": any(not row.get("part", "-") for commit in history.commits for row in commit.incoming),
    }
    yield from (name for name, holds in features.items() if holds)
    yield from (operation.value for operation in history.operations.values())
    kind = plan.table_type.value
    yield from (f"a source of other columns, {kind}" for commit in history.commits if commit.source_ddl is not None)
    yield from (f"a statement that reads the table, {kind}" for one in history.commits if "t." in _clauses(one))


def features_of_question(question: Question) -> Iterator[str]:
    """Name what `replay` could get wrong about a question whose answer is right in this process."""
    yield f"{question.kind}, {question.left.table_type}"
    if question.is_refused:
        yield f"refused, {question.kind}"
    for commit, (kinds, _) in question.recorded.items():
        last = "in the end" if commit == question.commits else "before the end"
        yield from (f"{kind} {last}" for kind in kinds.values())


def features_of_releases(question: Question) -> Iterator[str]:
    """Name these, and the two releases."""
    yield question.label
    yield from features_of_question(question)
