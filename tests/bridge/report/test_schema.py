"""The JSON Schema that is generated from the types of the JSON: every verb has one, and nothing else is valid."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from bridge import Severity
from bridge.cli import main
from bridge.report import Report, envelope_schema, error_as_json
from bridge.report.envelope import FORMAT, VERBS, Envelope

DIFFERENCE = {"key": {"id": "a"}, "kind": "changed", "columns": ["ts"], "left": {"ts": 1}, "right": {"ts": 2}}


def diff(**changes: Any) -> dict[str, Any]:
    """Return the JSON of a `diff`, with some fields changed."""
    report = Report("diff", "1 key differs.", {Severity.CHANGED})
    report.statistics = {"only_left": 0, "only_right": 0, "changed": 1}
    report.results = [DIFFERENCE]
    found: dict[str, Any] = json.loads(report.as_json())
    return found | changes


def is_valid(answer: dict[str, Any]) -> bool:
    return jsonschema.Draft202012Validator(envelope_schema()).is_valid(answer)


def test_every_verb_has_types_and_every_field_of_the_envelope_is_written() -> None:
    assert set(VERBS) == set(main.commands)
    assert envelope_schema()["properties"]["format"] == {
        "enum": [FORMAT],
        "description": "the version of this envelope.",
    }
    assert list(diff()) == [name for name in Envelope.__annotations__ if name not in {"sides", "error"}]


def test_what_verbs_print_is_valid() -> None:
    assert is_valid(diff())
    assert is_valid(diff(results=[]))
    assert is_valid(json.loads(error_as_json("diff", "no such table")))
    assert is_valid(json.loads(Report("diff", "Nothing was run.", plan={"dry_run": True}).as_json()))


@pytest.mark.parametrize("law", [{"law": None}, {"law": "action", "law_by_release": {"1.2": "violated"}}])
def test_a_known_report_is_about_a_law_or_about_writes(law: dict[str, Any]) -> None:
    report = Report("demo", "So.", statistics={"paths": 2, "distinct_answers": 1, **law})
    assert is_valid(json.loads(report.as_json()))


@pytest.mark.parametrize(
    "changes",
    [
        {"format": 1},
        {"severity": "DIFFERS"},
        {"statistics": {"only_left": 0, "only_right": 0}},
        {"statistics": {"only_left": 0, "only_right": 0, "changed": -1}},
        {"statistics": {"only_left": 0, "only_right": 0, "changed": 1, "more": 1}},
        {"results": [{**DIFFERENCE, "kind": "other"}]},
        {"results": [{**DIFFERENCE, "note": None}]},
        {"sides": {"left": "old"}},
        {"more": 1},
    ],
    ids=str,
)
def test_anything_else_is_not(changes: dict[str, Any]) -> None:
    assert not is_valid(diff(**changes))


def test_descriptions_come_from_docstrings() -> None:
    found = envelope_schema()["$defs"]
    assert found["KeyDifference"]["description"] == "A key that differs, and a remark as a sentence."
    assert found["ScopeJson"]["properties"]["method"]["description"] == "how the intervals are computed."
    assert "note" in found["KeyDifference"]["required"]
    assert "method" not in found["ScopeJson"]["required"]
