"""Reports: the verdict first in every form, and data that looks like markup stays data."""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner

from bridge.cli import main
from bridge.cli.version import origin_of
from bridge.errors import InputError
from bridge.report.files import as_junit, write_report
from bridge.report.page import as_html
from bridge.report.report import Check, NextStep, Report
from bridge.report.severity import Severity
from bridge.report.table import Table
from bridge.spark import place_of

if TYPE_CHECKING:
    from pathlib import Path

NASTY = "<b>&amp;|*x* \\ \x1b[31m\x00\nnext"


@pytest.fixture
def report() -> Report:
    table = Table.of_rows(("name", "number"), [{"name": NASTY, "number": 7}], "What differs")
    checks = [Check("first batch"), Check(f"second {NASTY}", Severity.CHANGED, "1 key differs", f"id={NASTY}")]
    changed = {Severity.CHANGED}
    return Report("any", "1 key differs.", changed, warnings=["cut"], body=["Before.", table], checks=checks)


def test_the_verdict_comes_first_and_programs_get_all_fields(report: Report) -> None:
    assert report.as_text(80).splitlines()[:2] == ["\u2260 changed", "1 key differs."]
    assert report.as_markdown().splitlines()[2] == "**1 key differs.**"
    assert json.loads(report.as_json())["warnings"] == ["cut"]
    page = as_html(report)
    assert page.index("1 key differs.") < page.index("Before.") < page.index("What differs")


def test_several_lines_stay_lines_in_markdown() -> None:
    text = "a = 1\n```\n* b"
    assert Report("verify", "So.", body=[text]).as_markdown().endswith(f"\n\n````text\n{text}\n````")


def test_a_terminal_gets_no_control_characters(report: Report) -> None:
    text = report.as_text(80)
    assert "\x1b" not in text
    assert "\x00" not in text
    assert "\\x1b[31m\\x00" in text


@pytest.mark.parametrize("width", [80, 120])
def test_text_keeps_to_the_width(report: Report, width: int) -> None:
    columns = [f"column_{number}" for number in range(12)]
    report.body.append(Table.of_rows(columns, [dict.fromkeys(columns, "value " * 30)]))
    assert max(map(len, report.as_text(width).splitlines())) <= width


def test_a_few_wide_rows_stand_side_by_side() -> None:
    columns = ["row", *(f"column_{number}" for number in range(12))]
    rows = [["left", *["x"] * 12], ["right", *["y"] * 12]]
    lines = Report("replay", "So.", body=[Table(columns, rows)]).as_text(80).splitlines()
    assert lines[2].split() == ["row", "left", "right"]
    assert lines[4].split() == ["column_0", "x", "y"]


def test_long_text_wraps_between_words_and_short_values_stay_whole() -> None:
    columns = ["where", "mode", "reason", "note"]
    rows = [[f"point {number}", "EVENT_TIME_ORDERING", "the table says so " * 8, ""] for number in range(3)]
    lines = Report("plan", "So.", body=[Table(columns, rows)]).as_text(80).splitlines()
    assert lines[2].split() == ["where", "mode", "reason"]  # a column without a value is left out
    assert sum(line.startswith("point") for line in lines) == 3
    assert sum("EVENT_TIME_ORDERING" in line for line in lines) == 3
    assert " ".join(" ".join(lines).split()).count("the table") == 24


def test_long_words_break_after_a_dot_and_the_like() -> None:
    setting = "hoodie.datasource.write.payload.class=org.apache.hudi.common.model.DefaultHoodieRecordPayload"
    rows = [[setting, f"/warehouse/{'orders/' * 20}", "x" * 90]]
    lines = Report("plan", "So.", body=[Table(["setting", "path", "text"], rows)]).as_text(80).splitlines()
    assert max(map(len, lines)) <= 80
    assert not any(line.startswith("--") for line in lines)
    first = [line.split()[0] for line in lines[4:6]]
    assert first == ["hoodie.datasource.", "write.payload.class="]


def test_rows_of_too_many_columns_become_lists() -> None:
    columns = [f"column_{number}" for number in range(9)]
    text = Report("plan", "So.", body=[Table(columns, [["x" * 20] * 9, ["y" * 20] * 9] * 2)]).as_text(80)
    assert "-- 2 of 4" in text


def test_colours_mark_the_verdict_and_what_changed_and_nothing_else(report: Report) -> None:
    report.body = [Table(("row", "city"), [("left", "Oslo"), ("right", "Rome")], marks=frozenset({(1, 1)}))]
    plain, coloured = report.as_text(80), report.as_text(80, colours=True)
    assert "\x1b" not in plain
    assert re.findall("\x1b\\[1;3[0-9]m([^\x1b]+)\x1b\\[0m", coloured) == ["\u2260 changed", "1 key differs.", "Rome"]
    assert re.sub("\x1b\\[[0-9;]*m", "", coloured) == plain
    wide = Table(("row", "city"), [("left", "Oslo"), ("right", "x" * 70)], marks=frozenset({(1, 1)}))
    report.body = [wide]
    assert re.search("\x1b\\[1;33mx+\x1b", report.as_text(60, colours=True))


def test_data_is_not_markup(report: Report) -> None:
    assert "&lt;b&gt;&amp;amp;|*x* \\ \ufffd[31m\ufffd\nnext</span></td>" in as_html(report).replace("<wbr>", "")
    (line,) = (line for line in report.as_markdown().splitlines() if line.endswith("| 7 |"))
    assert line.startswith("| &lt;b>&amp;amp;\\|\\*x\\* \\\\ ")
    assert line.count("|") == 4
    assert "<br>next" in line


def test_json_has_no_character_that_a_terminal_acts_on_and_reads_back_the_same() -> None:
    text = "a\x1b[31m\x7f\x9b2J\u202eb\ud800 \u00e9\n"
    shown = Report("any", text, results=[{text: text}]).as_json()
    assert not set(shown) & set("\x1b\x7f\x9b\u202e\ud800")
    assert "\u00e9" in shown
    answer = json.loads(shown)
    assert (answer["verdict"], answer["results"]) == (text, [{text: text}])


def test_a_build_server_gets_a_test_case_a_check(report: Report) -> None:
    (suite,) = ET.fromstring(as_junit(report))  # noqa: S314 (our own)
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    failures = [case.find("failure") for case in suite.findall("testcase")]
    assert failures[0] is None
    assert failures[1] is not None
    assert failures[1].get("message") == "1 key differs"
    assert str(failures[1].text).startswith("id=<b>&amp;|")


def test_a_report_without_checks_is_one_test_case() -> None:
    for severity, failures in ((Severity.UNCHANGED, "0"), (Severity.CHANGED, "1")):
        (suite,) = ET.fromstring(as_junit(Report("plan", "So it is.", {severity})))  # noqa: S314 (our own)
        assert (suite.get("tests"), suite.get("failures")) == ("1", failures)


def test_a_report_takes_the_place_of_an_older_one_or_leaves_it(report: Report, tmp_path: Path) -> None:
    path = tmp_path / "answer.HTML"
    path.write_text("older")
    write_report(report, place_of(path))
    assert path.read_text().startswith("<!DOCTYPE html>")
    folder = tmp_path / "taken.md"
    folder.mkdir()
    with pytest.raises(InputError, match="name another file"):
        write_report(report, place_of(folder))
    assert sorted(one.name for one in tmp_path.iterdir()) == ["answer.HTML", "taken.md"]


@pytest.mark.parametrize("suffix", ["json", "html", "xml", "md"])
def test_every_verb_writes_a_report(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"answer.{suffix}"
    result = CliRunner().invoke(main, ["payloads", "--report", str(path)])
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0] in path.read_text()


@pytest.mark.parametrize(("name", "phrase"), [("answer.pdf", "ends in .html"), ("no/answer.md", "an existing folder")])
def test_a_report_that_cannot_be_written_stops_the_verb_first(tmp_path: Path, name: str, phrase: str) -> None:
    result = CliRunner().invoke(main, ["payloads", "--report", str(tmp_path / name)])
    assert (result.exit_code, result.stdout) == (2, "")
    assert phrase in result.stderr


def test_a_command_to_run_next_can_be_pasted():
    command = "payload-bridge replay --table 'my lake/orders' --to 1.2 --payload com.acme.OrderPayload --jar acme.jar"
    report = Report("plan", "One row changes.", {Severity.CHANGED}, next=[NextStep(command, "which rows change")])
    text = report.as_text(80)
    assert all(len(line) <= 80 for line in text.splitlines())
    pasted = text.partition("# which rows change\n")[2]
    assert shlex.split(pasted.replace("\\\n", "")) == shlex.split(command)  # as a shell joins lines
    assert pasted.splitlines()[0].endswith(" \\")
    assert f"```sh\n# which rows change\n{pasted}" in report.as_markdown()
    assert str(report.next[0]) == f"{command}: which rows change"


def test_a_page_says_what_made_it_without_secrets_and_redacted_values(tmp_path: Path) -> None:
    words = ["inspect", str(tmp_path / "hoodie.properties"), "--prop", "fs.s3a.secret.key=hunter2 x"]
    (tmp_path / "hoodie.properties").write_text("hoodie.table.name=t\nhoodie.table.version=6\n")
    for name in ("a.html", "a.md"):
        CliRunner().invoke(main, [*words, "--report", str(tmp_path / name)], catch_exceptions=False)
        text = (tmp_path / name).read_text("utf-8").replace("&#39;", "'")
        assert re.search(r"payload-bridge \d+\.\d+\.\d+, \d{4}-\d\d-\d\d \d\d:\d\d UTC: payload-bridge inspect /", text)
        assert "hunter2" not in text
    CliRunner().invoke(main, [*words, "--redact", "city", "--report", str(tmp_path / "b.html")])
    text = (tmp_path / "b.html").read_text("utf-8")
    assert (" UTC</p>" in text, "UTC: payload-bridge" in text) == (True, False)


@pytest.mark.parametrize(
    "word",
    [
        "s3a://me:sesame@bucket/days",
        "https://host/days?sig=sesame&se=1",
        "hoodie.password=sesame",
        "--conf=spark.hadoop.fs.s3a.secret.key=sesame",
        "--table=https://host/days?sig=sesame",
    ],
)
def test_the_command_line_of_a_page_has_no_secret(word):
    told = origin_of(["replay", word])
    assert "sesame" not in told
    assert "***" in told


def test_a_setting_that_is_too_long_for_a_line_is_not_broken() -> None:
    setting = f"    hoodie.datasource.write.payload.class=org.apache.hudi.common.model.{'X' * 60}"
    text = Report("plan", "So.", body=[f"- {'pass these options ' * 6}\n{setting}"]).as_text(80)
    assert setting in text.splitlines()
    assert max(len(line) for line in text.splitlines() if line != setting) <= 80
