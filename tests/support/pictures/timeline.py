"""The timeline of one key of a recorded table: what arrived, and what both table types of Hudi 0.15 made of it."""

from __future__ import annotations

import textwrap
from typing import Any

from bridge.compare import Comparison
from bridge.explain import ExplainReport, SidesTracer
from bridge.explain.timeline import timeline_of
from bridge.plan import TableType
from tests.conformance.histories import load
from tests.conformance.spark_histories import plan_of
from tests.mergers.laws.recorded import physical, schema_of
from tests.support.folders import HISTORIES
from tests.support.pictures.frame import drawn

_RELEASE, _CASE, _KEY = "0.15.0", "dms", ("p0", "k008")
_LEFT, _STEP, _BOX, _CALL = 136, 134, 122, 46
_TOP = 32


def timeline() -> str:
    """Return the picture."""
    story, commits = _story()
    arriving = [[one for one in story["versions"] if one["commit"] == number] for number in range(1, commits + 1)]
    ts = story["columns"].index("ts")
    below = _TOP + 20 * max(map(len, arriving)) + 30
    lanes = []
    for side in story["sides"]:
        lane = _lane(side, below, commits)
        lanes.append(lane)
        below = lane["below"] + 18 * len(lane["rule"]) + 14
    return drawn(
        "timeline.svg",
        width=_LEFT + _STEP * commits + 8,
        height=below,
        title=f"The timeline of key {_KEY[1]}",
        description=_description(story, arriving, ts),
        columns=[
            {
                "name": f"commit {number}",
                "x": _LEFT + _STEP * (number - 1),
                "arrive": [f"{one['label']}, ts {one['row'][ts]}" for one in arrived],
            }
            for number, arrived in enumerate(arriving, start=1)
        ],
        lanes=lanes,
    )


def _story() -> tuple[dict[str, Any], int]:
    """Return the timeline of the key on both sides, and the number of commits."""
    left, right = (next(load(HISTORIES / _RELEASE, case=f"{_CASE}-{one.value}")) for one in TableType)
    schema = schema_of(left)
    sides = Comparison(plan_of(left), plan_of(right), len(left.commits))
    versions = [
        (number, physical(row, schema))
        for number, commit in enumerate(left.commits, start=1)
        for row in commit.incoming
        if (row["part"], row["id"]) == _KEY
    ]
    explained = SidesTracer(schema, sides).explain(versions)
    told = ExplainReport({"id": _KEY[1]}, versions, schema, sides.commits, explained, sides)
    return timeline_of(told), sides.commits


def _lane(side: dict[str, Any], top: int, commits: int) -> dict[str, Any]:
    """Return the calls of a side, those of a commit below each other."""
    calls, used = [], dict.fromkeys(range(1, commits + 1), 0)
    for call in side["calls"]:
        number = call["commit"]
        merged = " + ".join(filter(None, (call["older"], call["newer"])))
        calls.append(
            {
                "x": _LEFT + _STEP * (number - 1) - 4,
                "y": top + _CALL * used[number],
                "width": _BOX,
                "where": call["where"],
                "what": f"{merged} \u2192 {call['result']}",
                "parts": call["parts"],
            }
        )
        used[number] += 1
    rules = [f"{call['where']}: {call['rule']}" for call in side["calls"] if call["parts"]]
    return {
        "name": textwrap.wrap(side["name"], 16),
        "end": f"ends with {side['end']}",
        "x": _LEFT,
        "y": top,
        "calls": calls,
        "below": top + _CALL * max(used.values()) + 14,
        "rule": [line for rule in rules for line in textwrap.wrap(f"The sides part at {rule}", 100)],
    }


def _description(story: dict[str, Any], arriving: list[list[dict[str, Any]]], ts: int) -> str:
    versions = ", ".join(
        f"{one['label']} (commit {number}, ts {one['row'][ts]})"
        for number, arrived in enumerate(arriving, start=1)
        for one in arrived
    )
    ends = "; ".join(
        f"{side['name']} ends with {side['end']}"
        + "".join(f", by {call['where']}: {call['rule']}" for call in side["calls"] if call["parts"])
        for side in story["sides"]
    )
    return f"Versions as they arrive: {versions}. {ends}."
