"""The benchmark chart: what merging costs beside the query that people write by hand, and beside other writers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tests.benchmarks import jvm_case
from tests.benchmarks.cases import QUERIES, WINDOW
from tests.benchmarks.peers import DELTA, SNAPSHOT, UPSERT
from tests.support.measured import by_name, shape_words, tables
from tests.support.pictures.frame import drawn

if TYPE_CHECKING:
    from collections.abc import Mapping

_LEFT, _BARS, _LINE, _HEAD, _TOP, _FIGURE = 296, 400, 24, 34, 20, 52
_MOST: Final = 4.0
"""A longer bar is cut: what is compared would be too short to read beside it."""
_GROUPS: Final[dict[str, dict[str, str]]] = {
    "The newest row of each key, by hand": {
        "row_number window": WINDOW,
        "max_by of a struct": QUERIES[1],
        "full outer join, hash": QUERIES[2],
        "full outer join, sort": QUERIES[3],
    },
    "upsert: a batch merges with stored rows": {
        "event time, native engine": "upsert, event time 1.2, native",
        "event time, python engine": "upsert, event time 1.2, python",
        "DefaultHoodieRecordPayload 0.15, native": "upsert, Default 0.15, native",
        "DefaultHoodieRecordPayload 0.15, python": "upsert, Default 0.15",
        "PartialUpdateAvroPayload 1.2, native": "upsert, PartialUpdate 1.2, native",
        "PartialUpdateAvroPayload 1.2, python": "upsert, PartialUpdate 1.2",
        "a custom Python class": "upsert, user's class 0.15",
        "a compiled class, jvm engine": jvm_case.NAME.format("upsert"),
    },
    "snapshot: a log merges with stored rows": {
        "event time, native engine": "snapshot, event time 1.2, native",
        "event time, python engine": "snapshot, event time 1.2, python",
        "DefaultHoodieRecordPayload 0.15, python": "snapshot, Default 0.15",
        "PartialUpdateAvroPayload 1.2, python": "snapshot, PartialUpdate 1.2",
        "a custom Python class": "snapshot, user's class 0.15",
        "a compiled class, jvm engine": jvm_case.NAME.format("snapshot"),
        "Hudi 1.2.0, event time": SNAPSHOT.format("event time"),
    },
    "Written: ours as Parquet files, the others as a table": {
        "row_number window": "window, written as Parquet",
        "event time, native engine": "upsert, event time 1.2, native, written as Parquet",
        "DefaultHoodieRecordPayload 0.15, native": "upsert, Default 0.15, native, written as Parquet",
        "DefaultHoodieRecordPayload 0.15, python": "upsert, Default 0.15, written as Parquet",
        "Delta Lake, dedup and MERGE": DELTA,
        "Hudi 1.2.0 upsert, copy-on-write": UPSERT.format("cow", "event time"),
        "Hudi 1.2.0 upsert, merge-on-read": UPSERT.format("mor", "event time"),
    },
}
CHARTED: Final = frozenset(name for names in _GROUPS.values() for name in names.values())
"""The cases that the picture shows."""


def benchmark() -> str:
    """Return the picture, of the first shape of data."""
    measured = tables()[0]
    cases = by_name(measured)
    groups: list[dict[str, Any]] = []
    below = _TOP
    for title, names in _GROUPS.items():
        bars = _bars(names, cases, below + _HEAD)
        groups.append({"title": title, "y": below + 16, "bars": bars})
        below += _HEAD + _LINE * len(bars)
    data = f"{measured['rows']:,} rows, {shape_words(measured)}"
    legend = f"Times the row_number window (dashed); {data}; the best of several runs on one machine."
    said = "; ".join(
        f"{group['title']}: " + ", ".join(f"{bar['name']} {bar['figure']}" for bar in group["bars"]) for group in groups
    )
    return drawn(
        "benchmark.svg",
        width=_LEFT + _BARS + _FIGURE,
        height=below + 40,
        title="The benchmark chart",
        description=f"{legend} {said}.",
        left=_LEFT,
        one=_LEFT + round(_BARS / _MOST),
        top=_TOP,
        bottom=below + 4,
        groups=groups,
        legend=legend,
    )


def _bars(names: Mapping[str, str], cases: Mapping[str, Any], top: int) -> list[dict[str, Any]]:
    """Return the bars of the cases that were run."""
    found = [(words, cases[name]) for words, name in names.items() if name in cases]
    return [
        {
            "name": words,
            "figure": f"{case['times_window']:.2f}",
            "kind": case["kind"].replace(" ", "-"),
            "width": round(_BARS * min(case["times_window"], _MOST) / _MOST, 1),
            "is_cut": case["times_window"] > _MOST,
            "y": top + _LINE * at,
        }
        for at, (words, case) in enumerate(found)
    ]
