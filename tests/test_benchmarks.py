"""What the benchmarks compare: like with like, on any system."""

from __future__ import annotations

import json

import pytest

from tests.benchmarks.cases import BY_HAND, FEW, QUERIES, SCANS, SHUFFLE, WINDOW, WRITTEN, cases
from tests.benchmarks.comparisons import comparisons
from tests.benchmarks.data import Shape
from tests.benchmarks.peers import peers
from tests.benchmarks.processes import cell, ratio
from tests.benchmarks.ratios import Table, Timed

OF_HUDI = "Hudi 1.2.0 snapshot, NonDefaults by {}"


def compared(seconds: dict[str, float]) -> dict[str, float]:
    return {one.text: one.ratio for one in comparisons(seconds)}


def test_the_best_query_by_hand_is_one_of_all() -> None:
    assert set(QUERIES) == {case.name for case in cases() if case.kind == BY_HAND and not case.writes}
    ours = "snapshot, event time 1.2, native"
    for best in QUERIES:
        seconds = {**dict.fromkeys(QUERIES, 9.0), best: 2.0, ours: 3.0}
        assert compared(seconds) == {f"{ours} / {best}": 1.5}
        assert compared({name: taken for name, taken in seconds.items() if name != QUERIES[1]}) == {}


def test_a_mode_is_compared_with_hudis_mode_and_files_are_called_files() -> None:
    names = {case.name for case in (*cases(), *peers())}
    found = compared(dict.fromkeys(names, 1.0))
    assert f"snapshot, NonDefaults 1.2 / {OF_HUDI.format('merge mode')}" in found
    assert f"snapshot, NonDefaults 1.2 / {OF_HUDI.format('Avro payload')}" not in found
    of_files = [text for text in found if text.startswith(WRITTEN)]
    assert len(of_files) == 9
    assert all("no table, index or commit" in text for text in of_files)


def test_a_batch_that_is_broadcast_is_compared_with_both_scans() -> None:
    assert {FEW, *SCANS} <= {case.name for case in cases()}
    seconds = {FEW: 3.0, SCANS[0]: 1.5, SCANS[1]: 0.5}
    assert compared(seconds) == {f"{FEW} / {SCANS[0]} and {SCANS[1]}": 1.5}


@pytest.mark.parametrize("processor", [0.0, 4.0])
def test_processor_seconds_that_were_not_counted_are_none(processor: float) -> None:
    chosen = [case for case in cases() if case.name in {SHUFFLE, WINDOW}]
    table = Table(Shape(1000), [Timed(case, 2.0, processor) for case in chosen])
    lines = "\n".join(table.lines())
    assert (" - " in lines) == (processor == 0)
    (one, other) = table.as_json()["cases"]  # type: ignore[misc]  # a list of two
    expected = (None, None) if processor == 0 else (4.0, 1.0)
    assert (one["processor_seconds"], other["processor_times_window"]) == expected
    json.dumps(table.as_json(), allow_nan=False)
    assert cell(ratio(0.0, 3.0)).strip() == "-"
