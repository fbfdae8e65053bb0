"""Every replay question about the recorded tables, in this process, and what the runner must not let pass."""

from __future__ import annotations

import dataclasses
import shutil
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from tests.conformance import pins
from tests.conformance.__main__ import main
from tests.conformance.checks import check_replays
from tests.conformance.replay_report import ReplayReport
from tests.conformance.replays import FRESH, KEPT, READER, UPGRADED, Answer, answers, questions
from tests.support import HISTORIES

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from tests.conformance.replays import Question

KINDS = {"histories": {FRESH}, "histories-upgraded": {UPGRADED, KEPT, READER}}


@pytest.mark.parametrize("folder", KINDS)
def test_the_keys_on_which_the_real_tables_differ(folder: str) -> None:
    right = HISTORIES.parent / folder
    report = check_replays(HISTORIES, right)
    assert [f"{answer.question}: {answer.problems}" for answer in report.failures] == []
    assert (report.drops, report.notes) == ([], [])
    assert report.succeeded
    pinned = pins.read(right).counts[pins.replay_section(HISTORIES, right)]
    assert report.last_line == f"{sum(pinned.values())} passed, 0 failed, 0 optional failed"
    assert {answer.question.kind for answer in report.answers if answer.differing} == KINDS[folder]


# -- what must not pass


def bent(kind: str) -> Question:
    """Return a question whose recorded answer is wrong in one row."""
    (asked,) = questions(HISTORIES / "0.15.0", HISTORIES / "1.2.0", case="default-cow")
    *before, last = asked.right.commits
    row, *others = last.snapshot
    changed = {
        "changed": ({**row, "name": "bent"}, *others),
        "only-left": tuple(others),
        "only-right": (*last.snapshot, {**row, "id": "bent"}),
    }[kind]
    right = dataclasses.replace(asked.right, commits=(*before, dataclasses.replace(last, snapshot=changed)))
    return dataclasses.replace(asked, right=right)


@pytest.mark.parametrize("kind", ["changed", "only-left", "only-right"])
def test_a_bent_recording_is_noticed(kind: str) -> None:
    (answer,) = answers(None, [bent(kind)])
    assert f"{kind} in the real tables, replay says equal" in answer.problems[0]


def test_a_bent_recording_is_noticed_on_spark(spark: SparkSession) -> None:
    (answer,) = answers(spark, [bent("changed")])
    assert "changed in the real tables, replay says equal" in answer.problems[0]


def test_a_refusal_is_optional_unless_the_directory_is_pinned() -> None:
    asked = list(questions(HISTORIES / "0.15.0", HISTORIES / "1.2.0", case="order-by-date-cow"))
    assert [(question.commits, question.is_refused) for question in asked] == [(1, False), (2, True)]
    given = [Answer(asked[0], 0), Answer(asked[1], 0, ("not refused",))]
    report = ReplayReport(given)
    assert (report.succeeded, report.last_line) == (True, "1 passed, 0 failed, 1 optional failed")
    report = ReplayReport(given, pinned=pins.find(HISTORIES))
    assert (report.succeeded, report.last_line) == (False, "1 passed, 1 failed, 0 optional failed")
    report = ReplayReport([Answer(asked[0], 0, ("another key",))])
    assert (report.succeeded, report.last_line) == (False, "0 passed, 1 failed, 0 optional failed")


# -- the command line


def _command(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["replay", *map(str, arguments), "--engine", "process"])
    return result.exit_code, result.output


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Two pairs of tables, pinned."""
    for release in ("0.15.0", "1.2.0"):
        for name in ("dms-cow", "default-mor"):
            shutil.copytree(HISTORIES / release / name, tmp_path / release / name)
    pinned = CliRunner().invoke(main, ["pin", str(tmp_path), "--left", str(tmp_path)])
    assert pinned.exit_code == 0
    return tmp_path


def test_the_command_asks_about_every_pair(directory: Path) -> None:
    code, output = _command(directory, directory)
    assert (code, output.splitlines()[-1]) == (0, "2 passed, 0 failed, 0 optional failed")


def test_a_pair_that_is_gone_fails(directory: Path) -> None:
    shutil.rmtree(directory / "0.15.0" / "dms-cow")
    code, output = _command(directory, directory)
    assert (code, output.splitlines()[-1]) == (1, "1 passed, 0 failed, 0 optional failed")
    assert "0.15 to 1.2, fresh: 2 pinned, 1 found" in output


def test_an_empty_selection_is_refused(directory: Path) -> None:
    code, output = _command(directory, directory, "--case", "defualt")
    assert code == 2
    assert "did you mean default" in output
    code, output = _command(directory / "1.2.0", directory / "0.15.0")
    assert code == 2
    assert "has its pair below" in output
