"""Real tables with the user's own compiled class, read in place: rows and refusals are those of real Hudi.

Hudi 0.14.0 and 0.15.0 wrote the tables with classes of the corpus, and five bundles read them with the same jar
(`python -m tests.corpus.tables`). Those of 0.14.0 are its answers to what no PySpark from 3.5 on can ask.
"""

from __future__ import annotations

import json
import re
import tarfile
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from bridge import HudiTable, HudiTableError, PlanError, compare_readers, diff, rehearse, replay
from bridge.cli import main
from bridge.engines import QUARANTINE
from bridge.errors import sentence_of
from bridge.spark import PySparkException
from payloads import HudiRelease, PayloadBridgeError, PayloadRef
from tests.conformance.tables import difference
from tests.corpus.jars import jars_for
from tests.corpus.shapes import SHAPES
from tests.corpus.tables import READERS, RECORDED, TABLES, load
from tests.support.archives import unpack
from tests.support.pairwise import in_pairs

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from tests.corpus.jars import ShapeJars
    from tests.corpus.tables import RecordedTable
    from tests.jvm.java_compiler import JavaCompiler

# A lane asks each two of writer, class, reader and engine once: who wrote the files, and who calls the class, does not
# depend on how a reader merges.
CASES = [
    pytest.param(f"{writer}/{name}", release, engine, marks=marks)
    for (writer, name, release, engine), marks in in_pairs(
        [
            (writer, name, release, engine)
            for writer, names in TABLES.items()
            for name in names
            for release in READERS[1:]
            for engine in ("python", "jvm")
        ]
    )
]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, RecordedTable]:
    folder = tmp_path_factory.mktemp("compiled")
    with tarfile.open(RECORDED) as archive:
        unpack(archive, folder)
    return {f"{one.release}/{one.name}": one for one in load(folder)}


@pytest.fixture(scope="module")
def jars(java_compiler: JavaCompiler) -> ShapeJars:
    """The jars that real Hudi had: compiled for 0.15."""
    return jars_for(java_compiler, HudiRelease.V0_15)


def class_of(name: str, jars: ShapeJars, **settings: Any) -> PayloadRef:
    return PayloadRef(SHAPES[name].class_name, jars=(str(jars.classes), str(jars.library)), **settings)


@pytest.mark.parametrize(("label", "release", "engine"), CASES)
def test_rows_are_those_of_real_hudi(  # noqa: PLR0913, PLR0917 (the parameters)
    recorded: dict[str, RecordedTable], jars: ShapeJars, spark: SparkSession, label: str, release: str, engine: Any
) -> None:
    """Called from Python, slice by slice, or merged in Java."""
    one = recorded[label]
    hudi = one.answers[release]
    if isinstance(hudi, str):
        with pytest.raises(PayloadBridgeError) as refused:
            HudiTable(spark, one.path, release, payload=class_of(one.name, jars), engine=engine).snapshot().collect()
        told = sentence_of(refused.value)
        assert SHAPES[one.name].class_name in told
        thrown = re.findall(r"\w+(?:Error|Exception)\b", hudi.splitlines()[-1])[0]
        assert thrown in told
        return
    table = HudiTable(spark, one.path, release, payload=class_of(one.name, jars), engine=engine)
    assert difference(hudi, [row.asDict() for row in table.snapshot().collect()]) == ""


# -- one table, by all that reads tables

LABEL = "0.15.0/CountsMerges"
DATA = ("id", "part", "ts", "city", "merges", "_hoodie_is_deleted")


@pytest.fixture
def counted(recorded: dict[str, RecordedTable], jars: ShapeJars, spark: SparkSession) -> HudiTable:
    return HudiTable(spark, recorded[LABEL].path, payload=class_of("CountsMerges", jars))


def test_a_rehearsal_predicts_no_write_by_a_compiled_class(counted: HudiTable, tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="leave the batches out"):
        rehearse(counted, "1.2", str(tmp_path / "copy"), batches=[counted.snapshot()])
    assert not (tmp_path / "copy").exists()


def data_by_key(answer: Any) -> dict[str, tuple[Any, ...]]:
    """The data columns of an answer of real Hudi, by key."""
    return {row["id"]: tuple(row[name] for name in DATA) for row in answer}


def test_some_columns_of_one_key_are_those_of_the_whole_answer(counted: HudiTable) -> None:
    whole = {row.id: row.merges for row in counted.snapshot().collect()}
    key = max(whole, key=lambda one: whole[one] or 0)
    found = counted.snapshot(columns=["merges"], where=f"id = '{key}'").collect()
    assert [tuple(row) for row in found] == [(whole[key],)]


def test_readers_differ_in_the_rows_in_which_real_ones_do(
    recorded: dict[str, RecordedTable], counted: HudiTable
) -> None:
    own, *others = (data_by_key(recorded[LABEL].answers[release]) for release in READERS[1:])
    with compare_readers(counted, ["1.0", "1.1", "1.2"]) as found:
        for result, theirs in zip(found.results, others, strict=True):
            both = own.keys() & theirs.keys()
            assert (result.only_left, result.only_right) == (len(own.keys() - both), len(theirs.keys() - both))
            assert result.changed == sum(own[key] != theirs[key] for key in both) > 0


def test_a_reader_to_which_the_class_does_not_link_is_refused_by_name(
    recorded: dict[str, RecordedTable], jars: ShapeJars, spark: SparkSession
) -> None:
    name = "PatchesStoredPayload"
    path = recorded[f"0.15.0/{name}"].path
    with compare_readers(HudiTable(spark, path, payload=class_of(name, jars)), ["1.0", "1.2"]) as found:
        fine, refused = found.results
    assert fine.refused is None
    assert f"{SHAPES[name].class_name} does not link to Hudi 1.2" in str(refused.refused)
    as_recompiled = HudiTable(spark, path, "1.2", payload=class_of(name, jars, built_for="0.15"))
    assert as_recompiled.snapshot().count() > 0


def test_instants_are_compared_with_the_class(recorded: dict[str, RecordedTable], counted: HudiTable) -> None:
    *_, before, last = sorted(row[0] for row in counted.instants.where("action = 'deltacommit'").collect())
    with diff(counted.snapshot(before), counted.snapshot(last), counted.identity) as found:
        assert found.counts.total > 0
    with diff(counted.snapshot(last), counted.snapshot(), counted.identity) as found:
        assert found.counts.total == 0


CLASS = """package com.acme;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.common.model.OverwriteWithLatestAvroPayload;
import org.apache.hudi.common.util.Option;
public class Moody extends OverwriteWithLatestAvroPayload {
  public Moody(GenericRecord record, Comparable ordering) { super(record, ordering); }
  public Moody(Option<GenericRecord> record) { super(record); }
  @Override
  public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord stored, Schema schema)
      throws java.io.IOException {
    String key = stored.get(schema.getField("id").pos()).toString();
    if (key.equals("REFUSED")) { throw new IllegalStateException("no merge of " + key); }
    if (key.equals("ENDLESS")) { while (true) { } }
    return super.combineAndGetUpdateValue(stored, schema);
  }
}
"""


def moody(compiler: JavaCompiler, refused: str, endless: str) -> PayloadRef:
    """A class that throws for one key, and never ends for another."""
    text = CLASS.replace("REFUSED", refused).replace("ENDLESS", endless)
    jar = compiler.compiled({"Moody.java": text}, HudiRelease.V0_15)
    return PayloadRef("com.acme.Moody", jar=str(jar))


def merged_key(table: HudiTable) -> str:
    """A key that the log has, and the base file too."""
    kinds = table.versions(all_slices=False).groupBy("id").pivot("_pb_kind").count()
    return str(kinds.where("base > 0 and data > 0").orderBy("id").first()[0])


@pytest.mark.parametrize("release", ["0.15", "1.2"])
def test_a_key_that_the_class_refuses_is_named_or_quarantined(
    counted: HudiTable, java_compiler: JavaCompiler, release: str
) -> None:
    key = merged_key(counted)
    table = HudiTable(counted.spark, counted.path, release, payload=moody(java_compiler, key, ""))
    with pytest.raises(PySparkException) as failed:
        table.snapshot().collect()
    told = sentence_of(failed.value)
    assert told.startswith(f"com.acme.Moody failed at snapshot (key _hoodie_record_key='{key}'): ")
    assert f"IllegalStateException: no merge of {key}" in told
    assert re.search(r"\(of [0-9a-f]+\.jar\)$", told)
    aside = table.snapshot_outcomes().where(f"{QUARANTINE} is not null").collect()
    assert {row.id for row in aside} == {key}
    assert len(aside) == table.versions(all_slices=False).where(f"id = '{key}'").count()


def test_a_call_that_never_ends_is_an_error_with_class_and_key(counted: HudiTable, java_compiler: JavaCompiler) -> None:
    key = merged_key(counted)
    table = HudiTable(counted.spark, counted.path, payload=moody(java_compiler, "", key), call_timeout=1)
    with pytest.raises(PySparkException) as failed:
        table.snapshot().collect()
    told = sentence_of(failed.value)
    assert told.startswith(f"com.acme.Moody failed at snapshot (key _hoodie_record_key='{key}'): ")
    assert "a call of the class has not ended after 1 s" in told


def test_no_class_is_loaded_that_only_the_table_names(
    recorded: dict[str, RecordedTable], jars: ShapeJars, spark: SparkSession
) -> None:
    path = recorded[LABEL].path
    with pytest.raises(HudiTableError, match=r"com\.acme\.CountsMerges, which Hudi does not ship.*with its jar"):
        HudiTable(spark, path).snapshot()
    with pytest.raises(PayloadBridgeError, match=r"no class com\.acme\.Nope in .*\.jar"):
        HudiTable(spark, path, payload=PayloadRef("com.acme.Nope", jar=str(jars.classes)))


# -- what is written next, and what was


def test_batches_onto_the_table_and_its_history_run_the_class(counted: HudiTable, jars: ShapeJars) -> None:
    payload = class_of("CountsMerges", jars)
    key = merged_key(counted)
    batch = counted.spark.createDataFrame([(key, "p", 99, "Oslo", None, False)], counted.columns)
    with replay(counted, to="1.0", batches=[batch], payload=payload) as found:
        rows = [row.merges for row in found.left.collect()]
    stored = counted.snapshot().where(f"id = '{key}'").first().merges
    assert rows == [stored + 1]
    found = replay(counted, to="0.15", history=True, payload=payload)
    try:
        assert found.rows == counted.snapshot().count()
        assert found.success
    finally:
        found.close()


# -- the command line


def ran(*words: str) -> tuple[int, dict[str, Any]]:
    found = CliRunner().invoke(main, [*words, "--output", "json"])
    assert found.exception is None or isinstance(found.exception, SystemExit), found.output
    return found.exit_code, json.loads(found.stdout)


def test_every_verb_that_reads_a_table_takes_the_class(
    recorded: dict[str, RecordedTable], jars: ShapeJars, spark: SparkSession
) -> None:
    path = recorded[LABEL].path
    given = ["--payload", "com.acme.CountsMerges", "--jar", f"{jars.classes},{jars.library}"]
    answers = recorded[LABEL].answers
    code, told = ran("snapshot", path, *given)
    assert (code, difference(answers["0.15.0"], told["results"])) == (0, "")
    code, told = ran("replay", "--table", path, "--to", "1.2", *given)
    old, new = data_by_key(answers["0.15.0"]), data_by_key(answers["1.2.0"])
    assert (code, len(told["results"])) == (1, sum(old.get(key) != new.get(key) for key in {*old, *new}))
    assert ran("history", path, *given)[1]["statistics"]["keys"] == 56
    for words in (
        ["diff", path, "--against", path, *given],
        ["inspect", path, "--release", "1.0", *given],
        ["plan", path, "--to", "1.0", *given],
    ):
        code, told = ran(*words)
        assert code in {0, 1}, told
        assert "which Hudi does not ship" not in json.dumps(told)


def test_the_jar_alone_is_refused(recorded: dict[str, RecordedTable], jars: ShapeJars, spark: SparkSession) -> None:
    found = CliRunner().invoke(main, ["snapshot", recorded[LABEL].path, "--jar", str(jars.classes)])
    assert found.exit_code == 2
    assert "--jar applies to the class of --payload" in found.output


def test_a_row_is_explained_call_by_call(
    recorded: dict[str, RecordedTable], jars: ShapeJars, counted: HudiTable
) -> None:
    key = merged_key(counted)
    given = ["--payload", "com.acme.CountsMerges", "--jar", f"{jars.classes},{jars.library}"]
    code, told = ran("explain", "--table", recorded[LABEL].path, "--row", key, *given)
    (result,) = told["results"]
    (calls,) = result["calls"].values()
    assert code == 0
    assert calls[-1]["point"] == "snapshot"
    assert all(call["rule"] for call in calls)
    assert {call["point"] for call in calls} <= {"log-fold", "snapshot"}
    made = {name: row for call in calls for name, row in call["made"].items()}
    rows = {f"v{number}": version["row"] for number, version in enumerate(result["versions"], start=1)} | made
    assert rows[calls[-1]["result"]] == result["shown"]["0.15"][0]
    assert calls[-1]["older"].startswith("v")
