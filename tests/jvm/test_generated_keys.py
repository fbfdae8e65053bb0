"""Classes of Hudi's bundle and their ports on generated keys, few of each: python -m tests.bridge.engines.agreement."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.bridge.engines.agreement import agree
from tests.bridge.engines.combinations import compiled

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.bridge.engines.generated import Combination

KEYS = 400
NEWEST = [one for one in compiled() if one.release == "1.2"]


@pytest.mark.parametrize("combination", NEWEST, ids=str)
def test_a_class_of_the_bundle_and_its_port_make_the_same_of_generated_keys(
    bundles: SparkSession, combination: Combination
) -> None:
    counts = agree(bundles, combination, KEYS, 17, engines=("jvm",))
    assert counts.keys > counts.failures
