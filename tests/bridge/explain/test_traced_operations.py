"""Tracing a key through inserts and a global index: each merge call, and the row after each commit as in simulate."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from bridge import MergePlan, PlanError, Severity
from bridge.compare import Comparison
from bridge.explain import ExplainReport, explain_sides
from bridge.explain.trace import trace_key
from bridge.merge import MergePoint
from bridge.programs import Operations, WriteOperation
from payloads import HudiRelease, parse_schema
from tests.support.one_key import RELEASES
from tests.support.schemas import nullable_schema

INSERT, BULK, DELETE = WriteOperation.INSERT, WriteOperation.BULK_INSERT, WriteOperation.DELETE
SCHEMA = parse_schema(nullable_schema("Row", id="string", part="string", city="string", ts="long"))
GLOBAL = {"hoodie.index.type": "GLOBAL_SIMPLE"}


def version(city: str, ts: int, part: str = "p0") -> dict[str, Any]:
    return {"id": "a", "part": part, "city": city, "ts": ts}


def traced(
    release: str, table_type: str, *versions: dict[str, Any], operations: Any = None, **settings: Any
) -> tuple[Any, list[str | None]]:
    """Return the trace, and the city after each commit."""
    plan = MergePlan(
        payload="DefaultHoodieRecordPayload",
        release=release,
        key="id",
        partition="part",
        ordering="ts",
        table_type=table_type,
        **settings,
    )
    trace = trace_key(list(enumerate(versions, start=1)), plan, SCHEMA, operations=Operations(operations or {}))
    rows = [trace.row_after(commit) for commit in range(1, len(versions) + 1)]
    return trace, [None if row is None else row["city"] for row in rows]


@pytest.mark.parametrize("table_type", ["cow", "mor"])
@pytest.mark.parametrize("release", RELEASES)
def test_a_bulk_insert_at_first_is_followed(release: str, table_type: str) -> None:
    versions = version("Oslo", 5), version("Rome", 3), version("Bonn", 9)
    trace, cities = traced(release, table_type, *versions, operations={1: BULK})
    assert trace.error is None
    assert cities == ["Oslo", "Oslo", "Bonn"]
    assert (trace.calls[0].method, trace.calls[0].result.record) == ("bulk insert", versions[0])
    assert "without a call of the payload" in trace.calls[0].rule


@pytest.mark.parametrize("release", RELEASES)
def test_an_insert_is_followed_as_long_as_the_key_has_one_row(release: str) -> None:
    trace, cities = traced(release, "cow", version("Oslo", 5), version("Rome", 9), operations={1: INSERT, 2: INSERT})
    if release in {"0.12", "0.13", "0.14"}:
        assert (trace.error, cities) == (None, ["Oslo", "Rome"])
        assert trace.calls[-1].point is MergePoint.UPSERT
        return
    assert isinstance(trace.error, PlanError)
    assert str(trace.error).startswith("after batch 2 the key has 2 rows, but explain follows one")
    assert trace.row_after(1) == version("Oslo", 5)


def test_a_second_row_on_one_side_is_a_difference_and_no_failure() -> None:
    versions = list(enumerate((version("Oslo", 5), version("Rome", 9)), start=1))
    old = MergePlan(payload="DefaultHoodieRecordPayload", release="0.14", key="id", partition="part", ordering="ts")
    new = dataclasses.replace(old, release=HudiRelease.V0_15)
    sides = Comparison(old, new, 2, operations=Operations({1: INSERT, 2: INSERT}))
    told = ExplainReport({"id": "a"}, versions, SCHEMA, 2, explain_sides(versions, SCHEMA, sides), sides)
    assert (told.severity, told.success) == (Severity.CHANGED, False)
    assert "ends with several rows" in told.to_report().verdict
    assert "not followed" in told.to_report().as_text(120)


def test_what_replaces_rows_of_other_keys_is_refused() -> None:
    with pytest.raises(PlanError, match=r"batch 2 \(insert_overwrite\) replaces rows of other keys"):
        traced("1.2", "cow", version("Oslo", 5), operations={2: WriteOperation.INSERT_OVERWRITE})


@pytest.mark.parametrize("table_type", ["cow", "mor"])
@pytest.mark.parametrize("release", RELEASES)
def test_a_row_is_followed_where_a_global_index_moves_it(release: str, table_type: str) -> None:
    merges = release not in {"0.12", "0.13"}
    late = version("Rome", 3, "p1")
    trace, cities = traced(release, table_type, version("Oslo", 5), late, props=GLOBAL)
    assert trace.error is None
    assert cities == ["Oslo", "Oslo" if merges else "Rome"]
    assert (MergePoint.TAG in {call.point for call in trace.calls}) is merges
    trace, cities = traced(release, table_type, version("Oslo", 5), version("Rome", 9, "p1"), props=GLOBAL)
    assert trace.row_after(2) == version("Rome", 9, "p1")
    assert all(call.rule for call in trace.calls)


@pytest.mark.parametrize("table_type", ["cow", "mor"])
@pytest.mark.parametrize("release", RELEASES)
def test_a_delete_is_followed_where_a_global_index_finds_the_row(release: str, table_type: str) -> None:
    versions = version("Oslo", 5), version("Rome", 7, "p1"), version("Bonn", 9, "p1")
    trace, cities = traced(release, table_type, *versions, operations={2: DELETE}, props=GLOBAL)
    assert trace.error is None
    assert cities == ["Oslo", None, "Bonn"]
