"""A class that misbehaves is named, with merge point and key, or its key is quarantined."""

from __future__ import annotations

import dataclasses
import importlib
import re
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from py4j.protocol import Py4JError

from bridge import MergePlan, merge_into, upsert
from bridge.cli import main
from bridge.errors import sentence_of
from bridge.pipeline import merge_frames
from bridge.spark import PySparkException
from payloads import PayloadBridgeError, PayloadRef
from tests.bridge.write.table import MadeTable
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


def quarantine_of(spark: SparkSession, plan: MergePlan, how: str) -> list[str]:
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
def test_the_key_of_a_compiled_class_is_quarantined(spark: SparkSession, jar: Path, how: str) -> None:
    """Python calls it then."""
    expected = JAVA[how].removeprefix("java.lang.")  # as Python names exceptions
    assert all(expected in one for one in quarantine_of(spark, compiled(jar), how))


def in_python() -> MergePlan:
    return MergePlan(payload="tests.jvm.misbehaving:Payload", release="0.15", key="id", ordering="ts", call_timeout=1)


@pytest.mark.parametrize("how", ["sys.exit", "surrogate", "long-message", "loop"])
def test_a_class_in_python_is_named(spark: SparkSession, how: str) -> None:
    """What else they do: tests/bridge/engines/test_misbehaving.py."""
    said = told(spark, in_python(), how)
    assert said.startswith("tests.jvm.misbehaving:Payload failed at upsert (key id='a'): ")
    assert "\n" not in said


def test_a_process_that_a_class_forks_writes_no_rows(spark: SparkSession) -> None:
    """It would write them to the stream of the task, where the next task of the worker would find them."""
    plan = dataclasses.replace(in_python(), engine="python")
    for how in ("forks", "new", "forks", "newer", "newest"):
        merged = upsert(stored(spark), incoming(spark, how), plan)
        assert rows(merged) == [("a", 2, how), ("b", 2, "new"), ("c", 1, "old")]


def test_a_class_that_kills_its_worker_is_named(spark: SparkSession) -> None:
    said = told(spark, in_python(), "killed")
    assert said.startswith("tests.jvm.misbehaving:Payload failed at upsert (key id='a'): the class ends its process")
    assert "killed by SIGKILL" in said


def test_the_key_of_a_class_that_kills_its_worker_is_quarantined(spark: SparkSession) -> None:
    assert all("killed by SIGKILL" in one for one in quarantine_of(spark, in_python(), "killed"))


def table_of(folder: Path, monkeypatch: pytest.MonkeyPatch) -> MadeTable:
    """A table with the keys a, b and c, whose commits a stand-in for Hudi's writer makes."""
    made = MadeTable(folder)
    made.write([{"id": name, "city": "Oslo", "qty": 1} for name in "abc"])
    module = importlib.import_module("bridge.write.merge_into")
    monkeypatch.setattr(module, "commit", lambda rows, *others: made.commit(rows.drop("v"), *others))
    monkeypatch.setattr(module, "check_writer_is_there", lambda *_: None)
    return made


# That each is named is tested above: a commit sees a call that fails, or a row that is refused after it.
@pytest.mark.parametrize(
    "how",
    [
        *("exit", "other-key"),
        *(pytest.param(how, marks=pytest.mark.long) for how in ("loop", "memory", "surrogate", "empty-record")),
    ],
)
def test_a_merge_into_a_table_names_it_or_sets_its_key_aside(
    spark: SparkSession, jar: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    made = table_of(tmp_path / "table", monkeypatch)
    before = made.instants
    rows = [("a", "Rome", 2, how), ("c", "Rome", 2, "new")]
    frame = spark.createDataFrame(rows, "id string, city string, qty bigint, v string").coalesce(1)
    plan = dataclasses.replace(compiled(jar), ordering=())
    with pytest.raises((PySparkException, Py4JError, PayloadBridgeError)) as failure:
        merge_into(str(made.path), frame, plan)
    said = sentence_of(failure.value)
    assert said.startswith("com.acme.Misbehaving failed at upsert (key id='a'): ")
    assert JAVA[how].removeprefix("java.lang.") in said
    assert made.instants == before
    with merge_into(str(made.path), frame, dataclasses.replace(plan, on_error="quarantine")) as report:
        assert report.quarantine is not None
        assert {row["id"] for row in report.quarantine.collect()} == {"a"}
    assert {key: row["city"] for key, row in made.rows.items()} == {"a": "Oslo", "b": "Oslo", "c": "Rome"}


@pytest.mark.parametrize("name", ["org.apache.hudi.common.model.NoSuchPayload", "org.apache.hudi.acme.NoSuchPayload"])
@pytest.mark.parametrize("verb", ["merge-into", "migrate", "replay", "merge"])
def test_a_class_of_hudi_that_the_bundle_lacks_is_named(
    jar: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str, name: str
) -> None:
    made = table_of(tmp_path / "table", monkeypatch)
    batches = tmp_path / "batches"
    batches.mkdir()
    (batches / "1.jsonl").write_text('{"id": "a", "city": "Rome", "qty": 2}\n')
    batch, options = str(batches / "1.jsonl"), ["--payload", name, "--jar", str(jar), "--key", "id"]
    words = {
        "merge-into": ["merge-into", str(made.path), "--incoming", batch, "--release", "0.15", *options],
        "migrate": ["migrate", "--batches", str(batches), "--from", "0.15", *options],
        "replay": ["replay", "--batches", str(batches), "--from", "0.15", "--to", "1.2", *options],
        "merge": ["merge", "upsert", "--stored", batch, "--incoming", batch, "--release", "0.15", *options],
    }[verb]
    before = made.instants
    result = CliRunner().invoke(main, words)
    assert result.exit_code in {1, 2, 3}, result.output
    told = " ".join(result.output.split())
    assert name in told
    assert re.search(r"neither in|not in|no class|lacks|is missing|can't be found|does not ship", told), told
    assert made.instants == before
