"""Counts lines of code, without comments, docstrings and blanks, by package, and `Any`: python -m tests.size.

A line counts if it has a token that is code to the lexer of its language. The count is a sign, not an aim.
"""

from __future__ import annotations

import ast
import collections
import io
import subprocess
import tarfile
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final, NamedTuple

import click
from pygments.lexers import JavaLexer, PythonLexer
from pygments.token import Comment, String, Whitespace

from tests.support import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pygments.lexer import Lexer

PACKAGES: Final = ("payloads", "mergers", "bridge", "tests")
_LEXERS: Final[dict[str, Lexer]] = {".py": PythonLexer(stripnl=False), ".java": JavaLexer(stripnl=False)}
_DEEPEST: Final = 2


class Size(NamedTuple):
    """What a package has.

    Attributes:
        files: files of Python and Java.
        lines: their lines of code.
    """

    files: int
    lines: int


def lines_of_code(source: str, suffix: str) -> int:
    """Return how many lines of a source have code; `suffix` is `.py` or `.java`."""
    lines: set[int] = set()
    line = 1
    for kind, text in _LEXERS[suffix].get_tokens(source):
        if kind not in Comment and kind not in String.Doc and kind not in Whitespace:
            lines.update(line + at for at, part in enumerate(text.split("\n")) if part.strip())
        line += text.count("\n")
    return len(lines)


def sizes(sources: Iterable[tuple[PurePosixPath, str]]) -> dict[str, Size]:
    """Return the size of each package and of each folder directly below one, by path."""
    files: collections.Counter[str] = collections.Counter()
    lines: collections.Counter[str] = collections.Counter()
    for path, source in sources:
        found = lines_of_code(source, path.suffix)
        for depth in range(1, min(len(path.parts) - 1, _DEEPEST) + 1):
            package = "/".join(path.parts[:depth])
            files[package] += 1
            lines[package] += found
    return {package: Size(files[package], lines[package]) for package in sorted(files)}


def share_of_any(sources: Iterable[tuple[PurePosixPath, str]]) -> float:
    """Return the share of the annotations of Python, tests aside, that say `Any`."""
    found = [
        any(isinstance(part, ast.Name) and part.id == "Any" for part in ast.walk(annotation))
        for path, source in sources
        if path.suffix == ".py" and path.parts[0] != "tests"
        for annotation in _annotations(ast.parse(source))
    ]
    return sum(found) / max(1, len(found))


def _annotations(tree: ast.AST) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        match node:
            case ast.AnnAssign() | ast.arg(annotation=ast.expr()):
                yield node.annotation  # type: ignore[misc]  # it is there
            case ast.FunctionDef(returns=ast.expr()) | ast.AsyncFunctionDef(returns=ast.expr()):
                yield node.returns  # type: ignore[misc]  # it is there


def _of_checkout() -> Iterator[tuple[PurePosixPath, str]]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *PACKAGES],  # noqa: S607 (the git of the PATH)
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    for name in listed.stdout.splitlines():
        path = ROOT / name
        if path.suffix in _LEXERS and path.exists():
            yield PurePosixPath(name), path.read_text()


def _of_revision(revision: str) -> Iterator[tuple[PurePosixPath, str]]:
    packed = subprocess.run(
        ["git", "archive", revision, *PACKAGES],  # noqa: S607 (the git of the PATH)
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        for member in archive:
            held = archive.extractfile(member) if Path(member.name).suffix in _LEXERS else None
            if held is not None:
                yield PurePosixPath(member.name), held.read().decode()


def _shown(now: Mapping[str, Size], before: Mapping[str, Size]) -> Iterator[str]:
    for package in sorted(now | before):
        size, earlier = now.get(package, Size(0, 0)), before.get(package, Size(0, 0))
        change = f"{size.lines - earlier.lines:+10,}" if before else ""
        yield f"{package:32} {size.files:6,} {size.lines:8,}{change}"


@click.command(help=__doc__)
@click.option("--at", "revision", help="A revision of git: what has changed since.")
def main(revision: str | None) -> None:
    """Print a line for each package."""
    before = sizes(_of_revision(revision)) if revision else {}
    click.echo(f"{'package':32} {'files':>6} {'lines':>8}" + (f"{'change':>10}" if before else ""))
    now = [*_of_checkout()]
    for line in _shown(sizes(now), before):
        click.echo(line)
    click.echo(f"annotations that say Any: {share_of_any(now):.1%}")


if __name__ == "__main__":
    main()
