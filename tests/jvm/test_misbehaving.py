"""A class that misbehaves is named, with merge point and key; with quarantine its key is set aside."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest

from bridge import MergePlan, upsert
from bridge.errors import sentence_of
from bridge.pipeline import merge_frames
from payloads import PayloadRef
from tests.jvm.frames import frame_of, rows

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

COLUMNS = "id string, ts bigint, v string"
JAVA = {
    "exit": "the class calls System.exit(3), which would end Spark with it; throw an exception instead",
    "halt": "the class calls Runtime.halt(4), which would end Spark with it",
    "exit-by-reference": "the class calls Runtime.exit(5), which would end Spark with it",
    "loop": "a call of the class has not ended after 1 s; end its loop or what it waits for, or allow more with",
    "sleep": "a call of the class has not ended after 1 s",
    "memory": "the class needs more memory than the ",
    "long-message": "java.lang.IllegalStateException: 01234567890123456789",
    "surrogate": "java.lang.IllegalStateException: half ",
    "other-key": "it returned a record of another key, id='b'",
    "empty-record": "it returned a record of another key, id=None",
}
"""What compiled classes do, and how it is told."""


def stored(spark: SparkSession) -> DataFrame:
    return frame_of(COLUMNS, spark, ("a", 1, "old"), ("b", 1, "old"), ("c", 1, "old"))


def incoming(spark: SparkSession, how: str) -> DataFrame:
    return frame_of(COLUMNS, spark, ("a", 2, how), ("b", 2, "new"))


def compiled(jar: Path) -> MergePlan:
    payload = PayloadRef("com.acme.Misbehaving", jar=str(jar))
    return MergePlan(payload=payload, release="0.15", key="id", ordering="ts", call_timeout=1)


def told(spark: SparkSession, plan: MergePlan, how: str) -> str:
    merged = upsert(stored(spark), incoming(spark, how), plan)
    with pytest.raises(Exception, match=".") as failure:
        merged.collect()
    assert len(str(failure.value)) < 100_000
    return sentence_of(failure.value)


def set_aside(spark: SparkSession, plan: MergePlan, how: str) -> list[Any]:
    """Return the reasons, once the other keys are right."""
    plan = dataclasses.replace(plan, on_error="quarantine")
    run = merge_frames("upsert", plan, stored=stored(spark), incoming=incoming(spark, how))
    assert rows(run.frame) == [("b", 2, "new"), ("c", 1, "old")]
    aside = run.quarantined.collect()
    assert [one["id"] for one in aside] == ["a", "a"]
    return aside


@pytest.mark.parametrize("how", JAVA)
def test_a_compiled_class_is_named(spark: SparkSession, jar: Path, how: str) -> None:
    assert told(spark, compiled(jar), how).startswith(
        f"com.acme.Misbehaving failed at upsert (key id='a'): {JAVA[how]}"
    )
