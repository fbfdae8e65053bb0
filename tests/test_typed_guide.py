"""Type checkers accept the Python of README and guide: what users paste has no error in their editor."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from payloads.builtin.overridable import SPELLED
from tests.support.typed_blocks import write_modules

ROOT = Path(__file__).parents[1]
MYPY = f"""[mypy]
python_version = 3.10
mypy_path = {ROOT}
check_untyped_defs = true
follow_imports = silent
cache_dir = {ROOT}/.mypy_cache/guide
"""
PYRIGHT = {"pythonVersion": "3.10", "extraPaths": [str(ROOT)], "reportMissingModuleSource": False}
NOT_OURS = "classproperty"
"""PySpark 3.5 makes `SparkSession.builder` by a class of its own, which pyright does not follow."""


@pytest.fixture(scope="module")
def blocks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("blocks")
    assert len(write_modules(folder)) > 30
    return folder


def errors_of_mypy(folder: Path) -> list[str]:
    (folder / "mypy.ini").write_text(MYPY)
    told = subprocess.run([sys.executable, "-m", "mypy", "."], cwd=folder, capture_output=True, text=True, check=False)
    assert "checked" in told.stdout or "no issues" in told.stdout, told.stderr
    return re.findall(r"^.*: error: .*$", told.stdout, re.MULTILINE)


def errors_of_pyright(folder: Path) -> list[str]:
    (folder / "pyrightconfig.json").write_text(json.dumps(PYRIGHT))
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--outputjson"]
    told = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    found = json.loads(told.stdout)["generalDiagnostics"]
    return [
        f"{Path(one['file']).name}:{one['range']['start']['line'] + 1}: {one['message']}"
        for one in found
        if one["severity"] == "error" and NOT_OURS not in one["message"]
    ]


CHECKERS = pytest.mark.parametrize("errors_of", [errors_of_mypy, errors_of_pyright])


@CHECKERS
def test_every_block_of_the_guide_is_accepted(blocks, errors_of):
    assert errors_of(blocks) == []


@CHECKERS
def test_mistakes_are_found(tmp_path, errors_of):
    lines = ["from bridge import MergePlan, replay", "found = replay([], MergePlan(key='id', payload='A'), '1.2')"]
    wrong = ["found.verdicts", "found.differences.shows()", "replay.nothing"]
    (tmp_path / "wrong.py").write_text("\n".join([*lines, *wrong]))
    assert len(errors_of(tmp_path)) == len(wrong)


def test_the_names_of_java_are_declared():
    source = (ROOT / "payloads" / "builtin" / "base.py").read_text("utf-8")
    (declared,) = re.findall(r"    if TYPE_CHECKING:.*\n((?:        \w+: Any\n)+)", source)
    names = set(re.findall(r"\w+(?=: Any)", declared))
    assert names == {java_name for name, java_name in SPELLED.items() if name != java_name}
