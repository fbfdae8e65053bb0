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


@pytest.mark.parametrize("release", sorted(RELEASES), ids=str)
def test_every_snapshot_is_real_hudis(spark: SparkSession, release: HudiRelease) -> None:
    histories = [history for history in load(HISTORIES, release.value) if is_supported(history)]
    assert histories
    found = outcomes(run_histories(spark, histories), histories)
    assert [f"{outcome.history}: {outcome.differences}" for outcome in found if outcome.differences] == []
