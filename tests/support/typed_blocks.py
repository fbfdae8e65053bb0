"""The Python of the guide as modules for type checkers: each block with the names that its page takes as given."""

from __future__ import annotations

import ast
import builtins
import json
import re
from typing import TYPE_CHECKING, Final

import bridge
import mergers
import payloads
from tests.support.folders import GUIDE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FENCE: Final = re.compile(r"^```(?:py|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_WITHOUT: Final = {"flink"}
"""Pages whose blocks need what the tests don't install: PyFlink, without which its types are unknown."""

GIVEN: Final = """\
import bridge as bridge
from pyspark.sql import DataFrame
from pyspark.sql import SparkSession as SparkSession

from bridge import MergePlan
from payloads.avro import AvroSchema

spark: SparkSession
feed: DataFrame
first: DataFrame
frame: DataFrame
incoming: DataFrame
source: DataFrame
stored: DataFrame
stream: DataFrame
plan: MergePlan
table: str
folder: str
SCHEMA: AvroSchema

class MyPayload: ...

def put_aside(quarantine: DataFrame | None) -> None: ...
"""
"""What readers have before a block begins, as a stub; `my_package` is theirs, too."""


def write_modules(folder: Path) -> list[str]:
    """Write the blocks of README, guide and notebooks as modules; return their names, of page and line."""
    (folder / "given.pyi").write_text(GIVEN, "utf-8")
    (folder / "my_package.pyi").write_text("from given import MyPayload as MyPayload\n", "utf-8")
    names = []
    for page in (GUIDE.parent / "README.md", *sorted(GUIDE.glob("*.md")), *sorted(GUIDE.glob("*.ipynb"))):
        imported: dict[str, str] = {}
        for line, code in () if page.stem in _WITHOUT else _blocks(page):
            # A method alone belongs to a class that the page has shown.
            source = f"class _Shown:\n{code}" if code.startswith(" ") else code
            tree = ast.parse(source)
            given = [_import_of(name, imported) for name in sorted(_missing(tree))]
            imported |= _imports(tree)
            names.append(f"{page.stem}_{line}.py")
            (folder / names[-1]).write_text("\n".join([*given, source]), "utf-8")
    return names


def _blocks(page: Path) -> Iterator[tuple[int, str]]:
    """Give the blocks of a page with their lines; a notebook is one block."""
    text = page.read_text("utf-8")
    if page.suffix == ".ipynb":
        cells = [cell["source"] for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
        yield 1, "\n".join("".join(lines) for lines in cells)
    for block in _FENCE.finditer(text):
        yield text[: block.start()].count("\n") + 2, block[1]


def _import_of(name: str, imported: dict[str, str]) -> str:
    """Return the line that brings a name: that of an earlier block, or what readers have."""
    homes = [home.__name__ for home in (bridge, payloads, mergers) if name in home.__all__]
    return imported.get(name) or f"from {homes[0] if homes else 'given'} import {name}"


def _imports(tree: ast.AST) -> dict[str, str]:
    lines = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    return {name.asname or name.name: ast.unparse(line) for line in lines for name in line.names}


def _missing(tree: ast.Module) -> set[str]:
    """Return the names that a block reads before it makes them, or without."""
    made, missing = set(dir(builtins)), set()
    for statement in tree.body:
        nodes = list(ast.walk(statement))
        names = [node for node in nodes if isinstance(node, ast.Name)]
        new = {node.id for node in names if isinstance(node.ctx, ast.Store)} | set(_imports(statement))
        new |= {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        new |= {node.arg for node in nodes if isinstance(node, ast.arg)}
        # The value of an assignment is read before its name is made.
        known = made if isinstance(statement, ast.Assign) and not _has_scope(nodes) else made | new
        missing |= {node.id for node in names if isinstance(node.ctx, ast.Load)} - known
        made |= new
    return missing


def _has_scope(nodes: list[ast.AST]) -> bool:
    scopes = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)
    return any(isinstance(node, scopes) for node in nodes)
