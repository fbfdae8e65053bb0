"""A table of real Hudi beside this project's simulation of the same batches: every snapshot, row and column."""

from __future__ import annotations

import collections
import dataclasses
import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from bridge import MergePlan, simulate
from bridge.engines import COMMIT
from bridge.errors import sentence_of
from bridge.merge import class_warnings
from mergers import MergerRef
from payloads import PayloadRef
from tests.conformance import histories
from tests.conformance.histories import Commit, History, cells, columns_of
from tests.conformance.record_cases import TABLE_TYPES
from tests.conformance.spark_histories import batches_of
from tests.corpus.shapes import SHAPES, build_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from pyspark.sql import SparkSession

    from payloads import HudiRelease
    from tests.corpus.jars import ShapeJars
    from tests.corpus.shapes import Shape

    Row = Mapping[str, Any]

EQUAL = "equal"
REFUSED_BY_BOTH = "refused by both"
DIFFERS = "differs"
OTHERWISE = "refused by both, for different reasons"
BY_HUDI = "refused by Hudi alone"
HERE = "refused here alone"
FORETOLD = "refused by Hudi, and a warning here says so"
FINE = {EQUAL, REFUSED_BY_BOTH, FORETOLD}
_TOLD = 5
_KINDS = {long: short for short, long in TABLE_TYPES.items()}
_WORDS: tuple[tuple[str, str], ...] = (
    ("No valid spark merger implementation set", "No valid spark merger implementation set"),
    ("Failed to write to Hudi", "fails the write"),  # the cause stands in the executor's log alone
    ("Failed to write to Hudi", "reads fields by position"),
    ("cannot be cast to class java.lang.Boolean", "reads fields by position"),
)
"""What Hudi's exceptions say, and what is said here instead."""
_WRAPPERS = ("HoodieException", "HoodieUpsertException", "HoodieInsertException", "SparkException", "RuntimeException")


class Recorded(NamedTuple):
    """A table as real Hudi wrote it.

    Attributes:
        history: the commits that it made.
        refused: the batch that it refused, without a snapshot; None where it took all.
        error: the exceptions that it threw then, a line each, the innermost last.
    """

    history: History
    refused: Commit | None
    error: str

    @property
    def shape(self) -> Shape:
        """Its class."""
        return SHAPES[self.history.case]

    @property
    def label(self) -> str:
        """Release, class and table type."""
        return f"{self.history.release} {self.history.folder}"


class Answer(NamedTuple):
    """What became of a table.

    Attributes:
        recorded: the table.
        verdict: EQUAL, or what is not.
        snapshots: how many were compared.
        rows: how many rows of Hudi's they have.
        differences: how many rows differ, are missing or too much.
        told: the first differences, or both reasons.
    """

    recorded: Recorded
    verdict: str
    snapshots: int = 0
    rows: int = 0
    differences: int = 0
    told: tuple[str, ...] = ()

    def __str__(self) -> str:
        refusal = (
            ""
            if self.verdict not in {REFUSED_BY_BOTH, BY_HUDI}
            else f", batch {len(self.recorded.history.commits) + 1}"
        )
        found = f"{self.recorded.label}: {self.verdict}{refusal}; {self.snapshots} snapshots, {self.rows} rows"
        return "\n    ".join((found + (f", {self.differences} differ" if self.differences else ""), *self.told))


def read(path: Path) -> Recorded:
    """Read a history that `tests.corpus.real` wrote."""
    raw = json.loads(path.read_bytes())
    refused = raw.get("refused")
    commit = None if refused is None else Commit(tuple(refused["incoming"]), (), refused["compacted_inline"])
    return Recorded(histories.read(path), commit, raw.get("error") or "")


def load(folder: Path, labels: Iterable[str]) -> Iterator[Recorded]:
    """Read the histories below a folder, RELEASE/NAME-TYPE, that are there."""
    for label in labels:
        path = folder / label / "history.json"
        if path.exists():
            yield read(path)


def plan_of(recorded: Recorded, jars: Mapping[HudiRelease, ShapeJars]) -> MergePlan:
    """Return the plan with which a user tries a class before the table is written."""
    history, shape = recorded.history, recorded.shape
    classes, library = jars[build_of(history.release)]
    jar = str(classes) if shape.library is None else f"{classes},{library}"
    merger = None
    if shape.strategy:
        merger = MergerRef(shape.class_name, jar=jar) if shape.twin is None else MergerRef(shape.twin)
    return MergePlan(
        payload=None if merger else PayloadRef(shape.class_name, jar=jar),
        merger=merger,
        release=history.release,
        table_type=_KINDS[history.table_type],  # type: ignore[arg-type]
        key=("id",),
        partition=("part",),
        ordering=history.ordering,
        props={name: text for name, text in history.options.items() if "merge.custom.impl" not in name},
    )


def compared(spark: SparkSession, recorded: Recorded, jars: Mapping[HudiRelease, ShapeJars]) -> Answer:
    """Simulate the batches of a table, and hold every snapshot against Hudi's."""
    history, plan = recorded.history, plan_of(recorded, jars)
    ours: dict[int, list[Row]] = {}
    refusal = None
    if recorded.refused is not None:
        refusal = _failure(spark, dataclasses.replace(history, commits=(*history.commits, recorded.refused)), plan)
    if history.commits:
        try:
            ours = _snapshots(spark, history, plan)
        except Exception as error:  # noqa: BLE001 (whatever is refused is an answer)
            return Answer(recorded, HERE, told=(f"here: {_sentence(error)}",))
    differences = [one for number in ours for one in differences_of(number, history.snapshots[number], ours[number])]
    counts = {"snapshots": len(history.commits), "rows": sum(len(one) for one in history.snapshots.values())}
    if differences:
        return Answer(recorded, DIFFERS, **counts, differences=len(differences), told=tuple(differences[:_TOLD]))
    if recorded.refused is None:
        return Answer(recorded, EQUAL, **counts)
    told = (f"Hudi: {_innermost(recorded.error)}", f"here: {refusal}")
    if refusal is None:
        warnings = " ".join(class_warnings(plan))
        verdict = FORETOLD if is_one_reason(recorded.error, warnings) else BY_HUDI
        return Answer(recorded, verdict, **counts, told=(told[0], f"here: {warnings or None}"))
    verdict = REFUSED_BY_BOTH if is_one_reason(recorded.error, refusal) else OTHERWISE
    return Answer(recorded, verdict, **counts, told=told)


def _snapshots(spark: SparkSession, history: History, plan: MergePlan) -> dict[int, list[Row]]:
    written = batches_of(spark, history)
    found = simulate(written, plan, compact_after=history.compact_after).snapshots
    columns = columns_of(history.schema_ddl)
    rows: dict[int, list[Row]] = {number: [] for number in history.snapshots}
    for row in found.select(COMMIT, *columns).collect():
        rows[row[COMMIT]].append({name: row[name] for name in columns})
    return rows


def _failure(spark: SparkSession, history: History, plan: MergePlan) -> str | None:
    try:
        _snapshots(spark, history, plan)
    except Exception as error:  # noqa: BLE001 (whatever is refused is an answer)
        return _sentence(error)
    return None


def differences_of(number: int, hudis: Iterable[Row], ours: Iterable[Row]) -> Iterator[str]:
    """Say of each key of a snapshot what differs, by value and type."""
    wanted, got = _by_key(hudis), _by_key(ours)
    for key in sorted({*wanted, *got}):
        pairs = wanted.get(key, []), got.get(key, [])
        if len(pairs[0]) == len(pairs[1]) == 1:
            (hudi,), (our,) = pairs
            left, right = cells(hudi), cells(our)
            names = [name for name in hudi if left[name] != right[name]]
            if names:
                told = ", ".join(f"{name}={our[name]!r} (Hudi: {hudi[name]!r})" for name in names)
                yield f"after commit {number}, key {key}: {told}"
        elif len(pairs[0]) != len(pairs[1]):
            yield f"after commit {number}, key {key}: {len(pairs[1])} rows here, {len(pairs[0])} in Hudi: {pairs}"


def _by_key(rows: Iterable[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = collections.defaultdict(list)
    for row in rows:
        found[row["id"]].append(row)
    return found


def _sentence(error: Exception) -> str:
    return re.sub(r"\s+", " ", sentence_of(error))[:500]


def is_one_reason(hudis: str, ours: str) -> bool:
    """Whether our sentence names the exception that Hudi failed with, by its class and words or by `_WORDS`."""
    kind, _, words = _innermost(hudis).partition(": ")
    if kind.rpartition(".")[2] in ours and words[:60] in ours:
        return True
    return any(theirs in hudis and said in ours for theirs, said in _WORDS)


def _innermost(error: str) -> str:
    lines = [line for line in error.splitlines() if not line.split(":")[0].endswith(_WRAPPERS)]
    return (lines or error.splitlines() or [""])[-1]
