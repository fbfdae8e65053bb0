"""The mutants of a file: where each operator applies, which lines its statement has, and a seeded sample of them."""

from __future__ import annotations

import ast
import itertools
import random
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from cosmic_ray.ast import Visitor, get_ast
from cosmic_ray.mutating import mutate_code

from tests.mutation import operators

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_Place = tuple[int, int]
"""A line, from 1, and a column, from 0."""

_NO_CODE: Final = {"__all__", "TYPE_CHECKING", "__name__"}


@dataclass(frozen=True)
class Mutant:
    """One change to a file: an operator, applied where it applies for the `occurrence`th time, from 0."""

    file: str
    operator: str
    occurrence: int
    line: int
    first: int
    """The first line of the statement; of a compound one, of its head."""
    last: int

    @property
    def id(self) -> str:
        """A name that is the same in every run on the same code."""
        return f"{self.file}:{self.line}:{self.operator}:{self.occurrence}"

    def code(self, source: str) -> str:
        """Return the text of the file with the change."""
        mutated: str | None = mutate_code(source, operators.operator_of(self.operator), self.occurrence)
        if mutated is None:
            message = f"{self.id}: the operator doesn't apply there; the code is not the one that was sampled"
            raise ValueError(message)
        return mutated

    def as_json(self) -> dict[str, Any]:
        """Return the fields and the id."""
        return {"id": self.id, **asdict(self)}


def sample(tree: Path, packages: Iterable[str], size: int, seed: int) -> list[Mutant]:
    """Return `size` mutants of the packages, at most one a line; the same ones for the same seed and code."""
    files = sorted(path for package in packages for path in (tree / package).rglob("*.py"))
    every = [mutant for path in files for mutant in _mutants(path, path.relative_to(tree).as_posix())]
    random.Random(seed).shuffle(every)  # noqa: S311 (a sample, no secret)
    every.sort(key=lambda mutant: mutant.operator in operators.COARSE)  # where no other operator applies to a line
    of_line: dict[tuple[str, int], Mutant] = {}
    for mutant in every:
        of_line.setdefault((mutant.file, mutant.line), mutant)
    chosen = sorted(of_line.values(), key=lambda mutant: (mutant.file, mutant.line))
    random.Random(seed).shuffle(chosen)  # noqa: S311
    return list(itertools.islice((mutant for mutant in chosen if _is_python(mutant, tree)), size))


def _mutants(path: Path, file: str) -> Iterator[Mutant]:
    source = path.read_text("utf-8")
    module, parsed = ast.parse(source), get_ast(source)
    heads, annotations = _heads(module), _annotations(module)
    for name in operators.NAMES:
        places = _Places(name)
        places.walk(parsed)
        for occurrence, place in enumerate(places.found):
            if place[0] in heads and not any(start <= place < end for start, end in annotations):
                yield Mutant(file, name, occurrence, place[0], *heads[place[0]])


def _is_python(mutant: Mutant, tree: Path) -> bool:
    """Tell whether the file can be compiled: an operator also changes the stars of `f(*arguments)`."""
    try:
        ast.parse(mutant.code((tree / mutant.file).read_text("utf-8")))
    except SyntaxError:
        return False
    return True


class _Places(Visitor):  # type: ignore[misc]
    """Walks a file as cosmic-ray does when it applies an operator, and notes where."""

    def __init__(self, name: str) -> None:
        self._operator = operators.operator_of(name)
        self.found: list[_Place] = []

    def visit(self, node: Any) -> Any:
        self.found += [start for start, _ in self._operator.mutation_positions(node)]
        return node


def _heads(module: ast.Module) -> dict[int, tuple[int, int]]:
    """Return the first and last line of the statement, by line; lines that do nothing are left out."""
    heads: dict[int, tuple[int, int]] = {}
    _add_heads(module.body, heads)
    return heads


def _add_heads(body: list[ast.stmt], heads: dict[int, tuple[int, int]]) -> None:
    for statement in body:
        if _does_nothing(statement):
            continue
        inner = [part for part in _bodies(statement) if part]
        last = min(part[0].lineno for part in inner) - 1 if inner else statement.end_lineno or statement.lineno
        last = max(last, statement.lineno)
        heads |= dict.fromkeys(range(statement.lineno, last + 1), (statement.lineno, last))
        for handler in getattr(statement, "handlers", ()):
            heads[handler.lineno] = (handler.lineno, handler.lineno)
        for part in inner:
            _add_heads(part, heads)


def _bodies(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        yield getattr(statement, name, [])
    for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield part.body


def _does_nothing(statement: ast.stmt) -> bool:
    """Tell whether a statement is a docstring, for type checkers alone, or a list of public names."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return True
    head = statement.test if isinstance(statement, ast.If) else statement
    names = {node.id for node in ast.walk(head) if isinstance(node, ast.Name)} if _may_name(statement) else set()
    return bool(names & _NO_CODE)


def _may_name(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.If | ast.Assign | ast.AnnAssign)


def _annotations(module: ast.Module) -> list[tuple[_Place, _Place]]:
    """Return where annotations begin and end; nothing evaluates them."""
    found = []
    for node in ast.walk(module):
        annotation = node.returns if isinstance(node, ast.FunctionDef) else getattr(node, "annotation", None)
        if annotation is not None:
            end = (annotation.end_lineno, annotation.end_col_offset)
            found.append(((annotation.lineno, annotation.col_offset), end))
    return found
