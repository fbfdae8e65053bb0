"""The severity of a result: one value, from which word, mark, colour, exit code and JUnit follow in every form."""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

import bridge
from bridge import Batches, HeldCompaction, HistoryReplay, RebuiltCommits, ReplayReport, Scope, Severity
from bridge.display import file_text
from bridge.report import FAILS, REPORTS, STRICT, Check, Report, as_notebook, error_as_json
from bridge.report.files import as_junit
from bridge.report.page import as_html
from bridge.report.result import Judged

GUIDE = Path(__file__).parents[3] / "migration_guide"
CODES = {
    Severity.UNCHANGED: 0,
    Severity.NOT_CHECKED: 3,
    Severity.CHANGED: 1,
    Severity.REFUSED: 1,
    Severity.DAMAGED: 1,
}
COLOURS = {"green": 32, "cyan": 36, "yellow": 33, "red": 31}


@pytest.mark.parametrize("severity", Severity)
def test_every_form_says_the_same(severity: Severity) -> None:
    report = Report("any", "So it is.", {severity}, STRICT)
    headline = f"{severity.mark} {severity.value}"
    coloured = f"\x1b[1;{COLOURS[severity.colour]}m"
    assert report.as_text(80).splitlines()[:2] == [headline, "So it is."]
    assert report.as_text(80, colours=True).count(coloured) == 2
    assert report.as_markdown().splitlines()[0] == f"# any: {headline}"
    answer = json.loads(report.as_json())
    assert (answer["severity"], answer["success"]) == (severity.value, CODES[severity] == 0)
    assert report.exit_code == CODES[severity]
    for html in (as_html(report), as_notebook(report)):
        assert f'class="verdict s-{severity.value.replace(" ", "-")}"' in html
        assert headline in html
    (suite,) = ET.fromstring(as_junit(report))  # noqa: S314 (our own)
    (case,) = suite.findall("testcase")
    assert [child.tag for child in case] == {0: [], 1: ["failure"], 3: ["error"]}[CODES[severity]]


@pytest.mark.parametrize(
    ("verb", "unchanged", "changed"),
    [
        ("verify", "holds", "violated"),
        ("diff", "equal", "different"),
        ("simulate", "independent of the path", "depends on the path"),
        ("replay", "unchanged", "changed"),
    ],
)
def test_the_word_is_that_of_what_a_verb_checks(verb: str, unchanged: str, changed: str) -> None:
    for severity, word in ((Severity.UNCHANGED, unchanged), (Severity.CHANGED, changed)):
        report = Report(verb, "So it is.", {severity})
        for text in (report.as_text(80), report.as_markdown(), as_html(report), as_notebook(report)):
            assert f"{severity.mark} {word}" in text


def test_only_unchanged_is_green() -> None:
    assert [one for one in Severity if one.colour == "green"] == [Severity.UNCHANGED]
    style = file_text("parts.css")
    assert re.findall(r"\.s-([\w-]+) \{ --s: var\(--good\)", style) == ["unchanged"]
    assert {one.style for one in Severity} == set(re.findall(r"\.s-([\w-]+)", style))


def test_where_nothing_is_judged_nothing_is_green() -> None:
    report = Report("any", "2 rows.")
    assert report.as_text(80).splitlines()[0] == "2 rows."
    assert "\x1b[1;32m" not in report.as_text(80, colours=True)
    assert (json.loads(report.as_json())["severity"], report.exit_code) == (None, 0)
    assert 'class="verdict"' in as_html(report)


@pytest.mark.parametrize(
    ("found", "fails", "headline", "code"),
    [
        ({Severity.CHANGED, Severity.NOT_CHECKED}, FAILS, "\u2260 changed, not checked in part", 1),
        ({Severity.CHANGED, Severity.NOT_CHECKED}, REPORTS, "\u2260 changed, not checked in part", 0),
        ({Severity.UNCHANGED, Severity.NOT_CHECKED}, FAILS, "? not checked", 0),
        ({Severity.UNCHANGED, Severity.NOT_CHECKED}, STRICT, "? not checked", 3),
        ({Severity.CHANGED, Severity.NOT_CHECKED}, {Severity.DAMAGED, Severity.NOT_CHECKED}, "\u2260 changed,", 3),
        ({Severity.CHANGED}, {Severity.DAMAGED, Severity.NOT_CHECKED}, "\u2260 changed", 0),
        (set(Severity), STRICT, "! damaged, not checked in part", 1),
    ],
)
def test_the_worst_leads_and_what_was_not_looked_at_is_said(
    found: set[Severity], fails: set[Severity], headline: str, code: int
) -> None:
    report = Report("any", "So it is.", found, fails)
    assert report.headline.startswith(headline)
    assert report.exit_code == code
    assert json.loads(report.as_json())["not_checked"] == (Severity.NOT_CHECKED in found)


@pytest.mark.parametrize(
    ("share", "aside", "unlike", "compacted", "is_whole"),
    [
        (None, 0, 0, 4, True),
        (1.0, 0, 0, 4, True),
        (0.01, 0, 0, 4, False),  # other keys may differ
        (None, 2, 0, 4, False),  # which no side can merge, or one
        (None, 0, 3, 4, False),  # what decides about them is lost
        (None, 0, 0, 1, False),  # a replay compacts the other file groups, too
    ],
)
def test_keys_that_were_not_compared_are_never_green(
    share: float | None, aside: int, unlike: int, compacted: int, *, is_whole: bool
) -> None:
    batches = Batches(["1"], [], scope=None if share is None else Scope(keys_sample=share))
    unused: Any = None
    report = ReplayReport(batches, unused, unused, unused, quarantined={"left": aside, "right": aside})
    rebuilt = RebuiltCommits(batches, (HeldCompaction("7", 1, compacted, 4),), lambda: None)
    found = HistoryReplay(report, unused, rebuilt, 9, unlike)
    assert found.severity is (Severity.UNCHANGED if is_whole else Severity.NOT_CHECKED)
    assert found.success


def test_a_check_that_was_not_made_is_skipped_and_not_passed() -> None:
    checks = [Check("one"), Check("other", Severity.NOT_CHECKED, "not installed")]
    (suite,) = ET.fromstring(as_junit(Report("any", "So.", {Severity.UNCHANGED}, checks=checks)))  # noqa: S314
    assert [suite.get(name) for name in ("tests", "failures", "errors", "skipped")] == ["2", "0", "0", "1"]


@pytest.mark.parametrize("checks", [[], [Check("one"), Check("other", Severity.CHANGED, "differs")]])
@pytest.mark.parametrize(
    ("found", "fails"),
    [
        ({Severity.CHANGED, Severity.NOT_CHECKED}, {Severity.DAMAGED, Severity.NOT_CHECKED}),
        ({Severity.CHANGED, Severity.DAMAGED}, FAILS - {Severity.DAMAGED}),
        ({Severity.UNCHANGED, Severity.REFUSED}, {Severity.REFUSED}),
    ],
)
def test_a_verb_that_fails_is_never_green_for_a_build_server(
    found: set[Severity], fails: set[Severity], checks: list[Check]
) -> None:
    report = Report("any", "So.", found, fails, checks=checks)
    (suite,) = ET.fromstring(as_junit(report))  # noqa: S314 (our own)
    assert report.exit_code != 0
    assert int(suite.get("failures", 0)) + int(suite.get("errors", 0)) == 1


def test_the_scenario_stands_beside_the_word() -> None:
    report = Report("any", "So.", {Severity.CHANGED}, scenario="from the first batch on")
    assert report.as_text(80).splitlines()[0] == "\u2260 changed: from the first batch on"
    assert "from the first batch on" in as_html(report)
    assert json.loads(report.as_json())["scenario"] == "from the first batch on"


def test_a_run_that_failed_has_checked_nothing() -> None:
    answer = json.loads(error_as_json("replay", "no such table"))
    assert (answer["severity"], answer["success"], answer["error"]) == ("not checked", False, "no such table")


def test_results_do_not_decide_for_themselves() -> None:
    """Verbs take word, mark, colour and exit code from `Severity`: no result with a verdict on rows has its own."""
    modules = [importlib.import_module(one.name) for one in pkgutil.walk_packages(bridge.__path__, "bridge.")]
    results = {one for module in modules for one in vars(module).values() if isinstance(one, type)}
    judged = {one.__name__ for one in results if issubclass(one, Judged) and one is not Judged}
    assert judged >= {"DiffReport", "ExplainReport", "FleetReport", "HistoryReplay", "Inspection", "MigrateReport"}
    assert judged >= {"MigrationPlan", "PathsReport", "ReadersReport", "RehearsalReport", "ReplayReport", "TableRow"}
    assert {one.__name__ for one in results if hasattr(one, "success") and not issubclass(one, Judged)} <= {
        "AppliedPlan",  # what a script did to a copy
        "Report",
        "SimulateReport",  # which judges nothing
    }


def test_the_guide_has_each_with_mark_and_exit_code() -> None:
    text = (GUIDE / "results.md").read_text("utf-8")
    found = re.findall(r"^\| `([a-z ]+)` \| (\S) \| (\d) \|", text, re.MULTILINE)
    assert found == [(one.value, one.mark, str(one.exit_code)) for one in Severity]
