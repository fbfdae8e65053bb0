"""A class that misbehaves is named, with merge point and key; with quarantine its key is set aside."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

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
    with pytest.raises((PySparkException, Py4JError)) as failure:
        merged.collect()
    assert len(str(failure.value)) < 100_000
    return sentence_of(failure.value)


def set_aside(spark: SparkSession, plan: MergePlan, how: str) -> list[str]:
    """Return the reasons, once the other keys are right."""
    plan = dataclasses.replace(plan, on_error="quarantine")
    with merge_frames("upsert", plan, stored=stored(spark), incoming=incoming(spark, how)) as run:
        assert rows(run.rows) == [("b", 2, "new"), ("c", 1, "old")]
        assert run.quarantine is not None
        aside = run.quarantine.collect()
    assert [(one["id"], one["_pb_side"]) for one in aside] == [("a", "stored"), ("a", "incoming")]
    assert {one["_pb_merge_point"] for one in aside} == {"upsert"}
    return [one["_pb_reason"] for one in aside]


@pytest.mark.parametrize("how", JAVA)
def test_a_compiled_class_is_named(spark: SparkSession, jar: Path, how: str) -> None:
    assert told(spark, compiled(jar), how).startswith(
        f"com.acme.Misbehaving failed at upsert (key id='a'): {JAVA[how]}"
    )


@pytest.mark.parametrize("how", JAVA)
def test_the_key_of_a_compiled_class_is_set_aside(spark: SparkSession, jar: Path, how: str) -> None:
    """Python calls it then."""
    expected = JAVA[how].removeprefix("java.lang.")  # as Python names exceptions
    assert all(expected in one for one in set_aside(spark, compiled(jar), how))


def in_python() -> MergePlan:
    return MergePlan(payload="tests.jvm.misbehaving:Payload", release="0.15", key="id", ordering="ts", call_timeout=1)


@pytest.mark.parametrize("how", ["sys.exit", "surrogate", "long-message", "loop"])
def test_a_class_in_python_is_named(spark: SparkSession, how: str) -> None:
    """What else they do: tests/bridge/engines/test_misbehaving.py."""
    said = told(spark, in_python(), how)
    assert said.startswith("tests.jvm.misbehaving:Payload failed at upsert (key id='a'): ")
    assert "\n" not in said


def test_a_class_that_kills_its_worker_is_named(spark: SparkSession) -> None:
    said = told(spark, in_python(), "killed")
    assert said.startswith("tests.jvm.misbehaving:Payload failed at upsert (key id='a'): the class ends its process")
    assert "killed by SIGKILL" in said


def test_the_key_of_a_class_that_kills_its_worker_is_set_aside(spark: SparkSession) -> None:
    assert all("killed by SIGKILL" in one for one in set_aside(spark, in_python(), "killed"))
