"""The verbs inspect and plan."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from bridge.cli import main
from tests.bridge.config.recorded import MODEL

ENVELOPE = [
    *("format", "verb", "success", "severity", "not_checked", "scenario", "verdict"),
    *("plan", "statistics", "results", "warnings", "next"),
]
DMS = ("--payload", "AWSDmsAvroPayload")


@pytest.fixture
def table(tmp_path):
    """Make a copy-on-write table as 0.15 leaves it: its folder."""
    file = tmp_path / "orders" / ".hoodie" / "hoodie.properties"
    file.parent.mkdir(parents=True)
    file.write_text(
        "#saved\nhoodie.table.version=6\nhoodie.table.type=COPY_ON_WRITE\nhoodie.table.precombine.field=ts\n",
        encoding="iso-8859-1",
    )
    return tmp_path / "orders"


def run(*words):
    return CliRunner().invoke(main, [str(word) for word in words])


def answer(*words):
    result = run(*words, "--output", "json")
    assert result.exit_code == 0, result.output
    envelope = json.loads(result.stdout)
    assert list(envelope) == ENVELOPE
    return envelope


def test_inspect_reports_damage_first(table):
    result = run("inspect", table, *DMS)
    assert result.exit_code == 0
    assert result.stderr.startswith("warning: damaged: ")
    assert result.stdout.startswith("! damaged\nThis table merges by ")
    assert "Most severe finding: " in result.stdout


def test_inspect_as_json(table):
    envelope = answer("inspect", table, *DMS, "--ordering", "ts")
    assert envelope["plan"]["writer"] == {
        "hoodie.datasource.write.payload.class": MODEL + "AWSDmsAvroPayload",
        "hoodie.datasource.write.precombine.field": "ts",
    }
    assert envelope["statistics"]["damaged"] >= 1
    (result,) = envelope["results"]
    assert result["warnings"][0]["severity"] == "damaged"
    assert result["rules"]["merge"]["payload"] == MODEL + "DefaultHoodieRecordPayload"
    assert result["payloads"][0]["found"] == "port"
    settings = {setting["name"]: setting for setting in result["settings"]}
    assert settings["ordering fields"]["source"] == {
        "side": "table",
        "key": "hoodie.table.precombine.field",
        "value": "ts",
    }


def test_inspect_reads_the_properties_of_a_table_that_is_not_there_yet(tmp_path):
    file = tmp_path / "t.properties"
    file.write_text("primaryKey=id\npreCombineField=ts\ntype=mor\n", encoding="utf-8")
    settings = {setting["name"]: setting["value"] for setting in answer("inspect", file)["results"][0]["settings"]}
    assert settings["table version"] == "9"
    assert settings["merge mode"] == "EVENT_TIME_ORDERING"
    assert settings["table type"] == "MERGE_ON_READ"


def test_plan_as_json(table):
    envelope = answer("plan", table, "--to", "1.2", *DMS)
    (result,) = envelope["results"]
    assert result["before"] == {"hoodie.table.precombine.field": "ts", "hoodie.table.version": "6"}
    assert result["after"]["hoodie.record.merge.mode"] == "COMMIT_TIME_ORDERING"
    assert result["apply"][0]["options"]["hoodie.write.table.version"] == "9"
    assert result["undo"][0]["sql"].startswith("CALL downgrade_table")
    assert envelope["statistics"]["behaviours"] == len(result["behaviours"]) > 0


def test_plan_of_a_kept_table_reports_the_damage(table):
    result = run("plan", table, "--to", "1.2", *DMS, "--keep-table-version")
    assert result.exit_code == 0
    assert "DAMAGE" in result.stdout
    assert "1 of them with damage" in " ".join(result.stdout.split())


def test_plan_writes_the_steps(table):
    result = run("plan", table, "--to", "commit_time_ordering", "--payload", "OverwriteWithLatestAvroPayload")
    assert "without hoodie.datasource.write.payload.class" in result.stdout
    assert "<file>: hoodie.record.merge.mode=COMMIT_TIME_ORDERING" in result.stdout


@pytest.mark.parametrize("output", ["text", "markdown"])
def test_nothing_is_changed(table, output):
    file = table / ".hoodie" / "hoodie.properties"
    before = file.read_bytes()
    assert run("plan", table, "--to", "1.2", "--output", output).exit_code == 0
    assert run("inspect", table, "--output", output).exit_code == 0
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("words", "code", "phrase"),
    [
        (("inspect", "{table}", "--release", "2.0"), 2, "unknown Hudi release"),
        (("inspect", "{table}/none"), 2, "does not exist"),
        (
            ("inspect", "{table}/.."),
            3,
            "is not a Hudi table: it has no .hoodie/hoodie.properties; name the table's base",
        ),
        (("inspect", "{table}/.."), 3, ", such as "),
        (("plan", "{table}"), 2, "--to"),
        (("plan", "{table}", "--to", "NEWEST"), 2, "neither a release nor a merge mode"),
        (("plan", "{table}", "--to", "CUSTOM"), 3, "CUSTOM needs"),
    ],
)
def test_requests_that_are_refused(table, words, code, phrase):
    result = run(*(word.format(table=table) for word in words))
    assert result.exit_code == code, result.output
    assert phrase in result.stderr
    assert not result.stdout
