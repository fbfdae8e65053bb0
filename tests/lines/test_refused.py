"""Which errors the plugin counts as the refusal of what a line of PySpark lacks."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from tests.environment import clean_environment
from tests.support.folders import ROOT

if TYPE_CHECKING:
    from pathlib import Path

_ON_3_3 = """
import sys
import pyspark
pyspark.__version__ = "3.3.4"
import pytest
sys.exit(pytest.main(["-q", "-p", "tests.lines.refused", "-p", "no:cacheprovider", "-rfx", "--tb=no", sys.argv[1]]))
"""
_TESTS = """
import pytest

from bridge import PlanError
from bridge.engines.native.lowering import REFUSALS

SENTENCE = next(one.sentence for one in REFUSALS if one.name == "line")


def test_refused():
    raise PlanError(SENTENCE)


def test_raised_from_it():
    try:
        raise PlanError(SENTENCE)
    except PlanError as refusal:
        raise RuntimeError("a task failed") from refusal


def test_while_handling_it():
    try:
        raise PlanError(SENTENCE)
    except PlanError:
        assert {"rows": 1} == {"rows": 2}


def test_other_words():
    with pytest.raises(PlanError, match="names the payload"):
        raise PlanError(SENTENCE)


def test_not_of_this_project():
    raise RuntimeError(SENTENCE)
"""


def test_only_the_refusal_and_what_is_raised_from_it_are_expected(tmp_path: Path) -> None:
    own = tmp_path / "test_on_a_line.py"
    own.write_text(_TESTS)
    words = (sys.executable, "-c", _ON_3_3, own)
    environment = clean_environment(PYTHONPATH=str(ROOT))
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    outcomes = {
        line.split("::")[1].split()[0]: line.split()[0]
        for line in done.stdout.splitlines()
        if line.startswith(("FAILED", "XFAIL"))
    }
    assert outcomes == {
        "test_refused": "XFAIL",
        "test_raised_from_it": "XFAIL",
        "test_while_handling_it": "FAILED",
        "test_other_words": "FAILED",
        "test_not_of_this_project": "FAILED",
    }, done.stdout + done.stderr
