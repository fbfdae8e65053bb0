"""A plugin of pytest: on Spark 3.3 and 3.4 Hudi's classes come from its bundles for Spark 3.5, from 0.15 on.

Maven Central gives no other. What a payload class or a merger calls is the same in all bundles of a release; what runs
them is the Spark of the line.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from bridge.engines.jvm import jars

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

_ABSENT: Final = re.compile(r"hudi-spark3\.[34]-bundle_2\.12:(?=0\.15|1\.)")
_resolve: Final = jars.resolve


def _resolved(spark: SparkSession, coordinate: str) -> list[Path]:
    return _resolve(spark, _ABSENT.sub("hudi-spark3.5-bundle_2.12:", coordinate))


jars.resolve = _resolved  # bridge.engines.jvm.jars and the tests alike look it up there
