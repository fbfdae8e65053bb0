from __future__ import annotations

import dataclasses

import pytest

from tests.conformance import histories as tables
from tests.conformance.spark_histories import refusal, run_histories
from tests.support import HISTORIES

# One or two of each kind; the conformance runner takes them all: histories DIR --release 0.15.0 --engine jvm
CASES = ("default", "non-defaults", "partial-update", "late-default", "marker-default", "small-files-partial-update")


@pytest.mark.slow
@pytest.mark.parametrize("release", ["0.15", "1.0"])
def test_the_real_classes_give_the_snapshots_of_real_hudi(bundles, release):
    chosen = [history for case in CASES for history in tables.load(HISTORIES, release, case)]
    assert [refusal(history, "jvm") for history in chosen] == [None] * len(chosen)
    outcomes = list(tables.outcomes(run_histories(bundles, chosen, "jvm"), chosen))
    assert len(outcomes) >= len(CASES)
    assert [outcome for outcome in outcomes if outcome.differences] == []


def test_a_table_whose_mode_decides_is_not_for_this_engine():
    reasons = {refusal(history, "jvm") for history in tables.load(HISTORIES, "1.2")}
    assert reasons
    assert all("merges this table by" in (reason or "") for reason in reasons)
    assert {refusal(history, "auto") for history in tables.load(HISTORIES, "1.2")} == {None}


def test_an_upgrade_is_not_for_this_engine():
    history = next(tables.load(HISTORIES, "1.0", "default"))
    upgraded = dataclasses.replace(history, upgrade=tables.Upgrade(history.release, 1, keeps_version=True, read=None))
    assert "the mode of its table decides" in (refusal(upgraded, "jvm") or "")
