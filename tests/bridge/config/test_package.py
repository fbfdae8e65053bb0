"""What `bridge.config` offers, and that it needs no Spark."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import bridge.config

FOLDER = Path(bridge.config.__file__).parent
MODULES = [*FOLDER.glob("*.py"), FOLDER.parent / "inspect.py", FOLDER.parent / "migration_plan.py"]

PUBLIC = [
    "ConfigEntry",
    "Conflict",
    "DeprecatedKey",
    "DeprecatedKeyWarning",
    "EffectiveMergeConfig",
    "InferredSettings",
    "MergeConfigError",
    "MergeRule",
    "MergeSettings",
    "Setting",
    "Source",
    "TableMergeConfig",
    "change_version",
    "check_writer",
    "conflicts_of",
    "created_by_sql",
    "created_properties",
    "deprecated_keys",
    "effective_config",
    "format_properties",
    "from_sql",
    "infer",
    "infer_for_creation",
    "infer_for_writes",
    "mode_of_payload",
    "parse_properties",
    "read_properties",
    "read_table",
    "settings_of",
]


def test_all_is_what_is_promised():
    assert sorted(bridge.config.__all__) == PUBLIC
    assert [name for name in PUBLIC if not hasattr(bridge.config, name)] == []


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
