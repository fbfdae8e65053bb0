"""The guide's example of a pipeline: its files, its commands, and pull requests that only one of its jobs fails."""

from __future__ import annotations

import dataclasses
import importlib
import json
import os
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from packaging.requirements import Requirement

from bridge import MergePlan
from bridge.cli import main
from bridge.spark import read_schema
from tests.conformance import in_process
from tests.support.folders import GUIDE

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
    """Run a command on a class in another module: Python keeps those that it has loaded."""
    words = shlex.split(command.replace("merging:", f"{module}:"))
    assert words[0] == "payload-bridge"
    return CliRunner().invoke(main, [*words[1:], *more], catch_exceptions=False)


def test_both_services_run_the_same_commands() -> None:
    assert [*GITHUB] == [*GITLAB] == ["laws", "rows"]
    assert GITHUB["laws"] == GITLAB["laws"]
    assert GITHUB["rows"][1:] == GITLAB["rows"][1:]


@pytest.mark.parametrize("file", [".github/workflows/merging.yml", ".gitlab-ci.yml"])
def test_nothing_is_installed_from_a_name_that_anyone_can_take(file: str) -> None:
    (named,) = re.findall(r'BRIDGE: "(.*)"', FILES[file])
    wanted = Requirement(named)
    assert (wanted.name, wanted.extras) == ("hudi-payload-bridge", {"java"})
    assert wanted.url is not None
    assert set(re.findall(r"pip install (.*)", FILES[file])) == {'"$BRIDGE"'}


def test_only_the_very_label_lets_rows_change() -> None:
    (pattern,) = re.findall(r"CI_MERGE_REQUEST_LABELS !~ /(.*)/", FILES[".gitlab-ci.yml"])
    labels = {"rows-change": True, "bug,rows-change,ui": True, "no-rows-change": False, "rows-changed,ui": False}
    assert {text: re.search(pattern, text) is not None for text in labels} == labels


def test_the_commands_of_the_second_job_are_right(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, after, before, _ = GITHUB["rows"]
    assert run(after.partition(">")[0], "merging", "--dry-run").exit_code == 0
    (checkout / "before").mkdir()
    monkeypatch.chdir("before")
    start, command = before.split(" && ")
    assert start == "(cd before"
    assert run(command.partition(">")[0], "merging", "--dry-run").exit_code == 0


def report_of(module: str) -> str:
    """Return a report with the snapshots that the job's `simulate` has, made without Spark."""
    batches = [[json.loads(line) for line in FILES[f"ci/batches/{n}.jsonl"].splitlines()] for n in (1, 2)]
    plan = MergePlan(merger=f"{module}:LaterEvent", release="1.2", key="id", ordering="ts")
    struct = read_schema("ci/rows.avsc", plan.release)[1]
    found = [
        {"table_type": one, "commit": commit, "snapshot": rows}
        for one in ("cow", "mor")
        for commit, rows in in_process.simulate(batches, struct, dataclasses.replace(plan, table_type=one)).items()
    ]
    return json.dumps({"results": found})


@pytest.mark.parametrize(
    ("method", "module", "laws", "rows"),
    [(MERGE, "lawful", 0, 0), (LAW_BROKEN, "off_by_one", 1, 0), (ROWS_CHANGED, "tied", 0, 1)],
    ids=["no change", "broken law", "changed rows"],
)
def test_each_change_fails_one_job(  # noqa: PLR0913, PLR0917 (a row of the table)
    method: str,
    module: str,
    laws: int,
    rows: int,
    checkout: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (checkout / f"{module}.py").write_text(FILES["merging.py"].replace(MERGE, method), "utf-8")
    (checkout / f"{module}_before.py").write_text(FILES["merging.py"], "utf-8")
    (command,) = GITHUB["laws"]
    checked = run(command, module)
    assert checked.exit_code == laws
    assert (ANSWERS[0] in " ".join(checked.stdout.split())) == laws
    (checkout / "before.json").write_text(report_of(f"{module}_before"), "utf-8")
    (checkout / "after.json").write_text(report_of(module), "utf-8")
    compare = shlex.split(GITHUB["rows"][-1])[1:]
    monkeypatch.setattr(sys, "argv", compare)
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(compare[0])
    assert ended.value.code == rows
    assert (ANSWERS[1] in capsys.readouterr().out) == rows


RULES = FILES["merging.py"].replace(
    MERGE, MERGE.replace("older.ordering_value > newer.ordering_value", "wins(older, newer)")
)
"""The merger, with its rule in a module that it imports."""


@pytest.mark.long
@pytest.mark.parametrize(("service", "exit_code"), [("GitHub", 1), ("GitLab", 0)])
def test_what_a_merger_imports_counts_and_changes_of_others_do_not(
    service: str, exit_code: int, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One branch changes a rule in another module, the other nothing, while the target changes rows."""
    rules = "def wins(older, newer):\n    return older.ordering_value {} newer.ordering_value\n"
    program = checkout.parent / f"bin of {service}" / "payload-bridge"
    program.parent.mkdir()
    program.write_text(
        f"#!{sys.executable}\nimport os, sys\nsys.path.append({str(GUIDE.parent)!r})\n"
        "os.environ['PYTHONPATH'] += os.pathsep + sys.path[-1]  # for Spark's workers\n"
        "from bridge.cli import main\nmain(prog_name='payload-bridge')\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{Path(sys.executable).parent}:{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", ".")
    own = "git -c user.name=a -c user.email=a@b.c"

    def shell(line: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["bash", "-euc", line], capture_output=True, text=True, check=False)  # noqa: S607

    def commit(name: str, text: str) -> None:
        (checkout / name).write_text(text, "utf-8")
        assert shell(f"git add . && {own} commit -qm change").returncode == 0

    assert shell("git init -qb main").returncode == 0
    (checkout / "rules.py").write_text(rules.format(">"), "utf-8")
    commit("merging.py", f"from rules import wins\n\n\n{RULES}")
    monkeypatch.setenv("CI_MERGE_REQUEST_DIFF_BASE_SHA", shell("git rev-parse HEAD").stdout.strip())
    shell("git checkout -qb change")
    commit(*(("rules.py", rules.format(">=")) if service == "GitHub" else ("notes.txt", "none")))
    shell("git checkout -q main")
    commit(
        "merging.py",
        f"from rules import wins\n\n\n{RULES}# others\n"
        if service == "GitHub"
        else FILES["merging.py"].replace(MERGE, ROWS_CHANGED),
    )
    merged = f"{own} merge -q --no-ff -m merged change" if service == "GitHub" else "git checkout -q change"
    assert shell(merged).returncode == 0
    *lines, compare = (GITHUB if service == "GitHub" else GITLAB)["rows"]
    for line in lines:
        ran = shell(line)
        assert ran.returncode == 0, ran.stderr
    ran = shell(compare)
    assert ran.returncode == exit_code, ran.stderr
    assert (ANSWERS[1] in ran.stdout) == exit_code


def test_the_other_commands_are_right(checkout: Path) -> None:
    lines = next(text for kind, text in BLOCKS if kind == "sh").replace("\\\n", " ").splitlines()
    assert [run(line, "merging", "--dry-run").exit_code for line in lines] == [0] * len(lines)
