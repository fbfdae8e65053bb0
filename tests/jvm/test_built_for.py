"""A class that was compiled for 0.15 behind later releases, beside the one that was changed by hand and recompiled."""

from __future__ import annotations

import json
from functools import partial

import pytest
from click.testing import CliRunner

from bridge import MergePlan, TableType, replay, simulate, upsert
from bridge.cli import main
from bridge.engines import recompiled, recompiled_warnings
from bridge.explain import explain
from bridge.merge import class_warnings
from payloads import HudiRelease, PayloadConfigError, PayloadRef
from tests.jvm.frames import frame_of, rows
from tests.jvm.java_compiler import SOURCES
from tests.jvm.older_shapes import NAMES, jar_for

OLD = HudiRelease.V0_15
COLUMNS = "id string, ts bigint, v string, n bigint, _hoodie_is_deleted boolean"
batch = partial(frame_of, COLUMNS)
# Updates, late rows, ties, nulls, flagged deletes, keys twice in a batch, a key that the table does not have.
BATCHES = (
    [("a", 5, "a1", 1), ("b", 5, "b1", 1), ("c", 5, "c1", 1), ("d", 5, "d1", 1), ("e", 5, "e1", 1), ("f", 3, "f0", 1)],
    [
        *[("a", 6, "a2", 2), ("b", 5, "b2", 2), ("c", 4, "c2", 2), ("d", 6, None, 2, True), ("e", 7, "e2", 2)],
        *[("f", 9, "x", 2), ("a", 4, "a3", 3), ("h", 2, "h1", 2, True), ("g", 1, "g1", 2)],
    ],
    [
        *[("a", 6, "a4", 4), ("b", 9, None, 4), ("c", 9, "c3", 3), ("d", 1, "d3", 3), ("g", 0, "g2", 3)],
        *[("c", 7, "c4", 9), ("b", 1, "b4", 4, True)],
    ],
    [("a", 7, "a5", 5), ("b", 9, "b5", 5), ("g", 5, "x", 5), ("c", 9, None, 7)],
)


@pytest.fixture(scope="module")
def batches(bundles):
    return [batch(bundles, *rows_in) for rows_in in BATCHES]


@pytest.fixture(scope="module")
def older(java_compiler):
    return jar_for(java_compiler, OLD)


@pytest.fixture(scope="module")
def helpers(java_compiler):
    return java_compiler.compiled({"OlderHelpers.java": (SOURCES / "OlderHelpers.java").read_text("utf-8")}, OLD)


def plan_of(jar, name, release, table_type="cow", *, built_for="0.15", **settings):
    payload = PayloadRef(name if "." in name else f"com.acme.OlderShapes${name}", jar=str(jar), built_for=built_for)
    given = {"payload": payload, "release": release, "table_type": table_type, "key": "id", "ordering": "ts"}
    return MergePlan(**given | settings)


def snapshots(batches, plan):
    compactions = [3] if plan.table_type is TableType.MERGE_ON_READ else []
    return rows(simulate(batches, plan, compact_after=compactions).snapshots)


@pytest.fixture(scope="module")
def same_as_twin(batches, older, java_compiler):
    """Return what runs a class and its recompiled twin; gives the rows of both, which have to be the same."""

    def run(name, release, table_type):
        twin = jar_for(java_compiler, HudiRelease.parse(release))
        expected = snapshots(batches, plan_of(twin, name, release, table_type, built_for=None))
        assert snapshots(batches, plan_of(older, name, release, table_type)) == expected
        return expected

    return run


@pytest.mark.parametrize("name", NAMES)
def test_a_class_runs_as_its_recompiled_twin(same_as_twin, name):
    same_as_twin(name, "1.2", "mor")


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("release", "table_type"), [("1.0", "cow"), ("1.0", "mor"), ("1.1", "cow"), ("1.1", "mor"), ("1.2", "cow")]
)
def test_a_class_runs_as_its_recompiled_twin_in_every_release(same_as_twin, name, release, table_type):
    same_as_twin(name, release, table_type)


@pytest.mark.parametrize(("name", "release", "table_type"), [("ReadsBytes", "1.1", "cow"), ("InPlace", "1.0", "mor")])
def test_older_releases_and_the_other_table_type(same_as_twin, name, release, table_type):
    same_as_twin(name, release, table_type)


def test_super_calls_are_those_of_the_later_release(batches, older, same_as_twin):
    """A base class of 0.15 behind the override would keep the greater ordering value; that of 1.2 keeps the later."""
    expected = same_as_twin("AsksSuper", "1.2", "cow")
    assert expected != snapshots(batches, plan_of(older, "AsksSuper", "0.15"))


def test_an_upgraded_table_is_that_of_the_twin(batches, older, java_compiler):
    twin = plan_of(jar_for(java_compiler, HudiRelease.V1_2), "InPlace", "1.2", "mor", built_for=None)
    left = plan_of(older, "InPlace", "0.15", "mor")
    with replay(batches, left, "1.2", upgrade_after=2) as ours, replay(batches, left, twin, upgrade_after=2) as theirs:
        assert rows(ours.right) == rows(theirs.right) != rows(ours.left)


def test_python_calls_it_where_keys_are_quarantined(batches, older):
    plan = plan_of(older, "InPlace", "1.2", "mor")
    aside = plan_of(older, "InPlace", "1.2", "mor", on_error="quarantine")
    assert snapshots(batches, aside) == snapshots(batches, plan)


# -- what is said


def test_a_replay_says_what_refuses_the_class_and_what_recompiling_changes(batches, older):
    with replay(batches, plan_of(older, "ReadsBytes", "0.15", "mor"), "1.2") as found:
        number = found.counts[-1].total
        assert number
        assert found.verdict.startswith(
            "DIFFERS: REFUSED as it is: com.acme.OlderShapes$ReadsBytes does not link to Hudi 1.2: "
        )
        assert "recordBytes" in found.verdict
        assert f"; recompiled, {number} of 8 keys differ after the last of 4 batches" in found.verdict
        assert any("BaseAvroPayload.recordBytes -> getRecordBytes()" in one for one in found.to_report().warnings)


def test_without_the_release_it_was_compiled_for_it_is_refused_and_the_option_is_named(batches, older):
    with replay(batches, plan_of(older, "ReadsBytes", "0.15", built_for=None), "1.2") as found:
        assert found.verdict.startswith("REFUSED: ")
        assert "recordBytes" in found.verdict
        assert "; or say that it was built for 1.0, to run it as if it were recompiled" in found.verdict


def test_a_method_that_overrides_nothing_any_more_is_named(bundles, older):
    plan = plan_of(older, "DeadHook", "1.2")
    found = recompiled(plan)
    assert found.refused is None
    assert found.changed == found.gone == ()
    assert [one.member for one in found.dead] == [
        "needUpdatingPersistedRecord(IndexedRecord, IndexedRecord, Properties)"
    ]
    (told,) = (one for one in class_warnings(plan) + recompiled_warnings(plan) if "overrides nothing" in one)
    assert "OlderShapes.DeadHook.needUpdatingPersistedRecord(IndexedRecord, IndexedRecord, Properties)" in told
    assert recompiled(plan_of(older, "DeadHook", "1.0")).dead == ()
    assert recompiled(plan_of(older, "DeadHook", "0.15")) is None


def test_each_member_is_told_with_what_stands_in_its_place(bundles, older):
    told = {(one.member, one.instead) for one in recompiled(plan_of(older, "CallsHook", "1.2")).changed}
    assert told == {
        (
            "DefaultHoodieRecordPayload.needUpdatingPersistedRecord(IndexedRecord, IndexedRecord, Properties)",
            "needUpdatingPersistedRecord(IndexedRecord, Option, Properties)",
        ),
        ("ConfigUtils.getOrderingField(Properties)", "ConfigUtils.getOrderingFieldsStr(Properties)"),
    }


def test_explain_calls_the_class_and_warns(batches, older):
    told = explain(batches, plan_of(older, "MakesRecord", "1.2", "mor"), row={"id": "a"})
    assert any("compiled for Hudi 0.15 and runs under 1.2 as if recompiled" in one for one in told.to_report().warnings)


# -- what is carried along


def test_helpers_that_are_gone_answer_as_in_the_older_release(bundles, helpers):
    stored, incoming = batch(bundles, ("a", 1, "x", 1)), batch(bundles, ("a", 2, "y", 2))
    then, now = (
        rows(upsert(stored, incoming, plan_of(helpers, "com.acme.OlderHelpers$AsksHelpers", release)))
        for release in ("0.15", "1.2")
    )
    assert now == then
    assert "_hoodie_commit_time,_hoodie_commit_seqno" in then[0][2]
    changed = recompiled(plan_of(helpers, "com.acme.OlderHelpers$AsksHelpers", "1.2")).changed
    assert {one.instead for one in changed if "isMetadataField" in one.member} == {
        "a copy of the older HoodieAvroUtils.isMetadataField(String)"
    }


def test_a_class_of_hudi_that_is_gone_comes_from_the_older_release(bundles, helpers):
    plan = plan_of(helpers, "com.acme.OlderHelpers$ExtendsGone", "1.2")
    stored, incoming = batch(bundles, ("a", 1, "x", 1)), batch(bundles, ("a", 2, "y", 2))
    assert rows(upsert(stored, incoming, plan)) == [("a", 2, "y", 2, None)]
    found = recompiled(plan)
    assert ("the class org.apache.hudi.common.model.FirstValueAvroPayload", "a copy of the older one") in {
        one[1:] for one in found.changed
    }
    assert [one.where for one in found.dead] == ["org.apache.hudi.common.model.FirstValueAvroPayload"]


def test_a_call_in_whose_place_nothing_stands_fails_and_says_so(bundles, helpers):
    plan = plan_of(helpers, "com.acme.OlderHelpers$CallsAbstract", "1.2")
    stored, incoming = batch(bundles, ("a", 1, "x", 1)), batch(bundles, ("a", 2, "y", 2))
    assert [one.member for one in recompiled(plan).gone] == ["HoodieRecord.getRecordKey(Schema, String)"]
    with pytest.raises(Exception, match="no replacement for what the class calls"):
        upsert(stored, incoming, plan).collect()


# -- how it is asked for


def test_the_release_is_read_and_needs_a_compiled_class():
    assert PayloadRef("com.acme.X", jar="x.jar", built_for="0.15.0").built_for is OLD
    with pytest.raises(PayloadConfigError, match=r"built_for=0\.15 is only for compiled classes"):
        PayloadRef("com.acme.X", built_for="0.15")
    with pytest.raises(PayloadConfigError, match=r"unknown Hudi release '0\.16'"):
        PayloadRef("com.acme.X", jar="x.jar", built_for="0.16")


def test_the_command_line_runs_it_and_refuses_it_for_a_merger(bundles, older, tmp_path):
    for number, rows_in in enumerate(BATCHES):
        lines = [
            json.dumps(dict(zip(("id", "ts", "v", "n", "_hoodie_is_deleted"), one, strict=False))) for one in rows_in
        ]
        (tmp_path / f"{number}.json").write_text("\n".join(lines), "utf-8")
    schema = tmp_path.with_name("schema.ddl")
    schema.write_text(COLUMNS, "utf-8")
    words = [
        "--batches",
        str(tmp_path),
        "--schema",
        str(schema),
        "--key",
        "id",
        "--ordering",
        "ts",
        "--jar",
        str(older),
    ]
    words += ["--built-for", "0.15", "--from", "0.15", "--to", "1.2", "--table-type", "both", "--output", "json"]
    ran = CliRunner().invoke(main, ["replay", "--payload", "com.acme.OlderShapes$ReadsBytes", *words])
    answer = json.loads(ran.stdout)
    assert ran.exit_code == 1, ran.stderr
    assert "REFUSED as it is: com.acme.OlderShapes$ReadsBytes does not link to Hudi 1.2" in answer["verdict"]
    assert "recompiled, copy-on-write" in answer["verdict"]
    assert "REFUSED as it is" in answer["statistics"]["table_types"]["mor"]["refused_as_it_is"]
    refused = CliRunner().invoke(main, ["replay", "--merger", "com.acme.Merger", *words])
    assert refused.exit_code == 2
    assert "--built-for is for payload classes" in refused.stderr
