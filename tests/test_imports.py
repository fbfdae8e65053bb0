from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
HEAVY = {"pyspark", "pyarrow", "pandas", "hypothesis", "click", "rich"}


def loaded_by(statement: str) -> set[str]:
    """Return the top-level packages that a new interpreter has loaded after `statement`."""
    program = f"{statement}\nimport json, sys\nprint(json.dumps([name.partition('.')[0] for name in sys.modules]))"
    answer = subprocess.run([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return set(json.loads(answer.stdout))


@pytest.mark.parametrize("statement", ["import payloads", "import mergers", "import payloads, mergers"])
def test_payloads_and_mergers_load_nothing_heavy(statement):
    assert loaded_by(statement) & HEAVY == set()


def test_the_check_sees_a_heavy_import():
    assert "pyspark" in loaded_by("import payloads, pyspark")
