"""The page "Your table": every command of it runs on a recorded table, and answers as the page says."""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from bridge.cli import main
from bridge.hudi import TableQueries
from tests.conformance.tables import load
from tests.support.folders import GUIDE
from tests.support.guide_pages import BLOCK

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

PAGE = (GUIDE / "your_table.md").read_text("utf-8")
ROW = {"id": "k002", "part": "p0", "_change_operation_type": "u", "_event_lsn": 99}


def commands() -> list[tuple[str, str]]:
    """Return each command of the page, and the text that follows it."""
    found: list[tuple[str, str]] = []
    for kind, text in BLOCK.findall(PAGE):
        if kind == "console":
            found += [(line.removeprefix("$ payload-bridge "), "") for line in text.splitlines()]
        elif kind == "text":
            found[-1] = found[-1][0], text.strip()
    return found


@pytest.fixture
def here(tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    table = next(load(tables, release="0.15.0", case="mor-plain-postgres")).folder / "table"
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "trips").symlink_to(table)
    (tmp_path / "tomorrow").mkdir()
    (tmp_path / "tomorrow" / "1.json").write_text(json.dumps(ROW))
    return tmp_path


def test_five_commands_lead_to_the_rows() -> None:
    assert [command.split()[0] for command, answer in commands() if answer] == [
        "inspect",
        "plan",
        "compare-readers",
        "replay",
        "explain",
    ]


def test_the_commands_of_the_page_run(here: Path, spark: SparkSession) -> None:
    latest = str(TableQueries(str(here / "data" / "trips")).timeline.latest)
    for command, answer in commands():
        words = shlex.split(re.sub(r"\b20240102030405678\b", latest, command))
        given = [re.sub(r"^(s3a://warehouse|/data)(?=/|$)", str(here / "data"), word) for word in words]
        result = CliRunner().invoke(main, given)
        assert result.exit_code in {0, 1}, (command, result.output)
        assert answer in " ".join(result.stdout.split()), (command, result.stdout)
    assert spark.read.parquet(str(here / "changed-rows")).count() == 30
    assert spark.read.parquet(str(here / "trips-now")).count() == 44  # one less than under 0.15
