"""Replays against pairs of recorded tables: the keys that `replay` names are those on which the real ones differ."""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from bridge.compare import Comparison, compare
from bridge.errors import sentence_of
from bridge.pipeline import Batches
from bridge.pipeline.differences import CHANGED, ONLY_LEFT, ONLY_RIGHT
from bridge.report import json_rows
from payloads import PayloadBridgeError
from tests.conformance import in_process
from tests.conformance.histories import cells, load
from tests.conformance.spark_histories import plan_of, versions_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from pyspark.sql import SparkSession

    from bridge.compare.replay_report import ReplayReport
    from bridge.plan import MergePlan
    from bridge.programs import Handover
    from tests.conformance.histories import History, Row

    Key = tuple[Any, Any]
    Kinds = dict[Key, str]
    Columns = Mapping[Key, set[str]]
    Recorded = tuple[Kinds, Columns]

FRESH, UPGRADED, KEPT, READER = "fresh", "upgraded", "kept version", "reader only"
_ORDERING_OPTIONS = {"hoodie.datasource.write.precombine.field", "hoodie.table.ordering.fields"}


@dataclass(frozen=True)
class Question:
    """Two recorded tables of one case, and what `replay` is asked about them.

    Attributes:
        left: the table that stays on its release.
        right: the table of the later release, or the left one as it lived through an upgrade.
        kind: what the right side is.
        commits: how many batches are played.
        is_refused: whether real Hudi refused these batches on the right side.
    """

    left: History
    right: History
    kind: str
    commits: int
    is_refused: bool = False

    def __str__(self) -> str:
        return f"{self.label}: {self.left.folder}"

    @property
    def label(self) -> str:
        """The releases and what the right side is, which many questions share."""
        to = self.right.release if self.right.upgrade is None else self.right.upgrade.release
        return f"{self.left.release} to {to}, {self.kind}"

    @property
    def sides(self) -> Comparison:
        """Both plans, which differ in the release alone: that of a user who goes on with the same settings.

        Where Hudi refuses the ordering field of these, the recorded writer followed the table, and so does this one.
        """
        upgrade = self.right.upgrade
        plan = plan_of(self.left)
        found = Comparison(
            plan,
            dataclasses.replace(plan, release=self.right.release if upgrade is None else upgrade.release),
            self.commits,
            upgrade_after=None if upgrade is None else upgrade.after,
            keep_table_version=self.kind == KEPT,
            compact_after=tuple(number for number in self.left.compact_after if number <= self.commits),
        )
        return found if found.refused_ordering() is None else found.without_ordering()

    @functools.cached_property
    def recorded(self) -> dict[int, Recorded]:
        """what differs between the real tables after each commit: keys with their kind, and changed columns."""
        return {number: _differing(*snapshots) for number, snapshots in self._snapshots().items()}

    def differing(self) -> Kinds:
        """Return the keys on which the real tables differ in the end; none where real Hudi refused."""
        return {} if self.is_refused else self.recorded[self.commits][0]

    def _snapshots(self) -> dict[int, tuple[tuple[Row, ...], tuple[Row, ...]]]:
        upgrade = self.right.upgrade
        pairs = zip(self.left.commits[: self.commits], self.right.commits, strict=False)
        both = {number: (left.snapshot, right.snapshot) for number, (left, right) in enumerate(pairs, start=1)}
        if self.kind == READER and upgrade is not None:
            both[self.commits] = both[self.commits][0], upgrade.read or ()
        return both


class Answer(NamedTuple):
    """How a replay ended: how many keys really differ after the last commit, and what `replay` says otherwise."""

    question: Question
    differing: int
    problems: tuple[str, ...] = ()


# -- which tables make a pair


def questions(left: Path, right: Path, case: str | None = None) -> Iterator[Question]:
    """Pair the tables below two folders: one case, an earlier release on the left, or an upgrade of the left table."""
    yield from pairs(load(left, case=case), load(right, case=case))


def pairs(left: Iterable[History], right: Iterable[History]) -> Iterator[Question]:
    """Pair tables as `questions` does."""
    by_folder: dict[str, list[History]] = {}
    for history in left:
        if history.upgrade is None:
            by_folder.setdefault(history.folder, []).append(history)
    for other in right:
        for history in by_folder.get(other.folder, ()):
            yield from _asked(history, other)


def _asked(left: History, right: History) -> Iterator[Question]:
    upgrade = right.upgrade
    if not _is_one_case(left, right) or (upgrade is None) == (left.release == right.release):
        return
    if upgrade is None:
        if left.release > right.release:
            return
        kind, commits = FRESH, min(len(left.commits), len(right.commits))
        if commits:
            yield Question(left, right, kind, commits)
    else:
        kind, commits = (KEPT if upgrade.keeps_version else UPGRADED), len(right.commits)
        yield Question(left, right, READER, upgrade.after, is_refused=upgrade.read is None)
        if commits > upgrade.after:
            yield Question(left, right, kind, commits)
    if right.error is not None and len(left.commits) > commits:
        yield Question(left, right, kind, commits + 1, is_refused=True)


def _is_one_case(left: History, right: History) -> bool:
    """Whether both tables were written with the same settings from the same batches."""
    same = all(getattr(left, name) == getattr(right, name) for name in ("payload_class", "table_type", "schema_ddl"))
    options = [{k: v for k, v in one.options.items() if k not in _ORDERING_OPTIONS} for one in (left, right)]
    both = zip(left.commits, right.commits, strict=False)
    return (
        same
        and options[0] == options[1]
        and all((a.incoming, a.compacted_inline) == (b.incoming, b.compacted_inline) for a, b in both)
    )


# -- asking


def answers(spark: SparkSession | None, asked: Iterable[Question]) -> Iterator[Answer]:
    """Put each question to `replay`; without Spark both sides run in this process and are compared here."""
    simulations = _Simulations()
    for question in asked:
        recorded = question.recorded
        try:
            if spark is None:
                problems = tuple(_problems_here(question, recorded, simulations))
            else:
                problems = tuple(_problems(spark, question, recorded))
        except Exception as error:  # noqa: BLE001 (one replay that fails must not hide the others)
            problems = (f"failed: {type(error).__name__}: {sentence_of(error)}",)
        yield Answer(question, len(question.differing()), problems)


class _Simulations:
    """Simulations of one question after the other: a table is the left one of many, and the right one of others."""

    def __init__(self) -> None:
        self._known: dict[str, list[tuple[list[tuple[Row, ...]], dict[int, list[Row]]]]] = {}

    def of(self, question: Question, plan: MergePlan, change: Handover | None = None) -> dict[int, list[Row]]:
        """Return the snapshots that a plan leads to, from the same batches and settings only once."""
        left, compact_after = question.left, question.sides.compact_after
        batches = [commit.incoming for commit in left.commits[: question.commits]]
        known = self._known.setdefault(repr((left.schema_ddl, plan, compact_after, change)), [])
        for others, snapshots in known:
            if others == batches:
                return snapshots
        struct = in_process.struct_of(left.schema_ddl)
        snapshots = in_process.simulate(batches, struct, plan, compact_after=compact_after, change=change)
        known.append((batches, snapshots))
        return snapshots


def _problems_here(question: Question, recorded: Mapping[int, Recorded], simulations: _Simulations) -> Iterator[str]:
    sides = question.sides
    before = simulations.of(question, sides.left)
    try:
        change = sides.handover()
        after = simulations.of(question, sides.right if change is None else sides.left, change)
    except PayloadBridgeError as error:
        yield from _refusal(question, str(error))
        return
    if question.is_refused:
        yield from _refusal(question, None)
        return
    named = {commit: _differing(before[commit], after[commit])[0] for commit in recorded}
    yield from _wrong_kinds(recorded, named)
    last = max(recorded)
    columns = _differing(before[last], after[last])[1]
    yield from _wrong_columns(recorded[last][1], {key: columns.get(key, set()) for key in recorded[last][1]})


def _problems(spark: SparkSession, question: Question, recorded: Mapping[int, Recorded]) -> Iterator[str]:
    versions = versions_of(spark, {0: question.left}).where(f"_pb_commit <= {question.commits}")
    batches = Batches(map(str, range(1, question.commits + 1)), [versions.drop("conformance_case")])
    with compare(batches, question.sides) as answer:
        if answer.differing is None or question.is_refused:
            yield from _refusal(question, answer.refused)
            return
        yield from _compared(answer, recorded)


def _refusal(question: Question, refused: str | None) -> Iterator[str]:
    """Say where one of real Hudi and this project refused, and the other did not."""
    if refused is not None and not question.is_refused:
        yield f"refused: {refused}"
    if refused is None and question.is_refused:
        yield "not refused, but real Hudi failed"


def _compared(answer: ReplayReport, recorded: Mapping[int, Recorded]) -> Iterator[str]:
    named: dict[int, Kinds] = {commit: {} for commit in recorded}
    found: Any = answer.differences
    for row in json_rows(found.select("_pb_commit", "part", "id", "_pb_kind")):
        named[row["_pb_commit"]][row["part"], row["id"]] = row["_pb_kind"]
    yield from _wrong_kinds(recorded, named)
    counted = [counts.total for counts in answer.counts]
    if counted != [len(named[commit]) for commit in sorted(named)]:
        yield f"the counts {counted} are not those of the keys"
    last = max(recorded)
    listed = {(one.key["part"], one.key["id"]): one for one in answer.collect()}
    if {key: one.kind for key, one in listed.items()} != named[last]:
        yield "the list of differences has other keys than the last commit"
    changed = {key: set(one.columns) for key, one in listed.items() if one.kind == CHANGED}
    yield from _wrong_columns(recorded[last][1], changed)


def _wrong_kinds(recorded: Mapping[int, Recorded], named: Mapping[int, Kinds]) -> Iterator[str]:
    for commit, (kinds, _) in recorded.items():
        for key in sorted(kinds.keys() | named[commit].keys(), key=repr):
            really, says = kinds.get(key, "equal"), named[commit].get(key, "equal")
            if really != says:
                yield f"after commit {commit}, key {key}: {really} in the real tables, replay says {says}"


def _wrong_columns(really: Columns, named: Columns) -> Iterator[str]:
    for key, columns in named.items():
        if columns != really.get(key):
            yield f"key {key}: the columns {sorted(really.get(key, ()))} differ, replay names {sorted(columns)}"


def _differing(left: Iterable[Row], right: Iterable[Row]) -> Recorded:
    """Return the keys of which two snapshots have other rows, with their kind and, where both have one, the columns."""
    one, other = ({(row["part"], row["id"]): row for row in rows} for rows in (left, right))
    kinds: Kinds = dict.fromkeys(one.keys() - other.keys(), ONLY_LEFT)
    kinds |= dict.fromkeys(other.keys() - one.keys(), ONLY_RIGHT)
    columns = {}
    for key in one.keys() & other.keys():
        a, b = cells(one[key]), cells(other[key])
        names = {name for name in a if a[name] != b.get(name)}
        if names:
            kinds[key], columns[key] = CHANGED, names
    return kinds, columns
