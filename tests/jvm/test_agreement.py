"""The jvm engine with Hudi's own classes agrees with the python engine on generated keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.bridge.engines.agreement import agree
from tests.bridge.engines.combinations import PROGRAMS, compiled

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

KEYS = 300
"""A combination; `python -m tests.bridge.engines.agreement --engine jvm` takes as many as it is told."""


def test_classes_of_hudi_agree_with_their_ports_in_jobs(bundles: SparkSession) -> None:
    every = list(compiled())
    # A program of each release, and each class in one of them.
    chosen = [one for number, one in enumerate(every) if number % 19 == 0]
    counts = {str(one): agree(bundles, one, KEYS, 17, engines=("jvm",)) for one in chosen}
    assert {one.program for one in chosen} == {*PROGRAMS}
    assert len({one.release for one in chosen}) == len({one.release for one in every})
    assert all(count.keys > count.failures for count in counts.values()), counts
