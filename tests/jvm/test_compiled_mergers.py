"""Users' mergers as compiled classes of Hudi 1.0: against the same mergers in Python, and what is refused."""

from __future__ import annotations

import dataclasses
import json
from functools import partial

import pytest
from click.testing import CliRunner

from bridge import MergePlan, append, combine_input, compact, simulate, snapshot
from bridge.cli import main
from bridge.config import TableMergeConfig
from bridge.engines.jvm.jars import bundle_for
from bridge.engines.jvm.job import Calls
from bridge.engines.jvm.merger import with_strategy_id
from bridge.errors import PlanError, sentence_of
from mergers import MergerConfigError, MergerNotFoundError, MergerRef
from payloads import HudiRelease
from tests.jvm.frames import frame_of, rows
from tests.jvm.test_twins import MARKER, STEP
from tests.jvm.twin_mergers import STRATEGY
from tests.jvm.versions import tables

batch = partial(frame_of, "id string, ts bigint, v string, n bigint, op string")


@pytest.fixture(scope="session")
def mergers(java_compiler):
    return java_compiler.jar_of(HudiRelease.V1_0)


@pytest.fixture(scope="session")
def new_mergers(java_compiler):
    return java_compiler.jar_of(HudiRelease.V1_2)


@pytest.fixture(scope="session")
def versions(bundles):
    return tables(bundles, 21)


def plan_of(jar, name, **settings):
    merger = MergerRef(f"com.acme.Mergers${name}", jar=str(jar))
    return MergePlan(**{"merger": merger, "release": "1.0", "key": "id", "ordering": "ts", **settings})


@pytest.mark.parametrize("name", ["Larger", "Marked"])
@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({"props": STEP}, id="bigint"),
        pytest.param({"ordering": "name", "props": {**STEP, **MARKER}}, id="text-and-marker"),
        pytest.param({"ordering": (), "props": STEP}, id="no-ordering"),
    ],
)
def test_both_engines_answer_alike(both_engines, mergers, versions, name, settings):
    java = with_strategy_id(both_engines.spark, plan_of(mergers, name, **settings))
    assert java.runs_java
    assert java.merger.strategy == STRATEGY
    python = dataclasses.replace(java, merger=MergerRef(f"tests.jvm.twin_mergers:{name}"))
    compared = both_engines.compared(java, python, versions)
    assert compared.differences == []
    assert compared.merged > 1 / 3
    assert any(" of " in (row["v"] or "") for row in compared.rows) == (name == "Marked")


@pytest.mark.parametrize(
    ("name", "incoming", "expected"),
    [
        ("Larger", ("a", 2, "y", 4), ("a", 1, "x", 5, None)),
        ("Larger", ("a", 2, "y", 6), ("a", 2, "y", 6, None)),
        ("Marked", ("a", 2, "y", 6), ("a", 2, "x+y of a in  by none", 6, None)),
        ("Marked", ("a", 2, "y", 6, "delete"), None),
        ("ChangesInput", ("a", 2, "y", 6), ("a", 1, "changed", 5, None)),
        ("AnswersEmpty", ("a", 2, "y", 6, "empty"), None),
    ],
)
def test_a_merger_decides_what_a_query_and_compaction_see(mergers, spark, name, incoming, expected):
    plan = plan_of(mergers, name, table_type="mor")
    untouched = ("z", 9, "z", 9, None)
    stored, log = append(batch(spark, ("a", 1, "x", 5), untouched), None, batch(spark, incoming), plan)
    for read in (snapshot, compact):
        assert rows(read(stored, log, plan)) == ([] if expected is None else [expected]) + [untouched]


def test_a_merger_sees_key_and_partition_as_hudi_writes_them(mergers, spark):
    plan = plan_of(mergers, "Marked", key=("id", "n"), partition="op", props={"acme.step": "7"}, table_type="mor")
    batches = [batch(spark, ("a", ts, "x", 5, "put")) for ts in (1, 2)]
    # As real 1.0.2: a compaction passes the writer's own settings, a query does not.
    for compact_after, step in (((), "none"), ((2,), "7")):
        seen = simulate(batches, plan, compact_after=compact_after).snapshots
        assert rows(seen.select("_pb_commit", "v")) == [(1, "x"), (2, f"x+x of id:a,n:5 in put by {step}")]


def test_a_delete_that_a_merger_makes_in_a_log_is_a_version_with_an_ordering_value(mergers, spark):
    batches = [batch(spark, ("a", ts, "x", 1, "empty" if ts == 3 else None)) for ts in (1, 2, 3, 8, 10)]
    seen = simulate(batches, plan_of(mergers, "AnswersEmpty", table_type="mor")).snapshots
    assert rows(seen.select("_pb_commit", "ts")) == [(1, 1), (2, 2), (5, 10)]


def test_an_exception_names_key_merge_point_and_cause(mergers, spark):
    plan = plan_of(mergers, "Throwing", table_type="mor")
    stored, log = append(batch(spark, ("bad", 1), ("good", 1)), None, batch(spark, ("bad", 2), ("good", 2)), plan)
    with pytest.raises(Exception, match="no rule") as failure:
        compact(stored, log, plan).collect()
    assert sentence_of(failure.value) == (
        "com.acme.Mergers$Throwing failed at compact (key id='bad'): java.lang.IllegalStateException: no rule; "
        "caused by java.lang.RuntimeException: this order was cancelled"
    )
    assert "at com.acme.Mergers$Throwing.merged(Mergers.java" in str(failure.value)


def test_null_is_not_a_result(mergers, spark):
    plan = plan_of(mergers, "AnswersNull", table_type="mor")
    stored, log = append(batch(spark, ("a", 1)), None, batch(spark, ("a", 2)), plan)
    with pytest.raises(Exception, match="merge answered null; it must answer an Option"):
        snapshot(stored, log, plan).collect()


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("Absent", MergerNotFoundError, "there is no class com.acme.Mergers.Absent in .*jar"),
        (
            "NoMerger",
            MergerConfigError,
            "is not a merger: it does not implement org.apache.hudi.common.model",
        ),
        ("OfAvro", MergerConfigError, "is abstract"),
        ("Hidden", MergerConfigError, "is not public"),
        ("WithArgument", MergerConfigError, "no public constructor without parameters; it has .String."),
        ("CannotBeBuilt", MergerConfigError, "can't be instantiated .*IllegalStateException: no settings"),
        (
            "OfSpark",
            MergerConfigError,
            "merges SPARK records: Hudi .* passes it the engine's own rows .* let getRecordType",
        ),
        ("NoStrategy", MergerConfigError, "returns no strategy id"),
        ("ByPayload", MergerConfigError, "returns the strategy id 00000000-.* which is Hudi's own"),
        ("ByEventTime", MergerConfigError, "returns the strategy id eeb8d96f-.* which is Hudi's own"),
    ],
)
def test_a_class_that_is_not_a_merger_of_the_table_is_refused_before_any_task(mergers, spark, name, error, words):
    with pytest.raises(error, match=words):
        combine_input(batch(spark, ("a", 1)), plan_of(mergers, name))


@pytest.mark.parametrize(
    "stored",
    [
        {"hoodie.record.merge.mode": "EVENT_TIME_ORDERING"},
        {"hoodie.record.merge.mode": "CUSTOM", "hoodie.compaction.payload.class": "com.acme.Rows"},
    ],
)
def test_a_table_that_asks_something_else_is_refused(stored):
    properties = {"hoodie.table.type": "MERGE_ON_READ", "hoodie.table.version": "8", **stored}
    merger = MergerRef("com.acme.Mergers$Larger", jar="mergers.jar", strategy=STRATEGY)
    table = TableMergeConfig.from_properties(properties, "1.0")
    with pytest.raises(PlanError, match="Larger merges nothing in this table"):
        Calls(plan_of("mergers.jar", "Larger", merger=merger, table=table, table_type="mor"))


@pytest.mark.parametrize(
    ("name", "release", "words"),
    [
        ("NewMergers$Larger", "1.0", r"of Hudi 1.0, merge.HoodieRecord, .*BufferedRecord, .*1.1 and later"),
        ("Mergers$Larger", "1.2", r"of Hudi 1.2, merge.BufferedRecord, .*HoodieRecord, .*until 1.0. Compile"),
    ],
)
def test_a_merger_of_another_interface_is_refused_with_both_shapes(java_compiler, spark, name, release, words):
    jar = java_compiler.jar_of(HudiRelease.V1_2 if name.startswith("New") else HudiRelease.V1_0)
    merger = MergerRef(f"com.acme.{name}", jar=str(jar))
    with pytest.raises(MergerConfigError, match=f"does not have the interface {words}"):
        combine_input(batch(spark, ("a", 1)), plan_of(jar, "", merger=merger, release=release))


@pytest.mark.parametrize("release", ["1.1", "1.2"])
@pytest.mark.parametrize(
    "case",
    [
        pytest.param(("Larger", {"props": STEP}), id="bigint"),
        pytest.param(("Joined", {"props": STEP}), id="joined"),
        pytest.param(("Joined", {"props": {**STEP, **MARKER}, "ordering": "name"}), id="text-and-marker"),
        pytest.param(("Larger", {"ordering": (), "combine_before_upsert": False}), id="uncombined"),
        pytest.param(("Joined", {"inserts_to": "log", "table_type": "mor", "ordering": ("ts", "name")}), id="to-log"),
    ],
)
def test_both_engines_run_mergers_of_buffered_records(both_engines, new_mergers, versions, release, case):
    name, settings = case
    merger = MergerRef(f"com.acme.NewMergers${name}", jar=str(new_mergers))
    java = with_strategy_id(both_engines.spark, plan_of("", "", merger=merger, release=release, **settings))
    python = dataclasses.replace(java, merger=MergerRef(f"tests.jvm.twin_mergers:New{name}"))
    compared = both_engines.compared(java, python, versions)
    assert compared.differences == []
    assert compared.merged > 1 / 3
    assert any(" of " in (row["v"] or "") for row in compared.rows) == (name == "Joined")


def test_a_merger_of_buffered_records_runs_in_spark(new_mergers, spark):
    merger = MergerRef("com.acme.NewMergers$Larger", jar=str(new_mergers))
    plan = plan_of("", "", merger=merger, release="1.2", table_type="mor")
    seen = simulate([batch(spark, ("a", 1, "x", 5)), batch(spark, ("a", 2, "y", 4))], plan).snapshots
    assert rows(seen.select("_pb_commit", "v")) == [(1, "x"), (2, "x")]
    null = dataclasses.replace(plan, merger=dataclasses.replace(merger, name="com.acme.NewMergers$AnswersNull"))
    with pytest.raises(Exception, match="merge answered null; it must answer a BufferedRecord"):
        combine_input(batch(spark, ("a", 1), ("a", 2)), null).collect()


def test_the_python_engine_does_not_run_a_compiled_merger(mergers):
    with pytest.raises(MergerNotFoundError, match=r"has no Python class, which is needed here; .*jar runs"):
        plan_of(mergers, "Larger", engine="python").writer_options()


def test_the_command_line_takes_a_merger_in_a_jar(mergers, spark, tmp_path):
    for number, amount in enumerate((5, 4), start=1):
        (tmp_path / f"{number}.jsonl").write_text(f'{{"id": "a", "ts": {number}, "n": {amount}}}\n', "utf-8")
    named = ["--merger", "com.acme.Mergers$Larger", "--jar", str(mergers), "--release", "1.0"]
    package = ["--package", bundle_for(spark, HudiRelease.V1_0)]
    options = ["--key", "id", "--ordering", "ts", "--table-type", "mor", "--output", "json"]
    answer = CliRunner().invoke(main, ["simulate", "--batches", str(tmp_path), *named, *package, *options])
    assert answer.exit_code == 0, answer.output
    assert json.loads(answer.stdout)["results"][-1]["snapshot"] == [{"id": "a", "n": 5, "ts": 1}]
