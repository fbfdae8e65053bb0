"""What `merge_frames` answers, and that no function drops rows in silence."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from bridge import MergePlan, PlanError, RowStatus, append, combine_input, merge_frames, snapshot, upsert
from bridge.report import Table
from tests.support.plans import plan_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

DDL = "id string, ts long, v string"


@pytest.fixture
def frame(spark: SparkSession) -> Any:
    return lambda *rows: spark.createDataFrame(list(rows), DDL)


def rows_of(frame: DataFrame | None) -> list[tuple[Any, ...]]:
    assert frame is not None
    return sorted(map(tuple, frame.select("id", "ts", "v").collect()), key=repr)


@pytest.mark.parametrize("point", ["upsert", "append"])
def test_a_key_whose_ordering_does_not_compare_is_quarantined(frame: Any, point: str) -> None:
    plan = plan_of(table_type="cow" if point == "upsert" else "mor", on_error="quarantine")
    stored = frame(("a", 1, "old"), ("b", 1, "old"), ("c", 1, "old"))
    incoming = frame(("a", 2, "new"), ("b", None, "first"), ("b", 2, "second"), (None, 3, "no key"))
    with merge_frames(point, plan, stored=stored, incoming=incoming) as found:
        expected = {"upsert": ("a", 2, "new"), "append": ("a", 1, "old")}
        assert rows_of(found.rows) == [expected[point], ("c", 1, "old")]
        assert (found.log is None) == (point == "upsert")
        aside = [("b", 1, "old"), ("b", 2, "second"), ("b", None, "first"), (None, 3, "no key")]
        assert rows_of(found.quarantine) == aside
        assert found.row_counts.total(RowStatus.QUARANTINED) == 4
        assert found.row_counts.rows_in == {"stored": 3, "incoming": 4}


def test_the_report_says_which_result_a_row_is_of_also_beside_an_empty_one(frame: Any) -> None:
    plan = plan_of(table_type="mor", props={"hoodie.parquet.small.file.limit": "1024"})
    with merge_frames("append", plan, stored=frame(), incoming=frame(("a", 1, "new"))) as found:
        report = found.to_report()
    (warning,) = report.warnings
    assert warning.startswith("hoodie.parquet.small.file.limit is not followed by append")
    assert [(one["to"], one["id"]) for one in report.results] == [("stored", "a")]
    assert [part.title for part in report.body if isinstance(part, Table)][1:] == ["stored: 1", "log: 0"]


@pytest.mark.parametrize("release", ["0.15", "1.2"])
def test_python_and_native_keep_the_same_row_counts(frame: Any, release: str) -> None:
    rule: dict[str, Any] = {} if release == "0.15" else {"payload": None, "merger": "EVENT_TIME_ORDERING"}
    stored = frame(("a", 1, "old"), ("b", 5, "old"), ("c", 1, "old"))
    incoming = frame(("a", 2, "x"), ("a", 3, "y"), ("b", 2, "late"), ("b", 1, "later"), ("d", 1, "new"))
    counts = []
    for engine in ("python", "auto"):
        plan = plan_of(release=release, engine=engine, **rule)
        with merge_frames("upsert", plan, stored=stored, incoming=incoming) as found:
            counts.append({name: number for name, number in found.row_counts.counts.items() if number})
            assert found.row_counts.rows_out == 4
    assert counts[0] == counts[1]
    assert counts[0]["combine-input", "incoming", RowStatus.MERGED] == 2


def test_a_merge_of_nothing_ends(frame: Any, spark: SparkSession) -> None:
    """Adaptive execution drops a part of the query that is empty, and what Spark should observe in it."""
    spark.conf.set("spark.sql.adaptive.enabled", "true")
    try:
        nothing = frame(("a", 1, "old")).where("ts > 1")
        with merge_frames("upsert", plan_of(), stored=nothing, incoming=nothing) as found:
            asking = threading.Thread(target=lambda: found.row_counts, daemon=True)
            asking.start()
            asking.join(60)
            assert not asking.is_alive()
            assert found.row_counts.rows_in == {"stored": 0, "incoming": 0}
    finally:
        spark.conf.set("spark.sql.adaptive.enabled", "false")


def test_functions_that_return_rows_alone_refuse_to_set_rows_aside(frame: Any) -> None:
    plan: MergePlan = plan_of(table_type="mor", on_error="quarantine")
    rows = frame(("a", 1, "old"))
    for call in (
        lambda: combine_input(rows, plan),
        lambda: upsert(rows, rows, plan),
        lambda: append(rows, None, rows, plan),
        lambda: snapshot(rows, rows.selectExpr("*", "1L _pb_commit", "'data' _pb_kind", "1L _pb_seq"), plan),
    ):
        with pytest.raises(PlanError, match="merge_frames"):
            call()


@pytest.mark.parametrize(
    ("point", "sides", "phrase"),
    [
        ("merge", (), "unknown merge point"),
        ("upsert", ("stored",), "needs incoming"),
        ("upsert", "lsi", "not take log"),
    ],
)
def test_sides_that_do_not_fit_are_named(frame: Any, point: str, sides: Any, phrase: str) -> None:
    names = ("stored", "incoming", "log") if sides == "lsi" else sides
    given = dict.fromkeys(names, frame(("a", 1, "old")))
    with pytest.raises(PlanError, match=phrase):
        merge_frames(point, plan_of(), **given)
