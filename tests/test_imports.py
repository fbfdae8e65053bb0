from __future__ import annotations

import importlib.metadata
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import bridge
from bridge.spark.cluster import IMPORTS, PACKAGES

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


# -- executors

SENDS = re.compile(r"\b(map_in_arrow|mapInPandas|applyIn\w+|foreach\w*|mapPartitions\w*|sf\.udf|pandas_udf)\(")
WITH_SPARK = {"pyspark", "py4j", "six", "pytz", "dateutil", "tzdata"}
"""What PySpark and pandas bring."""
BLOCK = """
import importlib.abc, sys
class Block(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked!r}:
            raise ImportError(name)
sys.meta_path.insert(0, Block())
"""


def top_level(distribution):
    """Yield what a distribution adds to the import path (`packages_distributions` of Python 3.10 misses some)."""
    for file in distribution.files or ():
        if file.suffix in {".py", ".so"}:
            yield file.parts[0].partition(".")[0]


def on_executor(program, data=b""):
    """Run a program in an interpreter that has what executors need, and no other third-party package."""
    has = {*PACKAGES, *WITH_SPARK, "bridge", "mergers", "payloads"}
    blocked = sorted({name for one in importlib.metadata.distributions() for name in top_level(one)} - has)
    before = "import distutils.version" if "distutils" in IMPORTS else ""  # setuptools, which has it, needs others
    command = [sys.executable, "-c", before + BLOCK.format(blocked=blocked) + program]
    return subprocess.run(command, cwd=ROOT, input=data, capture_output=True, check=False)


def senders():
    """Return the modules that give a function to Spark."""
    files = (path for package in ("bridge", "mergers", "payloads") for path in (ROOT / package).rglob("*.py"))
    found = [path.relative_to(ROOT).with_suffix("") for path in files if SENDS.search(path.read_text())]
    return sorted(".".join(path.parts) for path in found)


def test_functions_that_executors_import_load_only_what_these_have():
    """A function travels as the name of its module, which the module that sends it imports, too."""
    found = senders()
    assert {"bridge.hudi.table", "bridge.write.slice_merge", "bridge.engines.python.engine"} <= set(found)
    program = f"""
import importlib
for name in {found!r}:
    try:
        importlib.import_module(name)
    except ImportError as error:
        print(name, "loads", error)
"""
    assert on_executor(program).stdout == b""


def test_a_package_that_executors_lack_is_seen():
    assert b"ImportError: rich" in on_executor("import bridge.report.terminal").stderr
    assert b"ImportError: sqlglot" in on_executor("import bridge.hudi.predicates").stderr
