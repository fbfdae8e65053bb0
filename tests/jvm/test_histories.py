from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance import histories as tables
from tests.conformance.spark_histories import run_histories

# One or two of each kind; the conformance runner takes them all: histories DIR --release 0.15.0 --engine jvm
CASES = ("default", "non-defaults", "partial-update", "late-default", "marker-default", "small-files-partial-update")
DIRECTORY = Path(__file__).parents[1] / "histories"


@pytest.mark.slow
def test_the_real_classes_give_the_snapshots_of_real_hudi(bundles):
    chosen = [history for case in CASES for history in tables.load(DIRECTORY, "0.15", case)]
    outcomes = list(tables.outcomes(run_histories(bundles, chosen, "jvm"), chosen))
    assert len(outcomes) >= len(CASES)
    assert [outcome for outcome in outcomes if outcome.differences] == []
