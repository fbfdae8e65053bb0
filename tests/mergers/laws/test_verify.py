from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner
from pyspark.sql.types import LongType, StringType, StructField, StructType

from bridge.cli import main
from bridge.errors import InputError, PlanError
from bridge.report import Severity
from bridge.report.files import as_junit
from bridge.verify.pytest_file import pytest_text, python_source
from bridge.verify.report import result_as_json, story_of
from bridge.verify.spark_script import spark_text
from bridge.verify.verification import verify
from payloads import Branch, HudiRelease, parse_schema
from tests.support import ROOT

LATEST = HudiRelease.latest()


def verified(name="DefaultHoodieRecordPayload", release=LATEST, **settings):
    return verify(name, release=release, **{"key": ("id",), "exhaustive": True, **settings})


def run(*words):
    return CliRunner().invoke(main, ["verify", *words])


def test_a_violation_that_is_allowed_is_not_a_failure():
    found = verified()
    assert not found.success
    assert found.verdict == "DefaultHoodieRecordPayload (1.2) violates action, schedule-independence; seed 0."
    allowed = verified(allow=("action", "schedule-independence"))
    assert allowed.success
    assert allowed.verdict.endswith("all of them allowed; seed 0.")
    assert json.loads(allowed.to_json())["verdict"] == allowed.verdict
    assert verified(domains=("data",)).verdict.endswith("no violation was found; seed 0.")


def cases_of(found):
    """Return the test cases of the JUnit report by name, each with the message of its failure."""
    cases = ET.fromstring(as_junit(found.to_report())).iter("testcase")  # noqa: S314 (our own)
    return {case.get("name"): next((element.get("message") for element in case), "") for case in cases}


def test_each_law_is_a_test_case_that_fails_with_its_smallest_example():
    laws = ("action", "idempotence", "tombstone")
    cases = cases_of(verified(laws=laws))
    assert {*cases} == {f"{law} [{kind}]" for law in laws for kind in ("data", "flagged")} - {"tombstone [data]"}
    assert {name for name, message in cases.items() if message} == {"action [flagged]"}
    assert re.fullmatch(r"action: \(s·a\)·b = .*, but s·\(a·b\) = no row, where s = .*", cases["action [flagged]"])
    assert not any(cases_of(verified(laws=laws, allow=("action",))).values())


def test_only_checked_laws_can_be_allowed():
    with pytest.raises(PlanError, match="allow purity: not among the checked laws, which are action"):
        verified(laws=("action",), allow=("purity",))


def test_a_story_has_both_bracketings_side_by_side():
    (result,) = verified(laws=("action",), domains=("flagged",)).report.violations
    story = story_of(result)
    assert story.columns == ("(s·a)·b", "s·(a·b)")
    assert [name for name, _ in story.operands] == ["s", "a", "b"]
    first, last = story.steps
    assert first[0] == "s·a = no row"
    assert first[1].startswith("a·b = {'id': 'key', 'ts': 2")
    assert last[1] == "s·(a·b) = no row"
    assert story.meaning.startswith("For a table: the same rows")


def test_counterexamples_come_first_and_each_once():
    report = verified(domains=("flagged",), laws=("action", "schedule-independence", "purity")).to_report()
    text = report.as_text(80)
    assert text.index("action on flagged: ") < text.index("action [flagged]: violated")
    assert (text.count("s = no row"), text.count("(the example of action on flagged)")) == (1, 1)


class Amounts:
    """A merger that needs the column `amount`."""

    merging_strategy = "0a6d9c5e-3c0f-4d39-9d83-0d3f4a0c7c12"
    record_type = "AVRO"

    def merge(self, older, newer, schema, props):
        return newer if newer.record["amount"] >= older.record["amount"] else older


def test_a_merger_that_needs_its_own_columns_asks_for_them():
    (warning,) = verified(f"{__name__}:Amounts", laws=("associativity",), domains=("data",)).to_report().warnings
    assert "(id, ts, v, w, _hoodie_is_deleted); name yours: --schema FILE --key COLUMN" in warning
    fields = [{"name": "id", "type": "string"}, {"name": "ts", "type": "long"}, {"name": "amount", "type": "int"}]
    schema = parse_schema({"type": "record", "name": "row", "fields": fields})
    own = verified(f"{__name__}:Amounts", laws=("associativity",), domains=("data",), schema=schema, ordering=("ts",))
    assert own.to_report().warnings == []
    of_class = verified(Amounts, laws=("associativity",), domains=("data",), schema=schema, ordering=("ts",))
    assert (of_class.name, of_class.verdict) == (own.name, own.verdict)


class Greatest:
    """A payload that keeps the greatest amount, and so obeys the laws where rows have one."""

    def __init__(self, record, ordering_value):
        self.record, self.ordering_value = record, ordering_value

    def pre_combine(self, older):
        return older if older.record["amount"] > self.record["amount"] else self

    def combine_and_get_update_value(self, current, schema):
        return current if current["amount"] > self.record["amount"] else self.record

    def get_insert_value(self, schema):
        return self.record


def test_a_class_that_fails_for_want_of_its_columns_violates_nothing():
    found = verified(Greatest, laws=("idempotence", "associativity"), domains=("data",))
    assert (found.severity, found.report.violations) == (Severity.NOT_CHECKED, ())
    assert found.verdict.endswith("in Python schema=, key= and ordering=.")
    assert {json.loads(found.to_json())["results"][number]["verdict"] for number in (0, 1)} == {"not-checked"}


ROW_FIELDS = [{"name": "id", "type": "string"}, {"name": "amount", "type": "long"}]


@pytest.mark.parametrize(
    "schema",
    [
        StructType([StructField("id", StringType(), False), StructField("amount", LongType(), False)]),
        json.dumps({"type": "record", "name": "row", "fields": ROW_FIELDS}),
    ],
)
def test_a_schema_may_be_a_data_frames_or_text_and_one_column_needs_no_list(schema):
    found = verified(Greatest, laws=("idempotence",), domains=("data",), schema=schema, key="id", ordering="amount")
    assert (found.severity, found.key, found.ordering) == (Severity.UNCHANGED, ("id",), ("amount",))


def test_the_summary_of_pytest_names_the_law_and_the_smallest_example(tmp_path):
    (tmp_path / "test_mine.py").write_text(
        "from mergers.laws import law_cases\n"
        "def test_law():\n"
        "    (case,) = law_cases('DefaultHoodieRecordPayload', laws=['action'], domain='flagged')\n"
        "    case.check()\n"
    )
    words = (sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "test_mine.py")
    env = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "400"}
    text = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True, check=False).stdout
    (summary,) = (line for line in text.splitlines() if line.startswith("FAILED test_mine.py::test_law"))
    assert "LawViolationError: action: (s·a)·b = {" in summary
    assert ", but s·(a·b) = no row, where s = no row, a = {" in summary
    assert not re.search(r"mergers/laws/\w+\.py:\d+: ", text)  # no frame of ours


def test_what_holds_has_no_story():
    result = verified(laws=("purity",), domains=("data",)).report.results[0]
    assert result_as_json(result)["counterexample"] is None
    with pytest.raises(LookupError, match="purity is not violated"):
        story_of(result)


def test_the_emitted_test_fails_by_its_counterexamples(tmp_path):
    text = pytest_text(verified("AWSDmsAvroPayload", domains=("data", "flagged")))
    path = tmp_path / "test_emitted.py"
    path.write_text(text, encoding="utf-8")
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(path)]
    answer = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    assert answer.returncode == 1, answer.stdout
    assert f"{text.count('def test_')} failed" in answer.stdout
    assert "(s·a)·b = " in answer.stdout


def test_source_reads_back():
    value = {"a": [float("inf"), Branch("int", 1)], "b": (b"\x00",), "c": {"d": None}}
    assert eval(python_source(value), {"Branch": Branch}) == value  # noqa: S307


@pytest.mark.parametrize(
    ("name", "release", "expected"),
    [
        ("DefaultHoodieRecordPayload", "0.15", "org.apache.hudi.common.model.DefaultHoodieRecordPayload"),
        ("PostgresDebeziumAvroPayload", "1.2", "'hoodie.write.table.version': '8'"),
        ("EVENT_TIME_ORDERING", "1.1", "'hoodie.write.record.merge.mode': 'EVENT_TIME_ORDERING'"),
    ],
)
def test_the_emitted_script_is_python_that_names_the_release(name, release, expected):
    script = spark_text(verified(name, HudiRelease.parse(release)))
    compile(script, "script", "exec")
    assert f":{release}." in script
    assert expected in script


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"name": "tests.mergers.laws.faulty:Concatenates", "domains": ("data",)},
            "not a class that real Hudi can load",
        ),
        ({"laws": ("purity",), "name": "PostgresDebeziumAvroPayload"}, "shows in a table"),
        ({"domains": ("data",)}, "violates no law"),
        ({"name": "RewriteAvroPayload", "domains": ("data",)}, "Hudi fails at the first row"),
        ({"name": "HoodieJsonPayload", "domains": ("data",)}, "Hudi fails at the first row"),
    ],
)
def test_a_script_that_would_show_nothing_is_refused(settings, message):
    with pytest.raises(InputError, match=message):
        spark_text(verified(**settings))


def test_the_command_prints_a_line_a_law_and_ends_with_1(tmp_path):
    words = ("AWSDmsAvroPayload", "--laws", "action", "--exhaustive", "--emit-test", str(tmp_path / "test_it.py"))
    result = run(*words)
    assert result.exit_code == 1
    assert "action [data]: violated" in result.output
    assert (tmp_path / "test_it.py").exists()
    again = run(*words)
    assert again.exit_code == 2
    assert "--overwrite" in again.stderr


def test_the_command_prints_json():
    result = run(
        "DefaultHoodieRecordPayload", "--allow", "action", "--laws", "action", "--exhaustive", "--output", "json"
    )
    answer = json.loads(result.stdout)
    assert result.exit_code == 0
    assert answer["success"] is True
    assert [(one["law"], one["domain"], one["verdict"]) for one in answer["results"]] == [
        ("action", "data", "proved"),
        ("action", "flagged", "violated"),
    ]
    assert answer["results"][1]["counterexample"]["right"]["bracketing"] == "s·(a·b)"


def test_the_command_names_what_a_proof_enumerated_and_what_does_not_apply(tmp_path):
    fields = [{"name": "id", "type": "string"}, {"name": "late", "type": "boolean"}, {"name": "n", "type": "int"}]
    path = tmp_path / "rows.avsc"
    path.write_text(json.dumps({"type": "record", "name": "row", "fields": fields}), encoding="utf-8")
    words = ("EVENT_TIME_ORDERING", "--schema", str(path), "--key", "id", "--ordering", "late", "--exhaustive")
    text = " ".join(run(*words).stdout.split())
    assert (
        "action [data]: proved (for all rows, by its rule: one version is kept whole, by ordering value; tried" in text
    )
    assert "purity [data]: proved (for these values, " in text
    assert "cases: every 2 or 3 of 5 versions, on 5 stored rows and on none; every 2 of " in text
    assert "every 2 of 1 block of versions; ordering values False, True)" in text
    assert "5 records: id 'key'; late False, True; n 1, 0, 2, 3" in text
    assert text.count("not applicable:") == 1
    assert "every law [flagged] (the schema has no column that marks a delete)" in text
    universe = json.loads(run(*words, "--output", "json").stdout)["plan"]["universe"]
    assert list(universe) == ["data"]
    assert {row["ordering"] for row in universe["data"]["versions"]} == {False, True}
    assert universe["data"]["rows"][0] is None
    assert set(universe["data"]["columns"]) == {"id", "late", "n"}
    assert [block["varied"] for block in universe["data"]["blocks"]] == ["n alone"]


def test_examples_claim_no_more_than_their_number():
    text = run("EVENT_TIME_ORDERING", "--laws", "idempotence", "--domain", "data", "--examples", "7").stdout
    number = int(re.search(r"no counterexample in (\d+) examples", " ".join(text.split()))[1])
    # Seven of any shape, and a round of ten for each reach at most.
    assert 7 <= number <= 7 + 3 * 10


@pytest.mark.parametrize(
    "words",
    [
        ("Nope",),
        ("DefaultHoodieRecordPayload", "--laws", "x"),
        ("DefaultHoodieRecordPayload", "--domain", "x"),
        ("DefaultHoodieRecordPayload", "--laws", "agreement"),
    ],
)
def test_the_command_refuses_what_it_does_not_know(words):
    assert run(*words).exit_code == 2


def test_nothing_of_hypothesis_is_left_in_the_working_directory(tmp_path):
    words = ["verify", "OverwriteWithLatestAvroPayload", "--examples", "3", "--laws", "idempotence"]
    program = f"from bridge.cli import main; main({words!r})"
    surroundings = {name: value for name, value in os.environ.items() if name != "HYPOTHESIS_STORAGE_DIRECTORY"}
    surroundings |= {"PAYLOAD_BRIDGE_CACHE": "", "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env=surroundings, check=True, capture_output=True)
    assert list(tmp_path.iterdir()) == []
