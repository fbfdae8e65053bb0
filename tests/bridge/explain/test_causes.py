"""Causes: why the two sides of a key part, in one of a few words; and the page of a replay, which counts them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from bridge import Batches, MergePlan
from bridge.compare import Comparison, compare
from bridge.explain import ExplainReport, explain_sides, replay_causes, replay_view
from bridge.explain import traced_keys as tracing
from bridge.explain.causes import Cause, cause_of
from bridge.explain.traced_paths import trace_paths
from payloads import PayloadRef, parse_schema
from tests.support.pages import check_timelines

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from bridge.explain.row import ExplainedSide
    from bridge.report import View

FIELDS = {"id": "string", "ts": "long", "name": "string", "qty": "int", "_hoodie_is_deleted": "boolean"}
SCHEMA = parse_schema(
    {
        "type": "record",
        "name": "account",
        "fields": [
            {"name": name, "type": ["null", kind], "default": None}
            if name != "qty"
            else {"name": name, "type": kind, "default": 0}
            for name, kind in FIELDS.items()
        ],
    }
)
LATEST, DEFAULT = "OverwriteWithLatestAvroPayload", "DefaultHoodieRecordPayload"
NON_DEFAULTS, PARTIAL = "OverwriteNonDefaultsWithLatestAvroPayload", "PartialUpdateAvroPayload"


def told(versions: list[tuple[int, dict[str, Any]]], left: MergePlan, right: MergePlan) -> ExplainReport:
    sides = Comparison(left, right, 9)
    explained: tuple[ExplainedSide, ...] = explain_sides(versions, SCHEMA, sides)
    return ExplainReport({"id": "a"}, versions, SCHEMA, 9, explained, sides)


def row(ts: int | None, name: str | None = None, qty: int = 7, *, gone: bool = False) -> dict[str, Any]:
    return {"id": "a", "ts": ts, "name": name, "qty": qty, "_hoodie_is_deleted": gone}


@pytest.mark.parametrize(
    ("cause", "versions", "left", "right"),
    [
        (Cause.TIE, [row(5, "x"), row(5, "y")], "FirstValueAvroPayload", "EVENT_TIME_ORDERING"),
        (Cause.LATE, [row(5, "x"), row(3, "y")], LATEST, DEFAULT),
        (Cause.LATE_DELETE, [row(5, "x"), row(3, gone=True)], LATEST, DEFAULT),
        (Cause.AFTER_DELETE, [row(1), row(5, gone=True), row(3, "y")], "COMMIT_TIME_ORDERING", "EVENT_TIME_ORDERING"),
        (Cause.NULL_VALUE, [row(5, "x"), row(6)], PARTIAL, DEFAULT),
        (Cause.DEFAULT, [row(5, "x"), row(6, "x", 0)], NON_DEFAULTS, DEFAULT),
    ],
)
def test_the_cause_of_a_key(cause: Cause, versions: list[dict[str, Any]], left: str, right: str) -> None:
    plans = [plan_of(name, "mor" if cause is Cause.AFTER_DELETE else "cow") for name in (left, right)]
    assert cause_of(told(list(enumerate(versions, start=1)), *plans)) is cause


def plan_of(name: str, table_type: str) -> MergePlan:
    settings: dict[str, Any] = {"table_type": table_type, "key": "id", "ordering": "ts"}
    if name.endswith("_ORDERING"):
        return MergePlan(merger=name, release="1.2", **settings)
    return MergePlan(payload=name, release="0.15", **settings)


def test_a_compiled_class_has_no_causes_on_a_page() -> None:
    """They took each of its keys for a failure: tasks have no Python class to call."""
    left, right = (
        MergePlan(payload=PayloadRef("com.acme.Sum", jar="sum.jar"), release=one, key="id") for one in ("0.15", "1.2")
    )
    found: Any = SimpleNamespace(comparison=Comparison(left, right, 2), last_differences=None, is_equal=False)
    assert "com.acme.Sum is a compiled class" in tracing.trace_keys(found, ()).untraced
    paths: Any = SimpleNamespace(plan=left)
    assert trace_paths(paths, [])[0] == {}
    assert "com.acme.Sum is a compiled class" in trace_paths(paths, [])[1]


# -- the page of a replay

COLUMNS = "_pb_commit int, _pb_arrival int, part string, id string, ts bigint, price double, _hoodie_is_deleted boolean"


def feed(spark: SparkSession, keys: int) -> DataFrame:
    rows = [(1, at, [None, "p"][at % 2], f"k{at}", 5, -0.0, False) for at in range(keys)]
    rows += [(2, at, [None, "p"][at % 2], f"k{at}", 3, 0.0, at % 3 == 0) for at in range(keys)]
    return spark.createDataFrame(rows, COLUMNS)


def test_the_page_of_a_replay(spark: SparkSession) -> None:
    left, right = (
        MergePlan(payload=name, release="0.15", key="id", partition="part", ordering="ts") for name in (LATEST, DEFAULT)
    )
    with compare(Batches.by(feed(spark, 7), "_pb_commit"), Comparison(left, right, 2)) as found:
        for limit in (2, 1000):
            check_page(replay_view([found], limit), limit)


def check_page(view: View, limit: int) -> None:
    assert view.headline == f"{LATEST} under 0.15 and {DEFAULT} under 0.15 disagree on 7 of 7 keys"
    assert [(cause.title, cause.keys) for cause in view.causes] == [("Late version", 4), ("Late delete", 3)]
    assert view.cause_note == "counted on every key that differs (7)"
    partitions, batches = view.charts
    assert [bar.parts for bar in batches.bars] == [(0, 0, 0), (0, 3, 4)]
    assert [(bar.label, bar.parts, bar.out_of) for bar in partitions.bars] == [
        ("(none)", [0, 2, 2], 4),
        ("p", [0, 1, 2], 3),
    ]
    assert view.keys is not None
    assert (len(view.keys.rows), view.keys.total) == (min(limit, 7), 7)
    assert ("a sample" in view.keys.note) == (limit < 7)
    check_timelines(view.keys.rows)
    for one in view.keys.rows:
        story = one["story"]
        rows = {version["label"]: version["row"] for version in story["versions"]}
        assert view.causes[one["cause"]].title == ("Late delete" if one["left"] is None else "Late version")
        assert [call["parts"] for call in story["sides"][0]["calls"]] == [False, True]
        assert one["key"][1] in rows["v1"]


def test_causes_say_on_how_many_keys_they_were_counted(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracing, "MOST_TRACED", 3)
    left, right = (MergePlan(payload=name, release="0.15", key="id", ordering="ts") for name in (LATEST, DEFAULT))
    with compare(Batches.by(feed(spark, 7), "_pb_commit"), Comparison(left, right, 2)) as found:
        view = replay_view([found])
        assert replay_causes(found) == {cause.id: cause.keys for cause in view.causes}
        assert sum(replay_causes(found).values()) == 3
    assert view.cause_note.startswith("counted on 3 of the 7 keys")
    assert sum(row["story"] is None for row in view.keys.rows) == 4
