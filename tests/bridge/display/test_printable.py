"""What data says can't act on a terminal, a page or a file, or pass for a message of the tool."""

from __future__ import annotations

import json
import unicodedata
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from bridge.cli import main
from bridge.display import escaped, printable
from bridge.report import Report, Severity, Table

if TYPE_CHECKING:
    from pathlib import Path

ACTS = ["\x1b[2J", "\x00", "\x07", "\x08", "\x7f", "\x9b31m", "\r", "\u202e", "\u2066", "\u200f", "\u2028", "\ud800"]
"""Clears the screen, rings, deletes, colours, returns to the start of the line, turns the direction of text."""


def acts(text: str) -> list[str]:
    """Return the characters that are neither shown nor a blank, tab or line end."""
    return [one for one in text if one not in "\t\n" and unicodedata.category(one) in {"Cc", "Cf", "Cs", "Zl", "Zp"}]


@pytest.mark.parametrize("given", ACTS, ids=ascii)
def test_what_acts_is_escaped(given: str) -> None:
    assert acts(escaped(f"a{given}b")) == []
    assert acts(printable(f"a{given}b")) == (["\r"] if given == "\r" else [])


def test_what_people_write_stays() -> None:
    text = "na\u00efve \u65e5\u672c \U0001f600 e\u0301 \u05d0\u05d1 1\t2\n3"
    assert escaped(text) == printable(text) == text


@pytest.mark.parametrize("form", ["text", "markdown"])
@pytest.mark.parametrize("given", ACTS, ids=ascii)
def test_a_report_shows_what_acts(given: str, form: str) -> None:
    told = f"a{given}b"
    rows = Table(["name", told], [["x", told]], told)
    report = Report("inspect", told, {Severity.UNCHANGED}, body=[told, rows], warnings=[told])
    assert acts(report.rendered(form)) == []


@pytest.mark.parametrize("given", ACTS, ids=ascii)
def test_an_error_is_one_line_that_data_cannot_forge(given: str, tmp_path: Path) -> None:
    field = {"name": "id", "type": f"text{given}\nerror: all is well"}
    schema = tmp_path / "rows.avsc"
    schema.write_text(json.dumps({"type": "record", "name": "rows", "fields": [field]}), encoding="utf-8")
    answer = CliRunner().invoke(main, ["verify", "DefaultHoodieRecordPayload", "--schema", str(schema)])
    assert answer.exit_code == 3
    assert acts(answer.stderr) == []
    assert [line for line in answer.stderr.splitlines() if line.startswith("error:")] == [answer.stderr.strip()]
    assert "all is well" in answer.stderr
