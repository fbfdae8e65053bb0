"""The contributor page names every file that an addition touches: worked examples, applied to a copy."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.environment import clean_environment
from tests.support import worked_examples

if TYPE_CHECKING:
    import os
    from pathlib import Path

HEADINGS = {
    "payload": "A built-in payload",
    "payload_of_hudis": "A built-in payload",
    "merge_mode": "A merge mode or a partial update mode",
    "partial_update_mode": "A merge mode or a partial update mode",
    "node": "A node of a merge rule",
    "program": "A program",
}


def run_check(example: str, tmp_path: Path, *arguments: str) -> None:
    """Apply an example to a copy of the tree and run its check there."""
    worked_examples.copy_tree(tmp_path)
    worked_examples.apply(example, tmp_path)
    run(tmp_path, worked_examples.EXAMPLES / example / "check.py", *arguments)


def run(copy: Path, *arguments: os.PathLike[str] | str) -> None:
    environment = clean_environment(PYTHONPATH=str(copy), PYTHONDONTWRITEBYTECODE="1", PYSPARK_PYTHON=sys.executable)
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=copy,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("example", HEADINGS)
def test_an_example_touches_only_the_files_that_the_page_names(example: str, tmp_path: Path) -> None:
    worked_examples.copy_tree(tmp_path)
    touched = worked_examples.apply(example, tmp_path)
    assert worked_examples.unnamed(touched, worked_examples.named_files(HEADINGS[example])) == []


def test_the_payload_is_listed_and_merges(tmp_path: Path) -> None:
    run_check("payload", tmp_path)


def test_the_merge_mode_is_offered_and_merges(tmp_path: Path) -> None:
    run_check("merge_mode", tmp_path)


def test_the_partial_update_mode_merges(tmp_path: Path) -> None:
    run_check("partial_update_mode", tmp_path)


def test_a_payload_that_overrides_a_method_has_no_rule_of_the_class_it_extends(tmp_path: Path) -> None:
    run_check("payload_of_hudis", tmp_path)


def test_the_node_is_checked_and_merges(tmp_path: Path) -> None:
    run_check("node", tmp_path)


def test_the_program_runs_in_the_python_engine(tmp_path: Path) -> None:
    run_check("program", tmp_path)


@pytest.mark.spark
@pytest.mark.parametrize("example", ["payload", "payload_of_hudis", "merge_mode", "partial_update_mode", "node"])
def test_what_merges_is_run_or_refused_by_name_under_every_engine(example: str, tmp_path: Path) -> None:
    run_check(example, tmp_path, "spark")


@pytest.mark.long
@pytest.mark.spark
def test_the_program_runs_on_spark(tmp_path: Path) -> None:
    run_check("program", tmp_path, "spark")


@pytest.fixture
def all_examples(tmp_path: Path) -> Path:
    worked_examples.copy_tree(tmp_path)
    for example in HEADINGS:
        worked_examples.apply(example, tmp_path)
    return tmp_path


def test_layers_hold_with_all_examples(all_examples: Path) -> None:
    run(all_examples, "-c", "from importlinter.cli import lint_imports_command as lint; lint(['--no-cache'])")


def test_packages_and_public_names_hold_with_all_examples(all_examples: Path) -> None:
    tests = ("tests/test_architecture.py", "tests/test_public_api.py")
    run(all_examples, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests)


def test_an_edit_without_its_anchor_names_example_file_and_text(tmp_path: Path) -> None:
    worked_examples.copy_tree(tmp_path)
    (tmp_path / "bridge" / "programs" / "specs.py").write_text("")
    with pytest.raises(worked_examples.ExampleError, match=r"example program: bridge/programs/specs\.py contains"):
        worked_examples.apply("program", tmp_path)
