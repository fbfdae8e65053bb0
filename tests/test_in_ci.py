"""The guide's example of a pipeline: its files, its commands, and two pull requests that each of its checks fails."""

from __future__ import annotations

import importlib
import re
import shlex
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from click.testing import CliRunner

from bridge.cli import main
from tests.support.folders import GUIDE

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

PAGE = (GUIDE / "in_ci.md").read_text("utf-8")
FILES = dict(
    re.findall(r"^(?:For \w+(?: Actions)?, )?`([\w./-]+)`:\n\n```\w+\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
)
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
LAW_BROKEN, ROWS_CHANGED = (text for kind, text in BLOCKS if kind == "python" and text.startswith("    def "))
ANSWERS = [text.strip() for kind, text in BLOCKS if kind == "text"]
MERGE = FILES["merging.py"][FILES["merging.py"].index("    def merge") :]
"""The method that a pull request replaces."""


def commands(workflow: str) -> dict[str, list[str]]:
    """Return the commands of each job that are not about installation."""
    jobs = yaml.safe_load(workflow)
    if "jobs" in jobs:
        found = {name: [step["run"] for step in job["steps"] if "run" in step] for name, job in jobs["jobs"].items()}
    else:
        found = {name: job["script"] for name, job in jobs.items() if "script" in job}
    return {name: [line for line in lines if not line.startswith("pip ")] for name, lines in found.items()}


GITHUB, GITLAB = (commands(FILES[name]) for name in (".github/workflows/merging.yml", ".gitlab-ci.yml"))


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    return tmp_path


def run(command: str, module: str, *more: str) -> Any:
    """Run a command on a class in another module: Python and Spark's workers keep those that they have loaded."""
    words = shlex.split(command.replace("merging_before:", f"{module}_before:").replace("merging:", f"{module}:"))
    assert words[0] == "payload-bridge"
    return CliRunner().invoke(main, [*words[1:], *more], catch_exceptions=False)


def test_both_services_run_the_same_commands() -> None:
    assert [*GITHUB] == [*GITLAB] == ["laws", "rows"]
    assert GITHUB["laws"] == GITLAB["laws"]
    fetched, *others = GITHUB["rows"]
    assert [fetched.replace("$GITHUB_BASE_REF", "$CI_MERGE_REQUEST_TARGET_BRANCH_NAME"), *others] == GITLAB["rows"]


@pytest.mark.parametrize(("method", "module"), [(MERGE, "lawful"), (ROWS_CHANGED, "tied"), (LAW_BROKEN, "filling")])
def test_a_broken_law_fails_the_first_job(method: str, module: str, checkout: Path) -> None:
    (checkout / f"{module}.py").write_text(FILES["merging.py"].replace(MERGE, method), "utf-8")
    (command,) = GITHUB["laws"]
    result = run(command, module)
    assert result.exit_code == (method == LAW_BROKEN)
    if method == LAW_BROKEN:
        assert ANSWERS[0] in " ".join(result.stdout.split())


def test_changed_rows_fail_the_second_job(checkout: Path, monkeypatch: pytest.MonkeyPatch, spark: SparkSession) -> None:
    """A repository whose branch `main` has the merger, and a change of it: what the job gets from a service."""
    git = shutil.which("git")
    assert git is not None
    own = [git, "-c", "user.name=a", "-c", "user.email=a@b.c", "-C", str(checkout)]
    for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "A merger"]):
        subprocess.run([*own, *words], check=True)
    fetch, show, replay = GITHUB["rows"]
    monkeypatch.setenv("GITHUB_BASE_REF", "main")
    for line in (fetch.replace("origin", "."), show.replace("merging_before", "changed_before")):
        subprocess.run(["bash", "-euc", line], check=True)  # noqa: S607 (as the service does)
    (checkout / "changed.py").write_text(FILES["merging.py"].replace(MERGE, ROWS_CHANGED), "utf-8")
    for name in ("same", "same_before"):
        (checkout / f"{name}.py").write_text(FILES["merging.py"], "utf-8")
    for name in ("changed", "changed_before", "same", "same_before"):
        spark.sparkContext.addPyFile(str(checkout / f"{name}.py"))  # its workers have started without PYTHONPATH
    result = run(replay, "changed")
    assert result.exit_code == 1, result.output
    assert ANSWERS[1] in result.stdout
    assert "Rome" in result.stdout
    assert run(replay, "same", "--overwrite").exit_code == 0


def test_the_other_commands_are_right(checkout: Path) -> None:
    lines = next(text for kind, text in BLOCKS if kind == "sh").replace("\\\n", " ").splitlines()
    assert [run(line, "merging", "--dry-run").exit_code for line in lines] == [0] * len(lines)
