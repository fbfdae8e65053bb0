"""What the code promises as a whole: the packages that exist, their doors, and where releases are compared."""

from __future__ import annotations

import ast
import graphlib
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


MODULES = {name_of(path).removesuffix(".__init__") for path in modules()}
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


def test_a_package_is_imported_only_through_its_init() -> None:
    deep = [
        f"{name_of(path)}: {node.module}"
        for path in modules()
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module and _goes_past_a_door(name_of(path), node.module)
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
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
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


CHRONOLOGY = {
    "payloads.release": "the order of releases",
    "payloads.references": "whether a class was compiled for an older release",
    "payloads.registry": "when a class came and went",
    "bridge.config.entry": "when a key came and was deprecated",
    "bridge.migration.candidates": "a migration does not go back",
    "bridge.migration.inspection": "when a class will go",
    "bridge.migration.move": "which releases a move passes",
    "bridge.migration.rehearsal": "an upgrade begins with an earlier release",
    "bridge.programs.handover": "an older release needs a downgrade",
}
"""The modules in which it matters that one release is older than another, and why."""

IS_RELEASE = re.compile(r"(\w+_)?release|line|since|deprecated")
IS_VERSION = re.compile(r"(\w+_)?version")


def test_releases_are_compared_only_where_time_matters() -> None:
    ordering = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
    found = set()
    for path in modules():
        for node in comparisons(path):
            operands = [node.left, *node.comparators]
            by_order = any(isinstance(operator, ordering) for operator in node.ops)
            names_one = any(map(names_a_release, operands))
            if names_one or (by_order and any(IS_RELEASE.fullmatch(last_name(one)) for one in operands)):
                found.add(name_of(path))
    assert found == set(CHRONOLOGY), "ask bridge.config.capabilities, or state a by_release table"


def test_table_versions_are_compared_with_a_number_in_one_module() -> None:
    found = {
        name_of(path)
        for path in modules()
        for node in comparisons(path)
        for operands in [[node.left, *node.comparators]]
        if not any(isinstance(operator, ast.Is | ast.IsNot) for operator in node.ops)
        if any(IS_VERSION.fullmatch(last_name(one)) for one in operands) and any(map(is_a_number, operands))
    }
    assert found == {"bridge.config.capabilities"}


PROPERTY_NAMES = {
    "payloads.builtin.default": "what built-in classes read",
    "payloads.ordering_fields": "what names the ordering fields, to payloads, too",
    "mergers.strategies.fill_unavailable": "what a partial update mode reads",
    "bridge.config.keys": "all others; it takes those from there",
}
"""The modules that spell names of Hudi's properties."""

IS_PROPERTY = re.compile(r"hoodie(\.\w+){2,}\.?")


def test_names_of_properties_are_spelled_once() -> None:
    """In sentences for users they are spelled as users know them."""
    spelled = [
        (node.value, name_of(path))
        for path in modules()
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and IS_PROPERTY.fullmatch(node.value)
    ]
    assert {place for _, place in spelled} == set(PROPERTY_NAMES), "name it in bridge.config.keys"
    assert sorted(spelled) == sorted({name: (name, place) for name, place in spelled}.values())


IDENTITY = {
    "bridge.merge.answers": "a payload or merger hands back what it was given, or what it made",
    "bridge.merge.single_rows": "likewise, without a call",
    "bridge.merge.user_batches": "likewise, for a user's class",
    "bridge.merge.user_rows": "likewise",
    "bridge.engines.commit_fates": "a query sees the stored row itself, or one that a merge made of it",
    "bridge.programs.small_files": "a key is in one file group or in another",
}
"""The modules of the merge in which it matters that two objects are the same, and why."""


def test_outcomes_of_a_merge_are_values() -> None:
    layers = ("bridge.merge.", "bridge.programs.", "bridge.engines.commit_fates", "bridge.engines.python.")
    found = {
        name_of(path)
        for path in modules()
        if name_of(path).startswith(layers)
        for node in comparisons(path)
        if any(isinstance(operator, ast.Is | ast.IsNot) for operator in node.ops)
        if not any(map(is_one_of_a_kind, [node.left, *node.comparators]))
    }
    assert found == set(IDENTITY), "let the merge return an Outcome, and compare its action"


def is_one_of_a_kind(operand: ast.expr) -> bool:
    """Whether an operand is None, a truth value, the type of something, or a constant, as members of enums are."""
    is_type = isinstance(operand, ast.Call) and last_name(operand.func) == "type"
    is_constant = bool(re.fullmatch(r"_?[A-Z][A-Z_0-9]+", last_name(operand)))
    return is_type or is_constant or isinstance(operand, ast.Constant)


def comparisons(path: Path) -> list[ast.Compare]:
    return [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Compare)]


def names_a_release(operand: ast.expr) -> bool:
    """Whether an operand is, or holds, a member of `HudiRelease`."""
    return any(
        isinstance(node, ast.Attribute) and last_name(node.value) == "HudiRelease" and node.attr.startswith("V")
        for node in ast.walk(operand)
    )


def last_name(operand: ast.expr) -> str:
    if isinstance(operand, ast.Attribute):
        return operand.attr
    return operand.id if isinstance(operand, ast.Name) else ""


def is_a_number(operand: ast.expr) -> bool:
    """Whether an operand is a whole number or a constant, which then holds one."""
    is_constant = bool(re.fullmatch(r"_?[A-Z][A-Z_]+", last_name(operand)))
    return is_constant or (isinstance(operand, ast.Constant) and type(operand.value) is int)


def test_a_class_name_is_used_once() -> None:
    found: dict[str, list[str]] = {}
    for path in modules():
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(name_of(path))
    assert {name: places for name, places in found.items() if len(places) > 1} == {}
