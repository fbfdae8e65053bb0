"""What the jvm engine's rows of the benchmarks run: a real class of Hudi's bundle, Avro in and out included."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.engines.jvm.jars import jars_of
from bridge.errors import EngineError
from payloads import HudiRelease, PayloadRef

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NAME = "{}, compiled Default 0.15, jvm"
PAYLOAD = PayloadRef("DefaultHoodieRecordPayload")


def why_not(spark: SparkSession) -> str | None:
    """Return why it can't run here, or None: the bundle has to be had."""
    try:
        jars_of(spark, PAYLOAD, HudiRelease.V0_15)
    except EngineError as error:
        return str(error)
    return None
