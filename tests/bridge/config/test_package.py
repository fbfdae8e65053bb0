"""Configuration needs no Spark."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import bridge.config

FOLDER = Path(bridge.config.__file__).parent
MIGRATION = FOLDER.parent / "migration"
MODULES = [*FOLDER.glob("*.py"), MIGRATION / "inspection.py", MIGRATION / "plan.py", MIGRATION / "steps.py"]


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.name)
def test_no_module_needs_spark_or_arrow(module):
    imported = set()
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            imported.add(node.module)
    assert {name.partition(".")[0] for name in imported}.isdisjoint({"pyspark", "pyarrow", "pandas", "click", "rich"})
