"""`payload-bridge payloads CLASS --schema`: the rules of a class, found by asking it."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from bridge.cli import main
from payloads.rules import rule_from_json, rule_to_json
from tests.mergers.laws.infer.shapes import SHAPES, schema_of

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
    assert "`doc` is decided by the class alone: of {" in text


def test_the_rules_are_values_in_json(run):
    answer = json.loads(run("CountsClicks", "--output", "json").stdout)
    assert answer["statistics"]["rules"] == 3
    for entry in answer["results"]:
        assert rule_to_json(rule_from_json(entry["rule"])) == entry["rule"]
        assert (entry["decided_by_the_class"], entry["is_function"]) == ([], True)
        assert entry["pairs"] > 1_000
        assert all(line.keys() == {"label", "part", "text"} for line in entry["words"])


def test_what_is_asked_needs_a_class():
    found = CliRunner().invoke(main, ["payloads", "--schema", "missing.avsc"])
    assert found.exit_code == 2
    found = CliRunner().invoke(main, ["payloads", "--schema", __file__])
    assert (found.exit_code, found.stdout) == (2, "")
    assert "are about one class: name it" in found.stderr


def test_a_column_that_is_not_there_is_refused(run):
    found = run("Counts", "--key", "nobody")
    assert found.exit_code in {2, 3}
    assert "nobody" in found.stderr
    assert "Traceback" not in found.output
