from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import bridge

ROOT = Path(__file__).parent.parent
HEAVY = {"pyspark", "pyarrow", "pandas", "hypothesis", "click", "rich", "jinja2"}


def loaded_by(statement: str) -> set[str]:
    """Return the top-level packages that a new interpreter has loaded after `statement`."""
    program = f"{statement}\nimport json, sys\nprint(json.dumps([name.partition('.')[0] for name in sys.modules]))"
    answer = subprocess.run([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return set(json.loads(answer.stdout))


@pytest.mark.parametrize("statement", ["import payloads", "import mergers", "import payloads, mergers"])
def test_payloads_and_mergers_load_nothing_heavy(statement):
    assert loaded_by(statement) & HEAVY == set()


def test_bridge_loads_only_what_is_used():
    """Not even its own packages: `bridge.errors` and `payloads` come with the first name that needs them."""
    heavy = {*HEAVY, "numpy", "py4j", "fastavro", "payloads", "mergers"}
    assert loaded_by("import bridge") & heavy == set()
    assert loaded_by("from bridge import InputError, PayloadBridgeError") & (HEAVY - {"fastavro"}) == set()
    assert loaded_by("from bridge import MergePlan") & (HEAVY - {"pyspark"}) == set()


def test_functions_and_packages_of_one_name():
    answer = "import bridge; print(callable(bridge.explain), callable(bridge.verify), bridge.compare.__name__)"
    for before in ("", "import bridge.explain, bridge.verify;", "from bridge.cli import main;"):
        result = subprocess.run(
            [sys.executable, "-c", f"{before}import bridge.compare;{answer}"],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        assert result.stdout.split() == ["True", "True", "bridge.compare"]


def test_every_public_name_has_its_home():
    found = sorted(name for names in bridge._HOMES.values() for name in names)
    assert found == sorted(bridge.__all__)
    assert set(bridge.__all__) <= set(dir(bridge))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = bridge.nothing


def test_the_check_sees_a_heavy_import():
    assert "pyspark" in loaded_by("import payloads, pyspark")
