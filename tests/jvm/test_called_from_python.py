"""Programs that Python runs for compiled classes, on Spark: its workers call the class in their executor."""

from __future__ import annotations

import dataclasses
import json
import socket
from functools import partial

import pytest
from click.testing import CliRunner

from bridge import MergePlan, explain, replay, upsert
from bridge.cli import main
from bridge.engines import in_driver
from bridge.engines.jvm.connection import Address, Connection
from bridge.engines.jvm.jars import address_of, jars_of, secret_of
from bridge.engines.jvm.references import InExecutor
from bridge.errors import EngineError, sentence_of
from bridge.pipeline import as_batches, merge_frames, simulate_commits
from bridge.programs import Operations, WriteOperation
from mergers import MergerRef
from payloads import HudiRelease, PayloadRef
from tests.jvm.frames import frame_of, rows

batch = partial(frame_of, "id string, part string, ts bigint, v string, n bigint, op string")


@pytest.fixture
def latest(jar):
    payload = PayloadRef("com.acme.Twins$Latest", jar=str(jar))
    return MergePlan(payload=payload, release="1.0", key="id", ordering="ts")


@pytest.mark.parametrize("release", ["0.15", "1.2"])
def test_a_global_index_moves_a_row_to_the_partition_of_the_batch(spark, latest, release):
    props = {"hoodie.index.type": "GLOBAL_SIMPLE", "hoodie.simple.index.update.partition.path": "true"}
    plan = dataclasses.replace(latest, release=HudiRelease.parse(release), partition=("part",), props=props)
    assert plan.runs_java
    stored = batch(spark, ("a", "p", 1, "x"), ("b", "p", 5, "x"), ("c", None, 1, "x"))
    incoming = batch(spark, ("a", "q", 2, "y"), ("b", "q", 6, None, None, "delete"), ("c", "p", 2, "y"))
    assert rows(upsert(stored, incoming, plan).select("id", "part", "ts", "v")) == [
        ("a", "q", 2, "y"),
        ("c", "p", 2, "y"),
    ]


def test_operations_of_commits_are_those_of_the_python_engine(spark, latest):
    batches = [
        batch(spark, ("a", "p", 1, "x"), ("b", "p", 1, "x")),
        batch(spark, ("a",)),
        batch(spark, ("b", "p", 0, "y")),
    ]
    python = dataclasses.replace(latest, payload=PayloadRef("tests.jvm.twins:Latest"))
    operations = Operations({2: WriteOperation.DELETE, 3: WriteOperation.SQL_DELETE})
    seen = []
    for plan in (latest, python):
        versions = as_batches(batches).versions(plan)
        seen.append(rows(simulate_commits(versions, plan, commits=3, operations=operations)))
    assert seen[0] == seen[1]
    assert seen[0]


def test_a_failure_names_class_merge_point_and_key(spark, jar):
    payload = PayloadRef("com.acme.Examples$Throwing", jar=str(jar))
    props = {"hoodie.index.type": "GLOBAL_SIMPLE"}
    plan = MergePlan(payload=payload, release="0.15", key="id", ordering="ts", partition="part", props=props)
    frame = batch(spark, ("bad", "p", 1))
    with pytest.raises(Exception, match="failed at") as failure:
        upsert(frame, frame, plan).collect()
    assert sentence_of(failure.value).startswith("com.acme.Examples$Throwing failed at upsert (key id='bad'): ")


def test_keys_that_a_compiled_class_fails_are_quarantined(spark, jar):
    payload = PayloadRef("com.acme.Examples$Throwing", jar=str(jar))
    plan = MergePlan(payload=payload, release="0.15", key="id", ordering="ts", on_error="quarantine")
    stored, incoming = batch(spark, ("bad", "p", 1), ("good", "p", 1)), batch(spark, ("bad", "p", 2), ("good", "p", 2))
    found = merge_frames("upsert", plan, stored=stored, incoming=incoming)
    assert rows(found.rows.select("id", "ts")) == [("good", 2)]
    aside = rows(found.quarantine.select("id", "ts", "_pb_merge_point", "_pb_side"))
    assert aside == [("bad", 1, "upsert", "stored"), ("bad", 2, "upsert", "incoming")]


def test_only_who_knows_the_secret_is_served(spark, latest):
    jars = jars_of(spark, latest.payload, latest.release)
    port, secret = address_of(spark)
    assert secret == secret_of(spark)
    with pytest.raises(EngineError, match=r"has ended the connection|is gone"):
        Connection(Address(port, "0" * len(secret)), jars.names)
    with pytest.raises(EngineError, match=r"can't run the class: .*NoClassDefFoundError: org/apache/hudi"):
        Connection(Address(port, secret), ["absent.jar"])
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        with pytest.raises(EngineError, match="can't be reached"):
            Connection(Address(unused.getsockname()[1], secret), jars.names)


def test_a_class_of_an_executor_is_not_called_outside_a_task(latest):
    with pytest.raises(EngineError, match="only a task of the jvm engine"):
        InExecutor(("a.jar",), "secret").calls(latest.payload, latest.release)


@pytest.fixture
def larger(java_compiler):
    jar = java_compiler.jar_of(HudiRelease.V1_2)
    merger = MergerRef("com.acme.NewMergers$Larger", jar=str(jar))
    return MergePlan(merger=merger, release="1.1", key="id", ordering="ts", table_type="mor")


def test_a_compiled_merger_is_explained_as_its_twin(spark, larger):
    twin = MergerRef("tests.jvm.twin_mergers:NewLarger")
    python = dataclasses.replace(in_driver(larger, spark), merger=twin)
    batches = [batch(spark, ("a", None, ts, "x", n)) for ts, n in ((1, 5), (2, 4), (3, 7))]
    reports = [explain(batches, plan, {"id": "a"}) for plan in (larger, python)]
    calls = [[(call.commit, call.point, call.result) for call in report.sides[0].trace.calls] for report in reports]
    assert calls[0] == calls[1]
    assert len(calls[0]) > 2


@pytest.mark.parametrize("upgrade_after", [None, 1])
def test_compiled_mergers_are_replayed(spark, larger, upgrade_after):
    batches = [batch(spark, ("a", None, ts, "x", n), ("b", None, ts, "x", ts)) for ts, n in ((1, 5), (2, 4))]
    same = replay(batches, larger, to="1.2", upgrade_after=upgrade_after)
    assert same.differences.count() == 0
    to = "com.acme.NewMergers$Joined"
    other = replay(batches, dataclasses.replace(larger, release=HudiRelease.V1_2), to=to)
    assert other.comparison.right.merger.name == to
    assert other.differences.where("_pb_commit = 2").count() == 2


def test_the_command_line_searches_all_paths_and_explains_compiled_classes(spark, java_compiler, jar, tmp_path):
    for number, amount in enumerate((5, 4), start=1):
        row = {"id": "a", "ts": 3 - number, "v": "x", "n": amount, "tags": None, "op": None}
        (tmp_path / f"{number}.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    settings = ["--batches", str(tmp_path), "--key", "id", "--ordering", "ts", "--release", "1.2", "--output", "json"]
    sum_of = ["--payload", "com.acme.Twins$Sum", "--jar", str(jar)]
    found = CliRunner().invoke(main, ["simulate", "--all-paths", *settings, *sum_of])
    assert found.exit_code in {0, 1}, found.output
    merger = ["--merger", "com.acme.NewMergers$Larger", "--jar", str(java_compiler.jar_of(HudiRelease.V1_2))]
    told = CliRunner().invoke(main, ["explain", "--row", "a", "--table-type", "mor", *settings, *merger])
    assert told.exit_code == 0, told.output
    assert "NewMergers" in told.stdout
