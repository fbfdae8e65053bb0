"""Replay: grades, sides, reports and the command; `test_conformance_replays` has the tables of real Hudi."""

from __future__ import annotations

import dataclasses
import datetime
import json
import shlex
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner

from bridge import (
    Batches,
    MergePlan,
    PlanError,
    RowStatus,
    Scope,
    TableType,
    redacted,
    replay,
    simulate,
    simulate_upgrade,
)
from bridge.cli import main
from bridge.compare import Comparison, Grade, compare, overall, plan_to
from bridge.config import MergeConfigError
from bridge.explain import explain_comparison
from bridge.report import Severity
from bridge.spark import read_schema
from payloads.avro.codec import parse_schema
from tests.support.plans import plan_of
from tests.support.user_payloads import Newest

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

MERGERS = "tests.support.user_mergers"
JSON = ("--output", "json")
SCHEMA = "_pb_commit int, _pb_arrival int, id string, ts bigint, city string, _hoodie_is_deleted boolean"
LATE_DELETE = [(1, 1, "a", 10, "Oslo", False), (2, 2, "a", 30, "Lima", False), (3, 3, "a", 20, None, True)]
TIE = [(1, 1, "a", 10, "Oslo", False), (2, 2, "a", 10, "Lima", False), (2, 3, "b", 10, "Rome", False)]
LATE_ROW = [(1, 1, "a", 10, "Oslo", False), (2, 2, "a", 5, "Lima", False)]


# -- grades


@pytest.mark.parametrize(
    ("grades", "together"),
    [
        ([Grade.IDENTICAL, Grade.IDENTICAL], Grade.IDENTICAL),
        ([Grade.IDENTICAL, Grade.IDENTICAL_HERE], Grade.IDENTICAL_HERE),
        ([Grade.IDENTICAL_HERE, Grade.ON_TIES], Grade.ON_TIES),
        ([Grade.ON_DELETES, Grade.ON_TIES], Grade.DIFFERS),
        ([Grade.DIFFERS, Grade.REFUSED], Grade.REFUSED),
    ],
)
def test_the_grade_of_two_table_types(grades: list[Grade], together: Grade) -> None:
    assert overall(grades) is overall(reversed(grades)) is together


def batches_of(versions: DataFrame) -> Batches:
    return Batches.by(versions, "_pb_commit")


def grade_of(spark: SparkSession, rows: list[tuple[Any, ...]], left: MergePlan, right: MergePlan) -> Grade:
    versions = spark.createDataFrame(rows, SCHEMA)
    with compare(batches_of(versions), Comparison(left, right, rows[-1][0])) as answer:
        return answer.grade


def test_the_releases_differ_on_a_late_delete(spark: SparkSession) -> None:
    sides = [plan_of("OverwriteWithLatestAvroPayload", release, "mor") for release in ("0.15", "1.2")]
    assert grade_of(spark, LATE_DELETE, *sides) is Grade.ON_DELETES
    assert grade_of(spark, LATE_DELETE[:2], *sides) is Grade.IDENTICAL_HERE
    assert grade_of(spark, LATE_DELETE, sides[0], sides[0]) is Grade.IDENTICAL


def test_first_value_differs_from_event_time_only_on_ties(spark: SparkSession) -> None:
    left = plan_of("FirstValueAvroPayload", "0.15")
    right = plan_of(None, "1.2", merger="EVENT_TIME_ORDERING")
    assert grade_of(spark, TIE, left, right) is Grade.ON_TIES
    assert grade_of(spark, TIE, left, plan_of("FirstValueAvroPayload", "1.2")) is Grade.REFUSED


def test_late_rows_are_neither(spark: SparkSession) -> None:
    left, right = plan_of("OverwriteWithLatestAvroPayload", "0.15"), plan_of("DefaultHoodieRecordPayload", "0.15")
    assert grade_of(spark, LATE_ROW, left, right) is Grade.DIFFERS


def test_a_failure_of_the_left_side_is_not_a_refusal(spark: SparkSession) -> None:
    rows = [(1, 1, "a", None, "Oslo", False)]
    left, right = (plan_of("DefaultHoodieRecordPayload", release) for release in ("0.15", "1.2"))
    with pytest.raises(Exception, match="DefaultHoodieRecordPayload failed at"):
        grade_of(spark, rows, left, right)


@pytest.mark.parametrize("empty", [None, pytest.param("", marks=pytest.mark.long)])
def test_keys_of_a_null_partition_are_graded_and_shown(spark: SparkSession, empty: str | None) -> None:
    rows = [(commit, number, key, empty, ts, None, gone) for commit, number, key, ts, _, gone in LATE_DELETE]
    versions = spark.createDataFrame(rows, SCHEMA.replace("id string,", "id string, part string,"))
    modes = ("COMMIT_TIME_ORDERING", "EVENT_TIME_ORDERING")
    plans = (plan_of(None, "1.2", merger=mode, partition="part") for mode in modes)
    with compare(batches_of(versions), Comparison(*plans, 3)) as answer:
        assert answer.grade is Grade.ON_DELETES
        (example,) = answer.examples
        if empty is None:
            with redacted("ts"):
                assert all(version["ts"].startswith("integer ") for version in answer.examples[0].versions)
    assert example.difference.key == {"part": None, "id": "a"}
    assert [version["ts"] for version in example.versions] == [10, 30, 20]
    assert example.row == {"part": "", "id": "a"}
    sides = Comparison(answer.comparison.left, answer.comparison.right, 3)
    assert [one["ts"] for _, one in explain_comparison(batches_of(versions), sides, example.row).versions] == [
        10,
        30,
        20,
    ]


def test_the_hint_has_the_texts_that_explain_takes(spark: SparkSession) -> None:
    columns = "_pb_commit int, _pb_arrival int, id string, flag boolean, at timestamp, ts bigint, city string, "
    moment = datetime.datetime(2024, 5, 6, 7, 8, 9, tzinfo=datetime.timezone.utc)
    rows = [(commit, number, key, True, moment, ts, city, gone) for commit, number, key, ts, city, gone in LATE_DELETE]
    versions = spark.createDataFrame(rows, columns + "_hoodie_is_deleted boolean")
    key = ("id", "flag", "at")
    plans = (plan_of("OverwriteWithLatestAvroPayload", release, "mor", key=key) for release in ("0.15", "1.2"))
    sides = Comparison(*plans, 3)
    with compare(batches_of(versions), sides) as answer:
        report = answer.to_report()
    (hint,) = [one for one in report.body if isinstance(one, str) and one.startswith("Why: ")]
    words = shlex.split(hint)
    texts = [words[at + 1] for at, word in enumerate(words) if word == "--row"]
    row = dict(text.rstrip(",").split("=", 1) for text in texts)
    assert row["flag"] == "true"
    assert len(explain_comparison(batches_of(versions), sides, row).versions) == 3


def test_the_smallest_example_has_its_versions(spark: SparkSession) -> None:
    same_way = [(commit, number + 3, "b", *row) for commit, number, _, *row in LATE_DELETE]
    one_more = [(1, 7, "b", 25, "Roma", False)]
    versions = spark.createDataFrame([*same_way, *one_more, *LATE_DELETE], SCHEMA)
    sides = Comparison(*(plan_of("OverwriteWithLatestAvroPayload", release, "mor") for release in ("0.15", "1.2")), 3)
    with compare(batches_of(versions), sides) as answer:
        (example,) = answer.examples
        assert [tuple(counts) for counts in answer.counts] == [(1, 0, 0, 0), (2, 0, 0, 0), (3, 2, 0, 0)]
    assert (example.commit, example.difference.key, example.difference.kind) == (3, {"id": "a"}, "only-left")
    assert example.difference.right is None
    assert [version["city"] for version in example.versions] == ["Oslo", "Lima", None]


# -- IGNORE_DEFAULTS


def test_a_key_that_differs_only_by_object_identity_is_marked(spark: SparkSession) -> None:
    fields = {"id": "string", "ts": "long", "city": "string", "_hoodie_is_deleted": "boolean"}
    default = {"name": "city", "type": "string", "default": "none"}
    columns = [default if name == "city" else {"name": name, "type": kind} for name, kind in fields.items()]
    schema = parse_schema({"type": "record", "name": "row", "fields": columns})
    default_comes = [(1, 1, "a", 10, "Oslo", False), (2, 2, "a", 20, "none", False)]
    late_row = [
        (commit, commit, "b", ts, city, False) for commit, ts, city in [(1, 5, "x"), (2, 30, "y"), (3, 20, "z")]
    ]
    versions = spark.createDataFrame([*default_comes, *late_row], SCHEMA)
    payload = "OverwriteNonDefaultsWithLatestAvroPayload"
    sides = Comparison(*(plan_of(payload, release, "mor", schema=schema) for release in ("0.15", "1.2")), 3)
    with compare(batches_of(versions), sides) as answer:
        found = {one.key["id"]: (one.left, one.right, one.note) for one in answer.collect()}
        assert (answer.counts[-1].total, answer.by_identity) == (2, 1)
    assert [row["city"] for row in found["a"][:2] if row is not None] == ["Oslo", "none"]
    assert "by object identity: in city the default overwrites" in (found["a"][2] or "")
    assert found["b"][2] is None
    with compare(batches_of(versions.where("id = 'a'")), sides.as_intended()) as answer:
        assert answer.grade is Grade.IDENTICAL_HERE


# -- what `--to` names


@pytest.mark.parametrize(
    ("to", "grade"),
    [
        (f"{MERGERS}:LaterEvent", Grade.IDENTICAL_HERE),
        (f"{MERGERS}:LastArrival", Grade.DIFFERS),
        ("tests.support.user_mergers:FirstPayload", Grade.DIFFERS),
        pytest.param("event_time_ordering", Grade.IDENTICAL_HERE, marks=pytest.mark.long),
        pytest.param("COMMIT_TIME_ORDERING", Grade.DIFFERS, marks=pytest.mark.long),
        ("FirstValueAvroPayload", Grade.REFUSED),
    ],
)
@pytest.mark.parametrize("table_type", ["cow", pytest.param("mor", marks=pytest.mark.long)])
def test_a_right_side_by_name(spark: SparkSession, to: str, grade: Grade, table_type: str) -> None:
    left = plan_of("DefaultHoodieRecordPayload", "0.15", table_type)
    rows = [*LATE_ROW, (2, 3, "b", 7, "Rome", False), (3, 4, "b", 8, "Roma", False), *LATE_DELETE[2:]]
    assert grade_of(spark, rows, left, plan_to(left, to)) is grade


def test_a_java_left_side_leaves_the_right_one_to_python() -> None:
    left = plan_of("DefaultHoodieRecordPayload", "0.15", engine="jvm", implementation="java")
    for to in ("EVENT_TIME_ORDERING", f"{MERGERS}:LaterEvent", "tests.support.user_mergers:FirstPayload"):
        assert not plan_to(left, to).runs_java
    assert plan_to(left, "OverwriteWithLatestAvroPayload").runs_java


# -- what is refused


@pytest.mark.parametrize(
    ("old", "new", "after", "phrase"),
    [
        ({}, {"table_type": "mor"}, 1, "neither the table type"),
        ({}, {}, 3, "the last is 2"),
        ({"engine": "jvm"}, {}, 1, "an upgrade runs in one engine"),
    ],
)
def test_what_is_not_an_upgrade(
    spark: SparkSession, old: dict[str, Any], new: dict[str, Any], after: int, phrase: str
) -> None:
    versions: DataFrame = spark.createDataFrame(LATE_ROW, SCHEMA)
    plans = [
        plan_of("DefaultHoodieRecordPayload", **settings)
        for settings in ({"release": "0.15"} | old, {"release": "1.2"} | new)
    ]
    with pytest.raises(PlanError, match=phrase):
        simulate_upgrade(batches_of(versions), *plans, upgrade_after=after)


BINLOG = "id string, city string, _event_seq string, _event_bin_file string, _event_pos bigint"


def test_a_writer_whose_ordering_field_hudi_refuses(spark: SparkSession) -> None:
    """The write that upgrades is taken, the one after it is not; what comes without the option is told as well."""
    versions = ("one", 90), ("two", 130), ("three", 95)
    rows = [("a", city, f"000001.{at}", "mysql-bin.000001", at) for city, at in versions]
    frames = [spark.createDataFrame([row], BINLOG) for row in rows]
    plan = plan_of("MySqlDebeziumAvroPayload", "0.15", ordering="_event_seq")
    with replay(Batches.of(frames), plan, "1.2", upgrade_after=1) as found:
        assert (found.grade, found.success, found.is_equal) == (Grade.REFUSED, False, False)
        assert found.verdict.startswith("REFUSED: Hudi 1.2 refuses batch 3: the writer's options conflict")
        assert "passed _event_seq, stored _event_bin_file,_event_pos" in found.verdict
        assert "Without the option: IDENTICAL ON THIS DATA" in found.verdict
        assert [counts.total for counts in found.counts] == [0, 0, 0]
        report = found.to_report()
        assert not report.success
        assert (report.checks[0].severity, report.checks[0].told) == (Severity.REFUSED, found.verdict)
    with replay(Batches.of(frames[:2]), plan, "1.2", upgrade_after=1) as taken:
        assert taken.is_equal
    with replay(Batches.of(frames), plan, "1.2") as anew:
        assert "Hudi 1.2 refuses batch 2: " in anew.verdict
    with pytest.raises(MergeConfigError, match=r"Hudi 1\.1 refuses batch 2"):
        simulate(Batches.of(frames), dataclasses.replace(plan, release="1.1"))


# -- the verb


@pytest.fixture
def days(tmp_path: Path) -> Path:
    names = SCHEMA.replace(",", "").split()[4::2]
    folder = tmp_path / "days"
    folder.mkdir()
    for commit, _, *row in LATE_DELETE:
        (folder / f"{commit}.jsonl").write_text(json.dumps(dict(zip(names, row, strict=True))) + "\n")
    (tmp_path / "rows.ddl").write_text(SCHEMA.split(", ", 2)[2])
    return folder


def words_of(days: Path, *more: str) -> list[str]:
    plan = ("--payload", "OverwriteWithLatestAvroPayload", "--key", "id", "--ordering", "ts", "--table-type", "mor")
    return ["replay", "--batches", str(days), "--schema", str(days.parent / "rows.ddl"), "--from", "0.15", *plan, *more]


def test_the_verb_names_the_key(spark: SparkSession, days: Path) -> None:
    result = CliRunner().invoke(main, words_of(days, "--to", "1.2", "--output", "json"))
    answer = json.loads(result.stdout)
    assert result.exit_code == 1
    (found,) = answer["results"]
    assert (found["key"], found["kind"], found["columns"], found["right"]) == ({"id": "a"}, "only-left", [], None)
    assert found["left"]["city"] == "Lima"
    assert answer["statistics"]["grade"] == "DIFFERS ON DELETES"
    assert [commit["equal"] for commit in answer["statistics"]["commits"]] == [True, True, False]


def test_the_verb_on_one_release(spark: SparkSession, days: Path) -> None:
    result = CliRunner().invoke(main, words_of(days, "--to", "0.15"))
    assert result.exit_code == 0
    assert "IDENTICAL: both follow the same rules" in result.stdout


def test_the_verb_on_both_table_types(spark: SparkSession, days: Path, tmp_path: Path) -> None:
    page, keys = tmp_path / "answer.xml", tmp_path / "keys"
    words = words_of(days, "--to", "1.2", "--table-type", "both", "--report", str(page))
    result = CliRunner().invoke(main, [*words, "--out", str(keys)])
    assert result.exit_code == 1
    (written,) = spark.read.parquet(str(keys)).collect()
    assert (written.table_type, written.id, written.kind, written.left.city) == ("mor", "a", "only-left", "Lima")
    text = " ".join(result.stdout.split())
    assert text.startswith("\u2260 changed: from the first batch on DIFFERS ON DELETES: copy-on-write")
    assert "Merge-on-read: DIFFERS ON DELETES: no key differs without deletes." in text
    cases = ET.parse(page).getroot().iter("testcase")  # noqa: S314 (our own)
    assert len({case.get("name") for case in cases}) == 6
    both = json.loads(CliRunner().invoke(main, [*words, "--overwrite", "--output", "json"]).stdout)
    each = {
        one: json.loads(CliRunner().invoke(main, words_of(days, "--to", "1.2", "--table-type", one, *JSON)).stdout)
        for one in ("cow", "mor")
    }
    assert both["results"] == each["cow"]["results"] + each["mor"]["results"]
    found = both["statistics"]["table_types"]
    assert {one: found[one]["verdict"] for one in found} == {one: each[one]["verdict"] for one in each}
    assert (both["success"], both["plan"]["table_type"]) == (False, "both")


def test_python_replays_several_table_types_as_the_verb_does(spark: SparkSession, days: Path) -> None:
    told = json.loads(CliRunner().invoke(main, [*words_of(days, "--to", "1.2"), "--table-type", "both", *JSON]).stdout)
    plan = plan_of("OverwriteWithLatestAvroPayload", "0.15", "mor")
    schema, struct = read_schema(days.parent / "rows.ddl", plan.release)
    plan = dataclasses.replace(plan, schema=schema)
    with replay(Batches.read(spark, days, struct), plan, "1.2", table_types=TableType) as found:
        made = json.loads(found.to_json())
        assert [part.comparison.left.table_type for part in found.parts] == [*TableType]
        assert found.verdict == found.to_report().verdict
        (row,) = found.differing_keys.collect()
    names = ("verdict", "severity", "sides", "statistics", "results", "warnings")
    assert {name: made[name] for name in names} == {name: told[name] for name in names}
    assert (row.table_type, row.id, row.kind, row.left.city, row.right) == ("mor", "a", "only-left", "Lima", None)


@pytest.mark.parametrize(
    ("source", "settings", "told"),
    [
        ("t", {}, "to is missing; name what to compare with"),
        ("t", {"to": MergePlan(merger="COMMIT_TIME_ORDERING", key="id")}, "to is a plan, and a real table has its own"),
        ("t", {"to": "1.2", "table_types": [TableType.MERGE_ON_READ]}, "table_types is for a table that batches make"),
        (
            "days",
            {"to": "1.2", "plan": MergePlan(merger="COMMIT_TIME_ORDERING", key="id")},
            "plan is for batches, and a t",
        ),
        ("t", {"to": "1.2", "as_of": "1"}, "as_of applies to writes, and without batches the table is only read"),
        ("t", {"to": "1.2", "payload": "AWSDmsAvroPayload"}, "payload applies to writes"),
        (
            "t",
            {"to": "1.2", "batches": [], "history": True},
            "history replays the table's own commits; leave out batch",
        ),
        (
            "t",
            {"to": "1.2", "batches": [], "scope": Scope(since="1")},
            "scope is that of the batches: give it to Batch",
        ),
        (Batches(["1"], []), {"to": "1.2"}, "plan is missing; batches merge by a MergePlan"),
        (Batches(["1"], []), {"to": "1.2", "scope": Scope(since="1")}, "scope is for a real table, and the source is"),
        (Batches(["1"], []), {"to": "1.2", "payload": "A"}, "payload is for a real table.*: set it in the plan"),
        (Batches(["1"], []), {"to": "1.2", "history": True}, "history is for a real table.*: leave it out"),
    ],
)
def test_parameters_that_the_question_does_not_have_are_refused_before_anything_is_read(
    source: Any, settings: dict[str, Any], told: str
) -> None:
    with pytest.raises(PlanError, match=f"^{told}"):
        replay(source, **settings)


def test_text_names_some_keys_and_json_all(spark: SparkSession, days: Path) -> None:
    row = {"ts": 20, "city": None, "_hoodie_is_deleted": True}
    for batch, time, gone in (("1", 10, False), ("2", 30, False), ("3", 20, True)):
        lines = [json.dumps({**row, "id": f"k{n:02}", "ts": time, "_hoodie_is_deleted": gone}) for n in range(25)]
        (days / f"{batch}.jsonl").write_text("\n".join(lines))
    words = words_of(days, "--to", "1.2")
    text = CliRunner().invoke(main, words).stdout
    assert "Keys that differ after the last batch, 20 of 25" in text
    assert text.count("only in Hudi 0.15\n") == 20
    assert len(json.loads(CliRunner().invoke(main, [*words, *JSON]).stdout)["results"]) == 25
    cut = CliRunner().invoke(main, [*words, *JSON, "--sample", "3"])
    assert len(json.loads(cut.stdout)["results"]) == 3
    assert "only the first 3 of 25 differing keys" in json.loads(cut.stdout)["warnings"][0]


def test_a_name_of_the_user_on_the_command_line(spark: SparkSession, days: Path) -> None:
    merger = f"{MERGERS}:LastArrival"
    result = CliRunner().invoke(main, words_of(days, "--to", merger, *JSON))
    answer = json.loads(result.stdout)
    assert (result.exit_code, answer["plan"]["to"]) == (1, merger)
    assert answer["statistics"]["grade"] == "DIFFERS ON DELETES"
    result = CliRunner().invoke(main, words_of(days, "--to", "FirstValueAvroPayload"))
    assert result.exit_code == 1
    headline, verdict, *_ = result.stdout.splitlines()
    assert headline == "\u2717 refused: from the first batch on"
    assert verdict.startswith("REFUSED: Hudi 1.2 does not ship FirstValueAvroPayload")


@pytest.mark.parametrize(
    ("more", "phrase"),
    [
        (("--to", "2.0"), "neither a release"),
        (("--to", "1.2", "--keep-table-version"), "add --upgrade-after"),
        (("--to", "1.2", "--upgrade-after", "4"), "the last batch is 3"),
        (("--to", "1.2", "--upgrade-after", "0"), "numbered 1, 2, 3"),
        (("--to", "EVENT_TIME_ORDERING", "--upgrade-after", "1"), "an upgrade goes to a release"),
        (("--to", "DefaultPayload"), "did you mean"),
        (("--to", "CUSTOM"), "name that one"),
        (("--to", "no.such.module:Merger"), "there is no module no"),
        (("--to", "json:JSONDecoder"), "is not a merger"),
        (("--to", "1.2", "--batches", "no-such-folder"), "does not exist"),
        (("--to", "1.2", "--compact-after", "7", "--table-type", "both"), "the last batch is 3"),
        (("--to", "1.2", "--via", "1=1.0"), "add --upgrade-after"),
        (("--to", "1.2", "--upgrade-after", "2", "--via", "2=1.0"), "before --upgrade-after 2"),
        (("--to", "1.2", "--upgrade-after", "2", "--via", "1=1.0@x"), "write N=RELEASE"),
    ],
)
def test_wrong_words(days: Path, more: tuple[str, ...], phrase: str) -> None:
    result = CliRunner().invoke(main, words_of(days, *more))
    assert result.exit_code == 2
    assert phrase in result.stderr


def test_a_column_that_is_not_there(spark: SparkSession, days: Path) -> None:
    result = CliRunner().invoke(main, words_of(days, "--to", "1.2", "--ordering", "time"))
    assert result.exit_code == 3
    assert "the ordering column 'time' is not in the data" in result.stderr
    assert "name another with --ordering" in result.stderr


class UntilThree(Newest):
    """A payload that can't merge what arrives with `ts` 3."""

    def combine_and_get_update_value(self, current: Any, schema: object) -> Any:
        if self.record["ts"] == 3:
            msg = "three is too much"
            raise ArithmeticError(msg)
        return self.record


def test_keys_that_one_side_cannot_merge_are_quarantined_and_differ(spark: SparkSession) -> None:
    """Under 1.2 the class is called where the log is read; the ordering field alone decides on the right side."""
    batches = [
        spark.createDataFrame([("a", 1), ("b", 1)], "id string, ts long"),
        spark.createDataFrame([("a", 2), ("b", 3)], "id string, ts long"),
    ]
    plan = plan_of(f"{__name__}:UntilThree", release="1.2", on_error="quarantine", engine="python")
    with replay(batches, plan, "EVENT_TIME_ORDERING") as found:
        assert found.quarantined == {"left": 2}
        assert found.quarantine is not None
        aside = [(row["id"], row["ts"], row["_pb_commit"], row["_pb_table"]) for row in found.quarantine.collect()]
        assert sorted(aside) == [("b", 1, 1, "left"), ("b", 3, 2, "left")]
        assert [(one.key, one.kind) for one in found.collect()] == [({"id": "b"}, "only-right")]
        report = found.to_report()
        assert report.statistics["quarantined"] == {"cow": {"left": 2}}
        assert "2 on the left: these keys can't be merged there" in report.warnings[0]


@pytest.mark.parametrize("adaptive", ["true", pytest.param("false", marks=pytest.mark.long)])
def test_both_sides_keep_row_counts(spark: SparkSession, adaptive: str) -> None:
    """Also where no row is left on a side, whose part of the query adaptive execution would drop."""
    spark.conf.set("spark.sql.adaptive.enabled", adaptive)
    versions = spark.createDataFrame([*LATE_DELETE, (3, 4, "b", 5, None, True)], SCHEMA)
    plan = plan_of("OverwriteWithLatestAvroPayload", release="0.15")
    try:
        with replay(batches_of(versions), plan, "EVENT_TIME_ORDERING") as found:
            left, right = (found.row_counts[side] for side in ("left", "right"))
            report = found.to_report()
        with replay(batches_of(versions), plan, "FirstValueAvroPayload") as refused:
            assert list(refused.row_counts) == ["left"]
    finally:
        spark.conf.set("spark.sql.adaptive.enabled", "false")
    assert left.rows_in == right.rows_in == {"incoming": 4}
    point = "snapshot", "incoming"
    assert {key: number for key, number in left.counts.items() if number} == {
        (*point, RowStatus.KEPT): 2,
        (*point, RowStatus.DELETED): 1,
        (*point, RowStatus.IGNORED): 1,
    }
    assert {key: number for key, number in right.counts.items() if number} == {
        (*point, RowStatus.KEPT): 2,
        (*point, RowStatus.IGNORED): 2,
    }
    assert report.statistics["books"] == {"cow": {"left": left.lines(), "right": right.lines()}}
    assert "Row counts, copy-on-write" in report.as_text()


def test_a_simulation_sets_keys_aside(spark: SparkSession) -> None:
    rows = [("a", 1), ("b", 1), ("a", 2), ("b", 3)]
    batches = [
        spark.createDataFrame(rows[:2], "id string, ts long"),
        spark.createDataFrame(rows[2:], "id string, ts long"),
    ]
    with simulate(batches, plan_of(f"{__name__}:UntilThree", on_error="quarantine")) as found:
        report = found.to_report()
        assert report.statistics["quarantined"] == found.quarantined == 2
        assert [row["id"] for row in found.snapshots.collect()] == ["a", "a"]
        reasons = [row["_pb_reason"] for row in report.results[-1]["quarantine"]]
        assert len(reasons) == 2
        assert all("three is too much" in reason for reason in reasons)
        assert [warning.split(",")[0] for warning in report.warnings] == ["2 rows are in quarantine"]


def test_a_key_that_1_0_stores_twice_is_compared_row_by_row(spark: SparkSession) -> None:
    """Its planned compaction leaves the row of batch 3 in the log alone, where no index finds it for batch 4."""
    columns = "id string, ts long, v string, _hoodie_is_deleted boolean"
    commits = [("a", 1, "one", False)], [("a", 2, "gone", True)], [("a", 3, "three", False)], [("a", 4, "four", False)]
    batches = [
        spark.createDataFrame([*rows, ("b", number, "same", False)], columns) for number, rows in enumerate(commits)
    ]
    plan = MergePlan(payload="DefaultHoodieRecordPayload", release="0.15", key="id", ordering="ts", table_type="mor")
    with replay(batches, plan, "1.0", upgrade_after=2) as found:
        assert [(one.kind, one.right["v"]) for one in found.collect()] == [("only-right", "three")]
        (told,) = (one for one in found.to_report().warnings if "several rows" in one)
    assert told.startswith("0.15 table upgraded to 1.0 has several rows of 1 key after the last batch")
