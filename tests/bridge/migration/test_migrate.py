"""migrate: what is recommended for a payload class, what data accepts and refuses, and the generated mergers."""

from __future__ import annotations

import importlib
import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from bridge import Batches, MergePlan, PlanError, TableType, migrate
from bridge.cli import main
from bridge.config import TableMergeConfig, created_by_sql, created_properties
from bridge.errors import ParameterError
from bridge.merge.record_merge import RecordMerge
from bridge.migration.candidates import candidates_for
from bridge.migration.decision import _Move
from bridge.migration.skeletons import java_skeletons, python_skeleton, strategy_id
from bridge.programs import WriteOperation
from mergers import HoodieKey, RecordMergeMode
from payloads import HudiRelease, parse_schema

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from bridge.merge.carriers import StoredRow

KEEPS_LONGEST = "tests.support.user_payloads:KeepsLongestName"
MODES = ["COMMIT_TIME_ORDERING", "EVENT_TIME_ORDERING"]
PARTIAL = [f"{mode} with IGNORE_DEFAULTS" for mode in MODES]
SCHEMA = "_pb_commit int, _pb_arrival int, id string, ts bigint, name string"
LATE = [(1, 1, "a", 10, "Oslo"), (1, 2, "b", 10, "Rome"), (2, 3, "a", 20, "Lima"), (3, 4, "a", 15, "Bergen")]
MARKER = {"hoodie.payload.delete.field": "Op", "hoodie.payload.delete.marker": "X"}


def left(payload: str, release: str = "0.15", **settings: Any) -> MergePlan:
    return MergePlan(payload=payload, release=release, **{"key": "id", "ordering": "ts"} | settings)


def names(plan: MergePlan, to: str = "1.2", merger: str | None = None) -> list[str]:
    return [one.name for one in candidates_for(plan, to, merger)]


# -- candidates


@pytest.mark.parametrize(
    ("payload", "settings", "expected"),
    [
        (KEEPS_LONGEST, {}, [*MODES, *PARTIAL, f"CUSTOM with {KEEPS_LONGEST}"]),
        (KEEPS_LONGEST, {"ordering": ()}, [MODES[0], PARTIAL[0], f"CUSTOM with {KEEPS_LONGEST}"]),
        ("AWSDmsAvroPayload", {}, [*MODES, *PARTIAL]),
        ("DefaultHoodieRecordPayload", {}, [MODES[1], MODES[0], *PARTIAL]),
        ("PartialUpdateAvroPayload", {}, [PARTIAL[1], *MODES, PARTIAL[0]]),
        ("FirstValueAvroPayload", {}, [*MODES, *PARTIAL, "CUSTOM with FirstValueAvroPayload"]),
    ],
)
def test_the_order_of_the_candidates(payload: str, settings: dict[str, Any], expected: list[str]) -> None:
    assert names(left(payload, **settings)) == expected


def test_a_marker_adds_the_mode_that_fills_it() -> None:
    plan = left(KEEPS_LONGEST, props={"hoodie.write.partial.update.unavailable.value": "?"})
    filling = candidates_for(plan, "1.2")[4:6]
    assert [one.name for one in filling] == [f"{mode} with FILL_UNAVAILABLE" for mode in MODES]
    assert filling[0].plan.table.merge_properties == {"hoodie.write.partial.update.unavailable.value": "?"}


def test_hudi_1_0_keeps_the_class() -> None:
    assert names(left("AWSDmsAvroPayload"), "1.0") == ["CUSTOM with AWSDmsAvroPayload"]


@pytest.mark.parametrize(
    ("plan", "to", "message"),
    [
        (left("AWSDmsAvroPayload", "1.2"), "1.1", "not back from 1.2"),
        (left("AWSDmsAvroPayload"), "0.15", "1.0 or later"),
        (left("AWSDmsAvroPayload"), "PartialUpdateAvroPayload", "migrate replaces payload classes"),
        (left("AWSDmsAvroPayload"), "CUSTOM", "name that one"),
        (left("AWSDmsAvroPayload"), "nowhere", "nowhere"),
        (left("AWSDmsAvroPayload"), "OverwriteWithLatestMerger", "one of Hudi's own"),
        (MergePlan(merger="EVENT_TIME_ORDERING", key="id"), "1.2", "starts from a payload class"),
    ],
)
def test_an_impossible_target(plan: MergePlan, to: str, message: str) -> None:
    with pytest.raises(PlanError, match=message):
        candidates_for(plan, to)


# -- what to do, without data


def after(made: Any, table_type: TableType = TableType.COPY_ON_WRITE) -> TableMergeConfig:
    return TableMergeConfig.from_properties(made.plans[table_type].after)


def test_a_change_feed_gets_its_delete_marker() -> None:
    made = migrate(left("AWSDmsAvroPayload"))
    assert made.is_accepted
    assert not made.is_checked
    assert after(made).mode is RecordMergeMode.COMMIT_TIME_ORDERING
    assert after(made).merge_properties == {"hoodie.payload.delete.field": "Op", "hoodie.payload.delete.marker": "D"}
    assert made.generated.mergers == ()


def test_a_marker_of_the_user_beats_that_of_the_class() -> None:
    made = migrate(left("AWSDmsAvroPayload", props=MARKER), "COMMIT_TIME_ORDERING")
    assert after(made).merge_properties == MARKER


@pytest.mark.parametrize("table_type", TableType)
def test_a_users_class_stays_although_an_upgrade_may_lose_it(table_type: TableType) -> None:
    made = migrate(left(KEEPS_LONGEST), table_types=[table_type], java_class="com.acme.KeepsLongest")
    table = after(made, table_type)
    assert (table.mode, table.payload) == (RecordMergeMode.CUSTOM, "com.acme.KeepsLongest")
    by_hand = [step for step in made.plans[table_type].apply if step.cli]
    assert bool(by_hand) is (table_type is TableType.COPY_ON_WRITE)


def test_a_table_says_what_there_is_to_do() -> None:
    stored = {"hoodie.table.version": "9", "hoodie.record.merge.mode": "EVENT_TIME_ORDERING"}
    made = migrate(left("DefaultHoodieRecordPayload", "1.1"), "COMMIT_TIME_ORDERING", properties=stored)
    (plan,) = made.plans.values()
    assert plan.apply[0].what == "set the merge mode COMMIT_TIME_ORDERING"
    assert plan.before["hoodie.record.merge.mode"] == "EVENT_TIME_ORDERING"


@pytest.mark.parametrize("table_type", TableType)
@pytest.mark.parametrize("to", ["1.0", "1.1", "1.2", "COMMIT_TIME_ORDERING"])
@pytest.mark.parametrize("payload", ["PostgresDebeziumAvroPayload", "PartialUpdateAvroPayload", KEEPS_LONGEST])
def test_create_table_makes_what_is_recommended(payload: str, to: str, table_type: TableType) -> None:
    made = migrate(left(payload), to, table_types=[table_type])
    assert made.recommended is not None
    release = made.recommended.plan.release
    stored = TableMergeConfig.from_properties(created_by_sql(made.new_tables[table_type], release), release)
    wanted = made.recommended.plan.table
    if wanted is None:
        writer = made.recommended.plan.writer_options()
        wanted = TableMergeConfig.from_properties(created_properties(writer, table_type, release), release)
    assert (stored.table_type, stored.mode, stored.ordering) == (table_type, wanted.mode, wanted.ordering)
    assert (stored.payload, stored.legacy_payload) == (wanted.payload, wanted.legacy_payload)
    assert (stored.partial_update_mode, stored.merge_properties) == (
        wanted.partial_update_mode,
        wanted.merge_properties,
    )


def test_create_table_makes_no_partial_update_mode_of_a_users_class() -> None:
    plan = left(KEEPS_LONGEST)
    partial = next(one for one in candidates_for(plan, "1.2") if one.name == PARTIAL[0])
    assert _Move(plan, partial, plan.writer_options(), None).new_table(TableType.COPY_ON_WRITE) == {}


def test_a_class_that_is_gone_is_refused_without_data() -> None:
    made = migrate(left("FirstValueAvroPayload"))
    assert made.recommended is None
    assert not made.is_accepted
    assert "was removed after 1.0" in made.refused


def test_an_upgrade_does_not_pass_a_class_that_is_gone() -> None:
    made = migrate(left("FirstValueAvroPayload"), "EVENT_TIME_ORDERING")
    upgrade, *_ = made.plans[TableType.COPY_ON_WRITE].apply
    assert (upgrade.options, upgrade.sql[:18]) == ({}, "CALL upgrade_table")


# -- generated mergers


def python_merger(payload: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    skeleton = python_skeleton(payload, HudiRelease.V1_2, strategy_id(payload))
    (folder / skeleton.path).write_text(skeleton.text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, skeleton.merger.partition(":")[0], raising=False)
    importlib.invalidate_caches()
    return skeleton.merger


def merged(plan: MergePlan) -> tuple[str, str]:
    """Return the name of two versions of a batch together, and of the later one with the stored row."""
    fields = [{"name": "id", "type": "string"}, {"name": "ts", "type": "long"}, {"name": "name", "type": "string"}]
    merge = RecordMerge(plan, parse_schema({"type": "record", "name": "row", "fields": fields}))

    def version(ts: int, name: str) -> StoredRow:
        return merge.incoming(HoodieKey("a"), {"id": "a", "ts": ts, "name": name}, None)

    combined = merge.combine_input(version(1, "x"), version(2, "y"))
    return combined.record["name"], merge.upsert(version(1, "x"), version(2, "y")).version.record["name"]


def test_a_merger_in_python_merges_as_the_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts answers pre_combine by the later version as it is, and combine by one with a mark.

    From 1.1 on a writer gives the class the insert value of each row, marked already; a merger gets the row.
    """
    payload = "tests.support.user_payloads:Counts"
    merger = python_merger(payload, tmp_path, monkeypatch)
    own = merged(MergePlan(merger=merger, key="id", ordering="ts"))
    assert own == merged(MergePlan(payload=payload, key="id", ordering="ts", release="1.0")) == ("y", "y*1")
    assert merged(MergePlan(payload=payload, key="id", ordering="ts")) == ("y*1", "y*1*1")
    made = migrate(left(payload), merger)
    assert (after(made).strategy, after(made).payload) == (strategy_id(payload), None)
    steps = made.plans[TableType.COPY_ON_WRITE].apply
    assert "hoodie.datasource.write.payload.class" in [key for step in steps for key in step.drop]


def test_twins_share_a_strategy_and_every_file_has_its_place() -> None:
    made = migrate(left(KEEPS_LONGEST), java_class="com.acme.Payloads$KeepsLongest")
    assert [one.path for one in made.generated.mergers] == [
        "keeps_longest_name_merger.py",
        "java-1.0/com/acme/KeepsLongestMerger.java",
        "java-1.1/com/acme/KeepsLongestMerger.java",
    ]
    assert {one.strategy for one in made.generated.mergers} == {strategy_id("com.acme.Payloads$KeepsLongest")}
    assert all("which was not tried" in note for note in made.generated.notes)


def test_a_class_in_python_that_ran_is_not_called_unknown() -> None:
    made = migrate(left("tests.support.user_payloads:ByTime"))
    told = [finding.text for plan in made.plans.values() for finding in plan.warnings]
    assert not [text for text in told if "cannot be loaded" in text]


def test_what_cannot_be_generated_is_said() -> None:
    rule, java = migrate(left(KEEPS_LONGEST)).generated.notes
    assert "by a schema" in rule
    assert "name its compiled class" in java
    with pytest.raises(PlanError, match="not the name of a Java class"):
        java_skeletons("com.acme.My Payload", "x")


# -- on data


def batches_of(spark: SparkSession, rows: list[tuple[Any, ...]]) -> Batches:
    return Batches.by(spark.createDataFrame(rows, SCHEMA), "_pb_commit")


TWO = Batches(("1", "2"), ())
V6_MOR = {"hoodie.table.version": "6", "hoodie.table.type": "MERGE_ON_READ"}
ANY = "DefaultHoodieRecordPayload"


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"upgrade_after": 1}, "upgrade_after is for batches on which candidates are tried; add batches"),
        ({"keep_table_version": True}, "keep_table_version is for batches"),
        ({"compact_after": [1]}, "compact_after is for batches"),
        ({"compact_every": 1}, "compact_every is for batches"),
        ({"all_paths": True}, "all_paths is for batches"),
        ({"accept_differences": True}, "accept_differences is for batches"),
        ({"sample": 3}, "sample is for batches"),
        ({"batches": TWO, "sample": 3}, "which accept_differences lists"),
        ({"batches": TWO, "upgrade_after": 3}, "upgrade_after 3: the last batch is 2"),
        ({"batches": TWO, "keep_table_version": True}, "add upgrade_after"),
        ({"batches": TWO, "compact_every": 1}, "only merge-on-read tables compact"),
        ({"batches": TWO, "compact_after": [3], "properties": V6_MOR}, "compact_after 3: the last batch is 2"),
        ({"batches": TWO, "upgrade_after": "last", "all_paths": True}, "all_paths follows one writer"),
        ({"batches": TWO, "upgrade_after": 1, "merger": "MyMerger"}, "merger is not tried"),
        ({"merger": "MyMerger", "to": "COMMIT_TIME_ORDERING"}, "merger is tried after what a release gives"),
        ({"merger": "MyMerger", "to": "1.0"}, "Hudi 1.0 keeps the class, so merger is not tried"),
        ({"table_types": [TableType.COPY_ON_WRITE], "properties": V6_MOR}, "table_types cow: the table is mor"),
        ({"table_types": list(TableType), "properties": V6_MOR}, "table_types cow and mor: the table is mor"),
        ({"java_class": "com.acme.X"}, "leave out java_class com.acme.X"),
    ],
)
def test_a_parameter_without_effect_is_refused(given: dict[str, Any], sentence: str) -> None:
    # Before any row is read: these batches have no frames.
    with pytest.raises(ParameterError, match=sentence):
        migrate(left(ANY), **given)


def test_all_paths_take_upserts_alone() -> None:
    with pytest.raises(PlanError, match="batch 1 is written by the operation delete"):
        migrate(left(ANY), batches=Batches(("1",), (), operations={1: WriteOperation.DELETE}), all_paths=True)
    with pytest.raises(PlanError, match="quarantine"):
        migrate(left(ANY, on_error="quarantine"), batches=TWO, all_paths=True)


def test_the_properties_name_the_type_of_the_table() -> None:
    assert list(migrate(left("AWSDmsAvroPayload"), properties=V6_MOR).plans) == [TableType.MERGE_ON_READ]


def test_the_first_equal_mode_is_taken(spark: SparkSession) -> None:
    plan = left("tests.support.user_payloads:ByTime")
    made = migrate(plan, batches=batches_of(spark, LATE))
    assert made.recommended is not None
    assert (made.is_accepted, made.recommended.name) == (True, "EVENT_TIME_ORDERING")
    (event_time,) = made.trials  # the mode that has the rule of the class is tried first
    assert event_time.differing == 0


def test_an_upgraded_table_is_tried_as_the_upgrade_leaves_it(spark: SparkSession) -> None:
    plan = left("DefaultHoodieRecordPayload")
    data = batches_of(spark, LATE)
    made = migrate(plan, "1.2", batches=data, upgrade_after=2)
    assert (made.is_accepted, len(made.trials)) == (True, 1)
    with pytest.raises(PlanError, match="an upgrade goes to a release"):
        migrate(plan, "COMMIT_TIME_ORDERING", batches=data, upgrade_after=2)


# -- the verb


def run(*arguments: str) -> tuple[int, Any]:
    result = CliRunner().invoke(main, ["migrate", *arguments, "--output", "json"])
    return result.exit_code, json.loads(result.stdout)


def test_without_batches_it_says_that_nothing_was_checked() -> None:
    code, answer = run("--payload", "AWSDmsAvroPayload", "--ordering", "ts", "--table-type", "both")
    assert code == 0
    assert answer["verdict"].startswith("NOT CHECKED: COMMIT_TIME_ORDERING of Hudi 1.2")
    assert answer["severity"] == "not checked"
    assert (answer["statistics"]["checked"], answer["statistics"]["accepted"]) == (False, True)
    assert answer["plan"]["key"] is None
    plans = answer["results"][0]["plans"]
    assert set(plans) == {"cow", "mor"}
    assert plans["cow"]["behaviours"]
    assert plans["cow"]["undo"]


def test_the_table_names_payload_and_type(tmp_path: Path) -> None:
    table = tmp_path / "hoodie.properties"
    lines = ("table.version=6", "table.type=MERGE_ON_READ", "table.precombine.field=ts", "table.recordkey.fields=id")
    name = "org.apache.hudi.common.model.PartialUpdateAvroPayload"
    table.write_text("".join(f"hoodie.{line}\n" for line in (*lines, f"compaction.payload.class={name}")))
    code, answer = run("--table", str(table))
    assert (code, answer["statistics"]["recommended"]) == (0, "EVENT_TIME_ORDERING with IGNORE_DEFAULTS")
    assert (answer["plan"]["key"], answer["plan"]["table_type"]) == (["id"], "mor")
    assert run("--table", str(table), "--table-type", "cow")[0] == 2


def test_the_partition_of_a_custom_key_generator_is_its_columns(tmp_path: Path, spark: SparkSession) -> None:
    table, rows = tmp_path / "hoodie.properties", tmp_path / "days"
    lines = ("table.version=8", "table.recordkey.fields=id", r"table.partition.fields=part\:SIMPLE,n\:TIMESTAMP")
    table.write_text("".join(f"hoodie.{line}\n" for line in (*lines, "table.keygenerator.type=CUSTOM")))
    rows.mkdir()
    (rows / "1.jsonl").write_text('{"id": "a", "part": "p", "n": 1}\n')
    code, answer = run(
        "--table", str(table), "--payload", "OverwriteWithLatestAvroPayload", "--batches", str(rows), "--to", "1.2"
    )
    assert (code, answer.get("error")) == (0, None)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name the payload class"),
        (["--payload", "NoSuchPayload"], "NoSuchPayload"),
        (["--payload", "AWSDmsAvroPayload", "--accept-differences"], "add --batches"),
        (["--payload", "AWSDmsAvroPayload", "--upgrade-after", "2"], "add --batches"),
        (["--payload", "AWSDmsAvroPayload", "--to", "nowhere"], "nowhere"),
        (["--payload", "AWSDmsAvroPayload", "--to", "0.15"], "1.0 or later"),
        (["--payload", "AWSDmsAvroPayload", "--batches", "DAYS"], "name the record key"),
        (
            ["--payload", "AWSDmsAvroPayload", "--batches", "DAYS", "--key", "id", "--upgrade-after", "9"],
            "the last batch is 1;",
        ),
        (["--payload", "AWSDmsAvroPayload", "--out", "DAYS"], "already exists"),
        (["--payload", "AWSDmsAvroPayload", "--java-class", "com.acme.X"], "is for a Python payload"),
        (["--payload", KEEPS_LONGEST, "--java-class", "com acme"], "not the name of a Java class"),
    ],
)
def test_a_wrong_command_line(arguments: list[str], message: str, tmp_path: Path) -> None:
    (tmp_path / "1.jsonl").write_text('{"id": "a"}\n')
    code, answer = run(*(str(tmp_path) if word == "DAYS" else word for word in arguments))
    assert code == 2
    assert message in answer["error"]


def test_what_is_refused_leaves_nothing_behind(tmp_path: Path, spark: SparkSession) -> None:
    days = tmp_path / "days"
    days.mkdir()
    for commit in (1, 2, 3):
        rows = [{"id": key, "ts": ts, "name": name} for number, _, key, ts, name in LATE if number == commit]
        (days / f"{commit}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    out = tmp_path / "out"
    words = ["--payload", "DefaultHoodieRecordPayload", "--batches", str(days), "--key", "id", "--ordering", "ts"]
    words += ["--to", "COMMIT_TIME_ORDERING", "--out", str(out)]
    code, answer = run(*words)
    assert (code, answer["success"], out.exists()) == (1, False, False)
    assert answer["severity"] == "refused"
    assert [one for one in answer["next"] if "merge-into" in one or "--merger" in one], answer["next"]
    (trial,) = answer["statistics"]["candidates"]
    assert (trial["differing"], trial["example"]["difference"]["key"]) == (1, {"id": "a"})
    code, answer = run(*words, "--accept-differences")
    assert (code, answer["verdict"][:25]) == (0, "ACCEPTED WITH DIFFERENCES")
    assert [one["key"] for one in answer["results"][0]["differences"]] == [{"id": "a"}]
    written = sorted(path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file())
    assert written == [
        "cow/apply.txt",
        "cow/create.sql",
        "cow/hoodie.properties",
        "cow/undo.txt",
        "migration.json",
        "migration.md",
    ]
    assert "ACCEPTED WITH DIFFERENCES" in (out / "migration.md").read_text("utf-8")
