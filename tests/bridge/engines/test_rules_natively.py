"""Mergers that state a rule: the native engine gives the rows, the actions and the failures of the python engine."""

from __future__ import annotations

import dataclasses
import random
from typing import TYPE_CHECKING, Any

import pytest

from bridge import MergePlan, PlanError, append, compact, snapshot, upsert
from bridge.pipeline import choice_of
from bridge.programs import EngineName
from payloads import PayloadBridgeError
from tests.support import rule_classes

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

COLUMNS = (
    "id string, ts bigint, hits int, first_seen bigint, note string, share double, tags array<string>, "
    "_hoodie_is_deleted boolean"
)
NAMES = ("VisitsMerger", "LastWins", "FirstByNote", "Extremes")
KEYS = 60


def plan_of(name: str, **settings: Any) -> MergePlan:
    given = {"release": "1.2", "key": "id", "ordering": "ts", "engine": "native"}
    return MergePlan(merger=f"{rule_classes.__name__}:{name}", **given | settings)


def row(chance: random.Random, key: str, *, deletes: float) -> tuple[Any, ...]:
    return (
        key,
        chance.choice([1, 2, 3, -5]),
        chance.choice([None, 1, 2, 2**31 - 1]),
        chance.choice([0, 1, 7]),
        chance.choice(["a", "b", "-", "closed", "gone", "\U0001f600", "\uffff"]),
        chance.choice([None, 0.0, -0.0, 1.5, float("nan")]),
        chance.choice([None, [], ["x"]]),
        True if chance.random() < deletes else chance.choice([None, False]),
    )


def batches(seed: int) -> list[list[tuple[Any, ...]]]:
    """Return stored rows and three batches: up to five versions of a key, deletes between them."""
    chance = random.Random(seed)  # noqa: S311 (the seed repeats it)
    keys = [f"k{number}" for number in range(KEYS)]
    stored = [row(chance, key, deletes=0) for key in keys[: KEYS // 2]]
    several = [[row(chance, key, deletes=0.25) for key in keys for _ in range(chance.choice([0, 1, 3]))] for _ in "abc"]
    return [stored, *several]


def rows(frame: DataFrame) -> list[str]:
    return sorted(str(tuple(found)) for found in frame.collect())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("ordering", ["ts", ()])
def test_rows_are_those_of_the_python_engine(spark: SparkSession, name: str, ordering: str) -> None:
    stored, *incoming = (spark.createDataFrame(found, COLUMNS) for found in batches(7))
    plan = plan_of(name, ordering=ordering)
    by_rows = dataclasses.replace(plan, engine="python")
    assert rows(upsert(stored, incoming[0], plan)) == rows(upsert(stored, incoming[0], by_rows))
    log, on_read = None, dataclasses.replace(by_rows, table_type="mor")
    for batch in incoming:
        stored, log = append(stored, log, batch, on_read)
    stored, log = stored.cache(), log.cache()
    natively = dataclasses.replace(on_read, engine="native")
    for read in (snapshot, compact):
        assert rows(read(stored, log, natively)) == rows(read(stored, log, on_read)), read


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
