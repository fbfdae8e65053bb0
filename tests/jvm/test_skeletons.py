"""The mergers in Java that `migrate` generates compile against the bundles, and answer what the payload answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bridge.engines.jvm.gateway import Driver
from bridge.engines.jvm.jars import jars_of
from bridge.migration.skeletons import java_skeletons, strategy_id
from payloads import HudiRelease, PayloadRef
from tests.jvm.java_compiler import SOURCES
from tests.support.bundles import ON_3_5
from tests.support.schemas import nullable, record_schema

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.jvm.java_compiler import JavaCompiler

CLASSES = ["RunningSum", "KeepNonNull", "OldestWins", "ChangesInput", "TwoArguments", "Deletes"]
DELETES = """package com.acme;
import org.apache.avro.Schema;
import org.apache.avro.generic.*;
import org.apache.hudi.common.model.OverwriteWithLatestAvroPayload;
import org.apache.hudi.common.util.Option;
public class Deletes extends OverwriteWithLatestAvroPayload {
    public Deletes(GenericRecord record, Comparable orderingVal) { super(record, orderingVal); }
    @Override
    public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord current, Schema schema) {
        return Option.empty();
    }
}
"""
SCHEMA = record_schema(id="string", ts="long", v=nullable("string"), n="long")
OLDER, NEWER = {"id": "a", "ts": 1, "v": "x", "n": 40}, {"id": "a", "ts": 2, "v": None, "n": 2}
# What the payload makes of the older version as a stored row, and as one of the same batch. None: a delete.
ANSWERS = {
    "RunningSum": (NEWER | {"n": 42}, NEWER | {"n": 42}),
    "KeepNonNull": (NEWER | {"v": "x"}, NEWER),
    "OldestWins": (OLDER, OLDER),
    "ChangesInput": (OLDER | {"v": "changed"}, NEWER),
    "TwoArguments": (NEWER, NEWER),
    "Deletes": (None, NEWER),
}


def java_name(name: str) -> str:
    return f"com.acme.{name}" if name == "Deletes" else f"com.acme.Examples${name}"


def asked(spark: SparkSession, release: HudiRelease, compiler: JavaCompiler) -> list[str]:
    """Compile the mergers with a class that asks them, and run it."""
    line = 0 if release is HudiRelease.V1_0 else 1
    mergers = [java_skeletons(java_name(name), strategy_id(java_name(name)))[line] for name in CLASSES]
    sources = {Path(one.path).name: one.text for one in mergers}
    sources |= {"Examples.java": (SOURCES / "Examples.java").read_text("utf-8"), "Deletes.java": DELETES}
    sources["AskMergers.java"] = (SOURCES / f"AskMergers_1_{line}.java").read_text("utf-8")
    jar = compiler.compiled(sources, release)
    driver, payload = Driver(spark), PayloadRef("HoodieAvroPayload", jar=str(jar))
    mergers_class = driver.class_in(jars_of(spark, payload, release).paths, "com.acme.AskMergers")
    told = driver.call(mergers_class, "answers", json.dumps(SCHEMA), " ".join(one.merger for one in mergers))
    return str(told).splitlines()


@pytest.mark.parametrize("release", [pytest.param(HudiRelease.V1_0, marks=ON_3_5), HudiRelease.V1_1, HudiRelease.V1_2])
def test_a_merger_in_java_answers_as_its_payload(
    bundles: SparkSession, java_compiler: JavaCompiler, release: HudiRelease
) -> None:
    lines = asked(bundles, release, java_compiler)
    assert len(lines) == len(CLASSES)
    for name, line in zip(CLASSES, lines, strict=True):
        who, *told = line.split(" | ")
        assert who == f"{strategy_id(java_name(name))} SPARK"
        answers = [json.loads(text.partition("@")[0]) if text[0] == "{" else None for text in told]
        assert (name, *answers) == (name, *ANSWERS[name])
        orderings = [text.partition("@")[2] for text in told if "@" in text]
        assert orderings == [str((answer or NEWER)["ts"]) for answer in answers if release > HudiRelease.V1_0]
