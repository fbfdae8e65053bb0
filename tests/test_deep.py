from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import hypothesis
import pytest

ROOT = Path(__file__).parents[1]
DRAWS = """
from hypothesis import given, settings, strategies as st

@given(st.integers())
def test_drawn(number):
    print("drawn", number)

def test_other():
    print("drawn no example")

@settings(max_examples=settings().max_examples * 50 // 100)
@given(st.integers())
def test_half(number):
    print("half", number)
"""


@pytest.fixture
def run(tmp_path):
    (tmp_path / "test_draws.py").write_text(DRAWS)

    def deep(*words):
        plain = ["-s", "-p", "tests.conftest", "-p", "no:cacheprovider", "--rootdir", tmp_path, tmp_path]
        command = [sys.executable, "-m", "tests.deep", "--examples", "20", *words, *plain]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        (seed,) = set(re.findall(r"^to repeat: python -m tests\.deep --seed (\d+)", done.stdout, re.MULTILINE))
        return seed, re.findall(r"drawn (.*)|half (.*)", done.stdout)

    return deep


def test_examples_are_fresh_and_repeated_by_the_seed_that_is_printed(run):
    (seed, drawn), (other_seed, others) = run(), run()
    assert len(drawn) == 20 + 10
    assert (seed, drawn) != (other_seed, others)
    assert drawn != others
    assert run("--seed", seed) == (seed, drawn)


def test_every_property_test_obeys_the_profile(request):
    expected = hypothesis.settings().derandomize
    settings = {item: getattr(item.obj, "_hypothesis_internal_use_settings", None) for item in request.session.items}
    assert [item.nodeid for item, own in settings.items() if own and own.derandomize != expected] == []
