"""What the code promises as a whole: the packages that exist, their doors, and where releases are compared."""

from __future__ import annotations

import ast
import functools
import graphlib
import importlib
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


@functools.cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


MODULES = {name_of(path).removesuffix(".__init__") for path in modules()}
PACKAGES = {name_of(path).removesuffix(".__init__") for path in modules() if path.name == "__init__.py"}


def test_the_page_lists_the_packages_that_exist() -> None:
    listed = re.findall(r"^\| `([\w.]+)` \| .+\. \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted(PACKAGES)


def test_a_waiver_of_a_security_rule_says_why_it_holds() -> None:
    waived = [
        f"{name_of(path)}: {line.strip()}"
        for path in modules()
        for line in path.read_text("utf-8").splitlines()
        if re.search(r"# noqa: [^(]*\bS\d+", line) and not re.search(r"# noqa: [^(]+\(.{5,}\)$", line)
    ]
    assert waived == []


def walks() -> dict[str, list[str]]:
    """Return the steps of each walk on the page, as dotted names."""
    text = PAGE.read_text("utf-8").partition("## Five walks")[2].partition("\n## ")[0]
    parts = re.split(r"^\*\*(.+?)\*\*", text, flags=re.MULTILINE)[1:]
    return {name: re.findall(r"`(\w+(?:\.\w+)+)`", steps) for name, steps in zip(parts[::2], parts[1::2], strict=True)}


@pytest.mark.parametrize("steps", [pytest.param(steps, id=name) for name, steps in walks().items()])
def test_a_walk_passes_functions_that_exist_and_none_twice(steps: list[str]) -> None:
    assert len(steps) == len(set(steps)) > 5
    for step in steps:
        module = max((name for name in MODULES if step.startswith(f"{name}.")), key=len)
        found = importlib.import_module(module)
        for attribute in step.removeprefix(f"{module}.").split("."):
            found = getattr(found, attribute)
        assert callable(found), step


def test_there_are_five_walks() -> None:
    assert len(walks()) == 5


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_a_module_says_what_belongs_in_it_and_stays_small(path: Path) -> None:
    text, tree = path.read_text("utf-8"), tree_of(path)
    assert ast.get_docstring(tree)
    assert len(text.splitlines()) in LINES
    if path.name == "__init__.py" and path.parent.name != "bridge":  # which imports its names on demand
        assert all(isinstance(node, ast.Expr | ast.ImportFrom | ast.Assign) for node in tree.body), "only re-exports"


def test_a_package_is_imported_only_through_its_init() -> None:
    deep = [
        f"{name_of(path)}: {node.module}"
        for path in modules()
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ImportFrom) and node.module and _goes_past_a_door(name_of(path), node.module)
        # Type checkers would take a function with the name of a module for the module.
        if not {f"{node.module.rpartition('.')[0]}.{alias.name}" for alias in node.names} <= MODULES
    ]
    assert deep == []


def test_no_module_imports_one_that_imports_it() -> None:
    """Not for type checkers either: a result lies beside its report, in one module."""
    imports = {name_of(path).removesuffix(".__init__"): imported_by(path) for path in modules()}
    modules_alone = {name: found & imports.keys() - {name} for name, found in imports.items()}
    graphlib.TopologicalSorter(modules_alone).prepare()  # raises a CycleError with the circle


def imported_by(path: Path) -> set[str]:
    """Return the modules and names that a module imports anywhere in its text."""
    found = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= inner & MODULES or {node.module}
    return found


def _goes_past_a_door(importer: str, module: str) -> bool:
    package = module.rpartition(".")[0]
    is_inner = package in PACKAGES and package not in TOP and module not in PACKAGES
    return is_inner and not f"{importer}.".startswith(f"{package}.")
