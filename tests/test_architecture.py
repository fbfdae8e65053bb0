"""The architecture page lists the packages that exist, and a package is imported through its door alone."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "migration_guide" / "architecture.md"
TOP = ("payloads", "mergers", "bridge")
LINES = range(1, 351)


def modules() -> list[Path]:
    return sorted(path for top in TOP for path in (ROOT / top).rglob("*.py"))


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


PACKAGES = {name_of(path).removesuffix(".__init__") for path in modules() if path.name == "__init__.py"}


def test_the_page_lists_the_packages_that_exist() -> None:
    listed = re.findall(r"^\| `([\w.]+)` \| .+\. \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted(PACKAGES)


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_a_module_says_what_belongs_in_it_and_stays_small(path: Path) -> None:
    text = path.read_text("utf-8")
    tree = ast.parse(text)
    assert ast.get_docstring(tree)
    assert len(text.splitlines()) in LINES
    if path.name == "__init__.py" and path.parent.name != "bridge":  # which imports its names on demand
        assert all(isinstance(node, ast.Expr | ast.ImportFrom | ast.Assign) for node in tree.body), "only re-exports"


def test_a_package_is_imported_through_its_door_alone() -> None:
    deep = [
        f"{name_of(path)}: {node.module}"
        for path in modules()
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module and _goes_past_a_door(name_of(path), node.module)
    ]
    assert deep == []


def _goes_past_a_door(importer: str, module: str) -> bool:
    package = module.rpartition(".")[0]
    is_inner = package in PACKAGES and package not in TOP and module not in PACKAGES
    return is_inner and not f"{importer}.".startswith(f"{package}.")
