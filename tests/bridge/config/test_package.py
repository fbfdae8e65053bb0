"""Configuration needs no Spark."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import bridge.config

FOLDER = Path(bridge.config.__file__).parent
MODULES = [*FOLDER.glob("*.py"), FOLDER.parent / "inspect.py", FOLDER.parent / "migration" / "plan.py"]


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.name)
def test_no_module_needs_spark_or_arrow(module):
    imported = set()
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            imported.add(node.module)
    assert {name.partition(".")[0] for name in imported}.isdisjoint({"pyspark", "pyarrow", "pandas", "click", "rich"})
    assert {name for name in imported if name.startswith("bridge.")} <= {
        name
        for name in imported
        if name.startswith("bridge.config")
        or name in {"bridge.plan", "bridge.table_type", "bridge.errors", "bridge.inspect"}
    }
