"""`payload-bridge payloads`: the list, and the rules of a class or a merge mode in words."""

from __future__ import annotations

import inspect
import json
import re

import pytest
from click.testing import CliRunner

from bridge.cli import main
from mergers.laws.modes import MODES
from payloads import builtin_payloads
from payloads.release import ByRelease, releases
from payloads.rules import rule_from_json


def run(*words):
    return CliRunner().invoke(main, [str(word) for word in words])


def fails(result, code, *phrases):
    assert (result.exit_code, result.stdout) == (code, ""), result.output
    for phrase in phrases:
        assert phrase in result.stderr


def test_the_list_of_payloads():
    answer = json.loads(run("payloads", "--output", "json").stdout)
    by_name = {entry["name"]: entry for entry in answer["results"]}
    assert by_name["FirstValueAvroPayload"]["releases"] == ["0.15", "1.0"]
    old_name = {"org.apache.hudi.payload.AWSDmsAvroPayload": [str(release) for release in releases(until="1.0")]}
    assert by_name["AWSDmsAvroPayload"]["aliases"] == old_name
    only = json.loads(run("payloads", "--release", "1.2", "--output", "json").stdout)["results"]
    assert "FirstValueAvroPayload" not in {entry["name"] for entry in only}
    assert max(map(len, run("payloads").stdout.splitlines())) <= 80


@pytest.mark.parametrize(
    "name", ["DefaultHoodieRecordPayload", "com.uber.hoodie.common.model.DefaultHoodieRecordPayload"]
)
def test_the_rules_of_a_payload(name):
    (entry,) = json.loads(run("payloads", name, "--output", "json").stdout)["results"]
    of_rows = [rule for rule in entry["rules"] if rule["points"] == ["stored"]]
    assert [rule["releases"] for rule in of_rows][-2:] == [["1.1"], ["1.2"]]
    for rule in entry["rules"]:
        assert rule_from_json(rule["rule"]).cases
        assert all(line.keys() == {"label", "part", "text"} for line in rule["words"])
    newest = next(change for change in entry["changes"] if change["from"] == "1.2")
    assert [[line["text"] for line in newest[side]] for side in ("came", "gone")] == [
        ["if the stored row wins, the stored row is left as it is (SENTINEL)"],
        ["if the stored row wins, the stored row stays"],
    ]
    assert {setting["releases"][0] for setting in entry["settings"] if "delete.field" in setting["setting"]} == {"0.14"}
    assert entry["source"].rpartition(":")[0].endswith("default.py")
    assert entry["doc"].startswith("Keep the version")
    text = run("payloads", name).stdout
    assert "rule in Hudi 1.2" in text
    assert "until 1.1 step 3 if the stored row wins, the stored row stays" in " ".join(text.split())
    assert "rule in Hudi 0.13" in run("payloads", name, "--release", "0.13").stdout


@pytest.mark.parametrize(
    "name",
    [*(one.java_name for one in builtin_payloads()), *MODES],
    ids=lambda name: name.rpartition(".")[2],
)
def test_what_is_shown_of_a_class_fits_a_terminal_and_names_nothing_internal(name):
    text = run("payloads", name).stdout
    assert max(map(len, text.splitlines())) <= 80
    assert "rule in " in text or "It states no rule" in text
    found = [one for one in builtin_payloads() if one.java_name == name]
    internal = {name for one in found for name in dir(one) if isinstance(inspect.getattr_static(one, name), ByRelease)}
    assert not {name for name in internal if re.search(rf"\b{name}\b", text)}


def test_merge_modes_have_rules_in_the_releases_that_have_them():
    (entry,) = json.loads(run("payloads", "EVENT_TIME_ORDERING/IGNORE_DEFAULTS", "--output", "json").stdout)["results"]
    assert entry["releases"] == ["1.1", "1.2"]
    assert {point for rule in entry["rules"] for point in rule["points"]} == {"batch", "stored", "entry"}
    assert "1.0 to 1.2" in run("payloads", "COMMIT_TIME_ORDERING").stdout
    fails(run("payloads", "COMMIT_TIME_ORDERING", "--release", "0.15"), 2, "has no merge mode", "1.0 to 1.2")
    fails(run("payloads", "CUSTOM"), 2, "unknown payload")


def test_a_payload_of_an_old_release_and_one_of_a_user():
    assert "FirstValueAvroPayload" in run("payloads", "FirstValueAvroPayload").stdout
    (entry,) = json.loads(run("payloads", "tests.support.user_payloads:Newest", "--output", "json").stdout)["results"]
    assert entry["doc"].startswith("The later version wins")
    assert entry["rules"] == []
    assert "It states no rule, so in every release its methods are called" in re.sub(
        r"\s+", " ", run("payloads", "tests.support.user_payloads:Newest").stdout
    )
    assert "user_payloads.py:" in entry["source"]


def test_a_patch_that_was_not_compared_is_told_in_the_report():
    said = "the rules are those of Hudi 1.2.0; 1.2.1 was not compared"
    answer = run("payloads", "DefaultHoodieRecordPayload", "--release", "1.2.1", "--output", "json")
    assert json.loads(answer.stdout)["warnings"] == [said]
    shown = run("payloads", "DefaultHoodieRecordPayload", "--release", "1.2.1")
    assert shown.stderr == f"warning: {said}\n"
    assert run("payloads", "DefaultHoodieRecordPayload", "--release", "1.2.0").stderr == ""
    fails(run("payloads", "DefaultHoodieRecordPayload", "--release", "1.2.x"), 2, "unknown Hudi release '1.2.x'")


def test_an_unknown_payload():
    fails(run("payloads", "EventTimePayload"), 2, "did you mean EventTimeAvroPayload")
    fails(run("payloads", "FirstValueAvroPayload", "--release", "1.2"), 2, "was removed after 1.0")


def test_the_rule_that_a_users_class_states_is_told():
    (entry,) = json.loads(run("payloads", "tests.support.rule_classes:Visits", "--output", "json").stdout)["results"]
    assert [rule["points"] for rule in entry["rules"]] == [["batch", "stored"], ["alone"]]
    assert "the sum of both values; if one is null, the other" in {line["text"] for line in entry["rules"][0]["words"]}
