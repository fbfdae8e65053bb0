"""Every table history whose release is ported, through the Spark pipeline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conformance.histories import RELEASES, is_supported, load, outcomes
from tests.conformance.spark_histories import run_histories

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from payloads import HudiRelease

HISTORIES = Path(__file__).parent / "histories"
UPGRADED = Path(__file__).parent / "histories-upgraded"
SETTINGS = Path(__file__).parent / "histories-settings"


@pytest.mark.parametrize("release", sorted(RELEASES), ids=str)
def test_every_snapshot_is_real_hudis(spark: SparkSession, release: HudiRelease) -> None:
    histories = [history for history in load(HISTORIES, release.value) if is_supported(history)]
    assert histories
    found = outcomes(run_histories(spark, histories), histories)
    assert [f"{outcome.history}: {outcome.differences}" for outcome in found if outcome.differences] == []


@pytest.mark.parametrize("release", sorted(RELEASES), ids=str)
def test_every_snapshot_of_a_table_with_other_settings(spark: SparkSession, release: HudiRelease) -> None:
    """Batches that are not combined, new keys in logs, global indexes."""
    histories = list(load(SETTINGS, release.value))
    assert histories
    found = outcomes(run_histories(spark, histories), histories)
    assert [f"{outcome.history}: {outcome.differences}" for outcome in found if outcome.differences] == []


@pytest.mark.parametrize("kind", ["0.15.0-to-1.2.0-kept-version", "0.15.0-to-1.2.0-upgraded"])
def test_every_snapshot_of_a_table_that_0_15_made(spark: SparkSession, kind: str) -> None:
    check_upgraded(spark, kind, 18)


@pytest.mark.parametrize("kind", ["1.0.2-to-1.2.0-kept-version", "1.0.2-to-1.2.0-upgraded"])
def test_every_snapshot_of_a_table_that_1_0_made(spark: SparkSession, kind: str) -> None:
    check_upgraded(spark, kind, 22)


def check_upgraded(spark: SparkSession, kind: str, count: int) -> None:
    """Check the commits of both releases, and what the later one read before it wrote."""
    histories = list(load(UPGRADED / kind))
    assert len(histories) == count
    assert all(history.upgrade is not None and history.upgrade.after == 3 for history in histories)
    found = outcomes(run_histories(spark, histories), histories)
    assert [f"{outcome.history}: {outcome.differences}" for outcome in found if outcome.differences] == []
