"""Mergers and payloads that state a rule: the native engine gives the rows and failures of the python engine."""

from __future__ import annotations

import dataclasses
import itertools
import random
import re
from typing import TYPE_CHECKING, Any

import pytest

from bridge import MergePlan, PlanError, append, compact, snapshot, upsert
from bridge.errors import sentence_of
from bridge.pipeline import choice_of
from bridge.programs import EngineName
from payloads import PayloadBridgeError
from payloads.builtin import DELETE_FIELD, DELETE_MARKER
from payloads.rules import ByOrdering, Case, Effect, IsEmpty, MergeRule, Role
from tests.support import rule_classes
from tests.support.pairwise import by_turns, few

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

COLUMNS = (
    "id string, ts bigint, hits int, first_seen bigint, note string, share double, tags array<string>, "
    "_hoodie_is_deleted boolean"
)
NAMES = ("VisitsMerger", "LastWins", "FirstByNote", "Extremes")
KEYS = 60
MARKER = {DELETE_FIELD: "note", DELETE_MARKER: "gone"}


def plan_of(name: str, **settings: Any) -> MergePlan:
    given = {"release": "1.2", "key": "id", "ordering": "ts", "engine": "native"}
    return MergePlan(merger=f"{rule_classes.__name__}:{name}", **given | settings)


def row(
    chance: random.Random, key: str, *, deletes: float, times: tuple[int | None, ...] = (1, 2, 3, -5)
) -> tuple[Any, ...]:
    return (
        key,
        chance.choice(times),
        chance.choice([None, 1, 2, 2**31 - 1]),
        chance.choice([0, 1, 7]),
        chance.choice(["a", "b", "-", "closed", "gone", "\U0001f600", "\uffff"]),
        chance.choice([None, 0.0, -0.0, 1.5, float("nan")]),
        chance.choice([None, [], ["x"]]),
        True if chance.random() < deletes else chance.choice([None, False]),
    )


def batches(seed: int, stored: int = KEYS // 2, **values: Any) -> list[list[tuple[Any, ...]]]:
    """Return stored rows and three batches: up to five versions of a key, deletes between them."""
    chance = random.Random(seed)  # noqa: S311 (the seed repeats it)
    keys = [f"k{number}" for number in range(KEYS)]
    rows = [row(chance, key, deletes=0, **values) for key in keys[:stored]]
    several = [
        [row(chance, key, deletes=0.25, **values) for key in keys for _ in range(chance.choice([0, 1, 3]))]
        for _ in "abc"
    ]
    return [rows, *several]


def appended(stored: DataFrame, batches: list[DataFrame], plan: MergePlan) -> tuple[DataFrame, DataFrame]:
    """Return the stored side and the log that batches leave, as rows: no plan has those of earlier batches in it."""
    log: Any = None
    for batch in batches:
        stored, log = (side.localCheckpoint() for side in append(stored, log, batch, plan))
    return stored, log


def rows(frame: DataFrame) -> list[str]:
    return sorted(str(tuple(found)) for found in frame.collect())


def facts(case: tuple[str, str | tuple[()]]) -> set[Any]:
    """Return what of a case the lane has: each rule, if it compares by ordering value with a field; some without."""
    name, ordering = case
    by_ordering = isinstance(getattr(rule_classes, name).rule.later, ByOrdering)
    return {(by_ordering, ordering), *([name] if ordering or not by_ordering else [])}


CASES = [*itertools.product(NAMES, ("ts", ()))]
IN_LANE = few(CASES, facts)


@pytest.mark.parametrize(
    ("name", "ordering"), [one if one in IN_LANE else pytest.param(*one, marks=pytest.mark.long) for one in CASES]
)
def test_rows_are_those_of_the_python_engine(spark: SparkSession, name: str, ordering: str) -> None:
    stored, *incoming = (spark.createDataFrame(found, COLUMNS) for found in batches(7))
    plan = plan_of(name, ordering=ordering)
    by_rows = dataclasses.replace(plan, engine="python")
    assert rows(upsert(stored, incoming[0], plan)) == rows(upsert(stored, incoming[0], by_rows))
    on_read = dataclasses.replace(by_rows, table_type="mor")
    stored, log = appended(stored, incoming, on_read)
    natively = dataclasses.replace(on_read, engine="native")
    for read in (snapshot, compact):
        assert rows(read(stored, log, natively)) == rows(read(stored, log, on_read)), read


def payload_plan(payload: str | type, release: str, **settings: Any) -> MergePlan:
    named = payload if isinstance(payload, type) else f"{rule_classes.__name__}:{payload}"
    return MergePlan(**{"payload": named, "release": release, "key": "id", "ordering": "ts"} | settings)


PAYLOADS = {
    "Visits": {},
    "ByPoint": {"times": (None, 1, 2)},
    "FirstByNote": {},
    "Corners": {"times": (0, 1, 2)},
    "Natural": {"times": (None, 0, 1, 2)},
}
"""Payloads that state rules, and the ordering values that they merge without an error."""


# By turns 1.1 and 1.2, in which an ordering field matters, have one and none; what is before them is alike.
@pytest.mark.parametrize(("release", "ordering"), by_turns(["0.12", "0.15", "1.0", "1.1", "1.2"], ["ts", ()]))
def test_a_payload_that_deletes_by_a_text(spark: SparkSession, release: str, ordering: str) -> None:
    stored, incoming = (spark.createDataFrame(found, COLUMNS) for found in batches(11, KEYS)[:2])
    new = spark.createDataFrame([("new", 1, 1, 1, "gone", 0.5, [], False)], COLUMNS)
    plan = payload_plan("Marked", release, ordering=ordering)
    natively, by_rows = (dataclasses.replace(plan, engine=engine) for engine in ("native", "python"))
    found = rows(upsert(stored, incoming, natively))
    assert found == rows(upsert(stored, incoming, by_rows))
    assert len(found) < KEYS
    results = []
    for one in (natively, by_rows):
        try:
            results.append(str(rows(upsert(stored, new, one))))
        except Exception as error:  # noqa: BLE001 (whatever it is, it has to be the same)
            results.append(sentence_of(error).partition("getInsertValue returns")[2])
    assert results[0] == results[1]
    assert ("No value present" in results[0]) is (release >= "1.1" and ordering == "ts")


def test_a_merger_that_deletes_by_a_text(spark: SparkSession) -> None:
    stored, incoming, *_ = (spark.createDataFrame(found, COLUMNS) for found in batches(11, KEYS))
    plan = plan_of("MarkedMerger")
    found = rows(upsert(stored, incoming, plan))
    assert found == rows(upsert(stored, incoming, dataclasses.replace(plan, engine="python")))
    assert len(found) < KEYS


class LeastNote:
    """The rule of a merger, stated by a payload."""

    rule = rule_classes.FirstByNote.rule


def combinations() -> list[Any]:
    """Return classes, releases, types and ordering fields: all, of which most are `long`."""
    found = itertools.product(PAYLOADS, ("0.12", "0.15", "1.0", "1.1", "1.2"), ("bigint", "int"), ("ts", ()))
    shown = {
        (name, release, "int" if name in {"Corners", "Natural"} else "bigint", "ts")
        for name in PAYLOADS
        for release in ("0.15", "1.2")
    }
    return [one if one in shown else pytest.param(*one, marks=pytest.mark.long) for one in found]


@pytest.mark.parametrize(("name", "release", "kind", "ordering"), combinations())
def test_rows_of_payloads_are_those_of_the_python_engine(
    spark: SparkSession, name: str, release: str, kind: str, ordering: str
) -> None:
    payload = LeastNote if name == "FirstByNote" else name
    columns = COLUMNS.replace("ts bigint", f"ts {kind}")
    stored, incoming, _, _ = (spark.createDataFrame(found, columns) for found in batches(11, **PAYLOADS[name]))
    plan = payload_plan(payload, release, ordering=ordering)
    natively, by_rows = (dataclasses.replace(plan, engine=engine) for engine in ("native", "python"))
    found = rows(upsert(stored, incoming, natively))
    assert found == rows(upsert(stored, incoming, by_rows))
    assert len(found) > KEYS // 3


@pytest.mark.parametrize(
    ("name", "release"),
    [
        ("Visits", "1.1"),
        ("Corners", "1.2"),
        *(pytest.param(name, "1.2", marks=pytest.mark.long) for name in ("Visits", "FirstByNote")),
    ],
)
def test_logs_of_payloads_are_read_as_by_the_python_engine(spark: SparkSession, name: str, release: str) -> None:
    stored, *incoming = (spark.createDataFrame(found, COLUMNS) for found in batches(13, KEYS, **PAYLOADS[name]))
    on_read = payload_plan(LeastNote if name == "FirstByNote" else name, release, table_type="mor", engine="python")
    stored, log = appended(stored, incoming, on_read)
    natively = dataclasses.replace(on_read, engine="native")
    for read in (snapshot, compact):
        assert rows(read(stored, log, natively)) == rows(read(stored, log, on_read)), read


def test_a_row_that_marks_itself_and_that_the_log_alone_has_fails(spark: SparkSession) -> None:
    batch = spark.createDataFrame([("a", 1, 1, 0, "-", 1.0, [], None)], COLUMNS)
    plan = payload_plan("Corners", "1.2", table_type="mor", inserts_to="log", engine="python")
    stored, log = batch.limit(0), None
    for _ in "ab":
        stored, log = append(stored, log, batch, plan)
    for engine in ("native", "python"):
        with pytest.raises(Exception, match=r"Corners failed at snapshot \(key id='a'\).*getInsertValue returns noth"):
            snapshot(stored, log, dataclasses.replace(plan, engine=engine)).collect()


class LosesKeys:
    """Makes a row of a delete that has none."""

    rule = MergeRule(cases=(Case(IsEmpty(Role.NEWER), Effect.NEW),))


def test_a_row_of_another_key_is_refused(spark: SparkSession) -> None:
    stored = spark.createDataFrame([("a", 1, None)], "id string, ts bigint, _hoodie_is_deleted boolean")
    incoming = spark.createDataFrame([("a", 2, True)], stored.schema)
    for engine in ("native", "python"):
        with pytest.raises(Exception, match=r"LosesKeys failed at upsert \(key id='a'\): .*of another key"):
            upsert(stored, incoming, payload_plan(LosesKeys, "1.2", engine=engine)).collect()


@pytest.mark.parametrize(
    ("payload", "settings", "told"),
    [
        ("ClosedStays", {"release": "0.15"}, r"has no expressions: ByColumn"),
        ("Visits", {"release": "0.15", "program": "snapshot"}, "decide about the delete entries of a log"),
        ("Visits", {"props": MARKER}, "does not know the delete marker"),
    ],
)
def test_what_does_not_run_natively_is_refused_by_name(
    spark: SparkSession, payload: str, settings: dict[str, Any], told: str
) -> None:
    frame = spark.createDataFrame([], f"{COLUMNS}, version decimal(9,2), status string")
    settings = {"release": "1.2"} | settings
    program, release = settings.pop("program", "upsert"), settings.pop("release")
    choice = choice_of(program, payload_plan(payload, release, **settings), frame, frame)
    assert choice.engine is EngineName.PYTHON
    assert re.search(told, choice.why)


@pytest.mark.parametrize(
    ("older", "newer", "told"),
    [((1, None), (None, None), "null ordering value"), ((None, None), (1, None), "different Java classes")],
)
def test_values_that_do_not_compare_fail_at_the_same_merge_point(
    spark: SparkSession, older: tuple[Any, ...], newer: tuple[Any, ...], told: str
) -> None:
    columns = "id string, ts bigint, hits int, first_seen bigint"
    stored, incoming = (spark.createDataFrame([("a", ts, hits, 1)], columns) for ts, hits in (older, newer))
    for engine in ("native", "python"):
        with pytest.raises(Exception, match=r"VisitsMerger failed at upsert \(key id='a'"):
            upsert(stored, incoming, plan_of("VisitsMerger", engine=engine)).collect()
    with pytest.raises(Exception, match=told):
        upsert(stored, incoming, plan_of("VisitsMerger")).collect()


def test_a_node_or_a_type_without_an_exact_expression_is_refused_by_name(spark: SparkSession) -> None:
    frame = spark.createDataFrame([], "id string, ts decimal(9,2), hits int, first_seen decimal(9,2)")
    plan = plan_of("VisitsMerger", ordering=())
    with pytest.raises(PlanError, match=r"a mode or a node of its rule has no expressions: Least\(\)"):
        upsert(frame, frame, plan)
    choice = choice_of("upsert", dataclasses.replace(plan, engine="auto"), frame, frame)
    assert choice.engine is EngineName.PYTHON
    assert "Least()" in choice.why


def test_a_rule_that_does_not_fit_is_refused_before_a_row_is_read(spark: SparkSession) -> None:
    frame = spark.createDataFrame([], "id string")
    for engine in ("auto", "native", "python"):
        with pytest.raises(PayloadBridgeError, match=r"AddsTexts: Sum\(\).*'id' of type string"):
            upsert(frame, frame, plan_of("AddsTexts", ordering=(), engine=engine))
