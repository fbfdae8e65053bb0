"""The commands of the guide run, and print what its pages show."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bridge import MergePoint
from bridge.explain.story import POINTS_EXPLAINED
from bridge.pipeline.point_run import POINTS
from mergers.laws import RULE_SETS
from tests.support.guide_pages import BLOCK, run_page
from tests.support.toml import tomllib

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).parents[1]
GUIDE = ROOT / "migration_guide"
README = ROOT / "README.md"
PAGES = [
    *("quickstart.md", "upgrade.md", "replay.md", "explain.md", "paths.md", "migrate.md", "laws.md"),
    "write_a_merger.md",
]


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page_run_and_answer_as_it_says(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spark: SparkSession
) -> None:
    assert run_page(page, tmp_path, monkeypatch, spark)


def test_every_page_is_in_the_index() -> None:
    index = (GUIDE / "README.md").read_text(encoding="utf-8")
    pages = {page.name for page in GUIDE.glob("*.md")} - {"README.md"}
    assert {page for page in pages if f"({page})" not in index} == set()


def test_the_security_page_names_tests_that_exist() -> None:
    text = (GUIDE / "security.md").read_text("utf-8")
    named = set(re.findall(r"`(?:python -m )?(tests[/.][\w/.]+)`", text))
    assert len(named) > 8
    assert {one for one in named if not (ROOT / one if "/" in one else ROOT / one.replace(".", "/")).exists()} == set()


def test_the_list_of_merge_points_is_that_of_the_code_and_of_the_command_line() -> None:
    text = (GUIDE / "merge_points.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w-]+)` \| [^|]+ \| ([^|]+) \|", text, re.MULTILINE)
    listed = [row for row in rows if "`" in row[1]][: len(MergePoint)]
    assert [point for point, _ in listed] == [point.value for point in MergePoint]
    assert {command for _, commands in listed for command in re.findall(r"`([\w-]+)`", commands)} == set(POINTS)
    numbers = {5: "five", 6: "six", 7: "seven", 8: "eight"}
    assert f"There are {numbers[len(MergePoint)]} such merge points" in text
    for point in MergePoint:
        if point is not MergePoint.TAG:  # which only a global index has, and that is not traced
            assert point.value in POINTS_EXPLAINED


def test_the_files_that_the_contributor_page_names_exist() -> None:
    text = (GUIDE / "contributing.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:payloads|mergers|bridge|tests)/[\w./]*|pyproject\.toml)`", text))
    assert len(named) > 20
    assert {name for name in named if not (ROOT / name).exists()} == set()


def test_the_figures_are_of_commands_that_exist() -> None:
    text = (ROOT / "tests" / "FIGURES.md").read_text("utf-8")
    named = {ROOT / name.replace(".", "/") for name in re.findall(r"`(?:python -m )?(tests(?:\.\w+)+)\b", text)}
    assert len(named) > 20
    assert {at for at in named if not at.with_suffix(".py").exists() and not (at / "__main__.py").exists()} == set()


def test_the_newest_entry_of_the_changelog_is_of_the_version_of_the_project() -> None:
    newest, *_ = re.findall(r"^## (\S+)$", (GUIDE / "changelog.md").read_text("utf-8"), re.MULTILINE)
    assert newest == tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]


def test_the_example_of_the_readme_runs(capsys: pytest.CaptureFixture[str], spark: object) -> None:
    blocks = BLOCK.findall(README.read_text(encoding="utf-8"))
    (code,) = (text for kind, text in blocks if kind == "python")
    (answer,) = (text for kind, text in blocks if kind == "text")
    exec(compile(code, "README.md", "exec"), {})  # noqa: S102 (our own example)
    assert capsys.readouterr().out.strip() == answer.strip()


def test_two_versions_merge_without_spark(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = (text for kind, text in BLOCK.findall((GUIDE / "quickstart.md").read_text("utf-8")) if kind == "python")
    exec(compile(code, "quickstart.md", "exec"), {})  # noqa: S102 (our own example)
    assert capsys.readouterr().out == "Oslo\n"


def test_the_page_on_laws_has_the_equation_of_each() -> None:
    text = (GUIDE / "laws.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `([\w-]+)` \| `(.+)` \| (.+) \|$", text, re.MULTILINE)
    assert listed == [(law.id, law.equation, law.reading) for law in RULE_SETS["all"].laws]
