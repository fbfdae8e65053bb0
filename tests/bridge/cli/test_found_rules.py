"""`payload-bridge payloads CLASS --schema`: the rules of a class, found by asking it."""

from __future__ import annotations

import json
import re
from typing import ClassVar

import pytest
from click.testing import CliRunner

from bridge.cli import main
from payloads.rules import rule_from_json, rule_to_json
from tests.mergers.laws.infer.shapes import SHAPES, Shape, schema_of

MODULE = "tests.mergers.laws.infer.shapes"


@pytest.fixture
def run(tmp_path):
    def called(name, *words):
        schema = tmp_path / "rows.avsc"
        schema.write_text(json.dumps(schema_of(SHAPES[name])))
        words = ("payloads", f"{MODULE}:{name}", "--schema", schema, "--key", "id", "--ordering", "ts", *words)
        return CliRunner().invoke(main, [str(word) for word in words])

    return called


def test_the_rules_are_told_in_english(run):
    found = run("DeletesByOp")
    assert found.exit_code == 0, found.output
    text = " ".join(found.stdout.split())
    assert "a rule was found at 3 of 3 merge points; none of the" in text
    assert "a version without data, or with `op` = 'D'" in text
    assert "the version with the greater ordering value" in text
    assert max(map(len, found.stdout.splitlines())) <= 80


def test_a_column_that_the_class_alone_decides_is_told_with_a_pair(run):
    found = run("MergesJson")
    assert found.exit_code == 0, found.output
    text = " ".join(found.stdout.split())
    assert "at 2 of 3 merge points" in text
    assert "`doc` the class decides" in text
    assert "`hits`" in text
    assert "`doc` is decided only by the class: for {" in text


class Configured(Shape):
    """Deletes by a text that a property names, and adds up hits where another one says so."""

    columns: ClassVar = {"op": "optional string", "hits": "long"}

    def combine_and_get_update_value(self, current, schema, props=None):
        if self.record is None or self.record["op"] == (props or {}).get("acme.delete.op", "D"):
            return None
        if (props or {}).get("acme.hits.mode") == "sum":
            return {**self.record, "hits": current["hits"] + self.record["hits"]}
        return self.record


def test_properties_that_the_class_reads_are_told_with_what_they_change(tmp_path):
    schema = tmp_path / "rows.avsc"
    schema.write_text(json.dumps(schema_of(Configured)))
    words = ("payloads", f"{__name__}:Configured", "--schema", str(schema), "--key", "id", "--ordering", "ts")
    text = " ".join(CliRunner().invoke(main, words).stdout.split())
    assert (
        "The class reads the property `acme.hits.mode`: if it is 'sum', then, for a version and the stored row" in text
    )
    assert "The class reads the property `acme.delete.op`: if it is " in text
    assert text.count("The class reads the property") == 2


def test_the_rules_are_values_in_json(run):
    answer = json.loads(run("CountsClicks", "--output", "json").stdout)
    assert answer["statistics"]["rules"] == 3
    for entry in answer["results"]:
        assert rule_to_json(rule_from_json(entry["rule"])) == entry["rule"]
        assert (entry["decided_by_the_class"], entry["is_function"]) == ([], True)
        assert entry["pairs"] > 1_000
        assert all(line.keys() == {"label", "part", "text"} for line in entry["words"])


def test_what_follows_for_the_laws_is_told(run):
    text = " ".join(run("Counts").stdout.split())
    assert (
        "A batch and the stored row have different rules: the later version is determined by the greater ordering"
        in text
    )
    assert (
        "Associativity (how a batch is split does not matter) holds if the rule does: one version is kept whole" in text
    )
    answer = json.loads(run("Counts", "--output", "json").stdout)
    batch, stored, alone = (
        {law["law"]: law["outcome"] for law in entry["laws"] if law["domain"] == "data"} for entry in answer["results"]
    )
    assert batch == {"associativity": "holds", "idempotence": "holds", "commutativity": "holds"}
    assert (stored, alone) == ({"action": "fails"}, {})


def test_what_is_asked_needs_a_class():
    found = CliRunner().invoke(main, ["payloads", "--schema", "missing.avsc"])
    assert found.exit_code == 2
    found = CliRunner().invoke(main, ["payloads", "--schema", __file__])
    assert (found.exit_code, found.stdout) == (2, "")
    assert "are for a single class: name it" in found.stderr


def test_a_column_that_is_not_there_is_refused(run):
    found = run("Counts", "--key", "nobody")
    assert found.exit_code in {2, 3}
    assert "nobody" in found.stderr
    assert "Traceback" not in found.output


def test_three_sentences_say_who_wins_what_deletes_and_what_differs(run):
    text = " ".join(run("NeverReopens").stdout.split())
    assert "Who wins: the incoming version, whatever the ordering values are; the stored row stays if it has" in text
    assert "What deletes: a version without data; it is not inserted either." in text
    assert "in Hudi 1.2 log files are merged as with the stored row" in text
    text = " ".join(run("NeverReopens", "--release", "0.15").stdout.split())
    assert "in Hudi 0.15 log files are merged as a batch is" in text


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("DeletesByOp", "or with `op` = 'D'; it is not inserted either."),
        ("DeletesStoredAlone", "or with `op` = 'D'; without a stored row it is inserted."),
        ("FreezesAmounts", "without a stored row nothing is inserted for a version without data, or with"),
    ],
)
def test_what_deletes_is_told_apart_from_what_is_not_inserted(run, name, told):
    assert told in " ".join(run(name).stdout.split())


def test_a_page_shows_the_rule_on_rows_of_the_user(spark, run, tmp_path):
    days = tmp_path / "days"
    days.mkdir()
    rows = [{"id": "a", "ts": at, "status": ("OPEN", "CLOSED")[at % 2], "a": str(at)} for at in range(12)]
    (days / "1.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    page = tmp_path / "page.html"
    found = run("NeverReopens", "--batches", days, "--report", page)
    assert found.exit_code == 0, found.output
    assert "From your rows: the stored row has `status` = 'CLOSED'" in found.stdout
    assert "Who wins" in page.read_text("utf-8")


class Settings(Shape):
    """Reads a name without a dot, and one of Hudi's own; goes by none of the others."""

    columns: ClassVar = {"op": "optional string", "hits": "long"}

    def combine_and_get_update_value(self, current, schema, props=None):
        told = props or {}
        if self.record is None or told.get("keeps_stored") == "true":
            return None if self.record is None else current
        if told.get("hoodie.acme.adds") == "true":
            return {**self.record, "hits": current["hits"] + self.record["hits"]}
        return self.record


class CopiesSettings(Settings):
    """Looks at all properties at once, so that nothing shows which it reads."""

    def combine_and_get_update_value(self, current, schema, props=None):
        if {**(props or {})}.get("acme.keeps") == "true":
            return current
        return self.record


@pytest.mark.parametrize(
    ("payload", "names"),
    [("Settings", ["keeps_stored", "hoodie.acme.adds"]), ("CopiesSettings", ["acme.keeps"])],
)
def test_a_property_is_told_however_the_class_asks_for_it(tmp_path, payload, names):
    schema = tmp_path / "rows.avsc"
    schema.write_text(json.dumps(schema_of(Settings)))
    words = ("payloads", f"{__name__}:{payload}", "--schema", str(schema), "--key", "id", "--ordering", "ts")
    text = " ".join(CliRunner().invoke(main, words).stdout.split())
    told = re.findall(r"The class reads the property `([\w.]+)`: if it is 'true'", text)
    assert sorted(told) == sorted(names)
