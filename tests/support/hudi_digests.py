"""Digests of Hudi's own class files, from its released jars: `python -m tests.support.hudi_digests JAR [JAR ...]`.

The jars are Spark bundles and hudi-common, the module that the payload classes are in. A line is kept where its release
is not among the jars, so that one release can be added without the others.
"""

from __future__ import annotations

import re
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from bridge.verify.class_file import read_class

from mergers.registry import BUILT_IN_NAMES
from payloads.registry import builtin_payloads
from payloads.released import DIGESTS, digest_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from payloads.builtin import BuiltinPayload

_RELEASE: Final = re.compile(r"-(\d+\.\d+\.\d+)\.jar\Z")
_PACKAGE: Final = "org.apache.hudi."


def main(jars: Iterable[str]) -> None:
    """Write what the jars have into the table, in place of the lines of their releases."""
    made = {line for jar in jars for line in lines_of(Path(jar))}
    again = {line.split()[0] for line in made}
    kept = (line for line in DIGESTS.read_text("ascii").splitlines() if line.split()[0] not in again)
    lines = sorted({*made, *kept})
    DIGESTS.write_text("".join(f"{line}\n" for line in lines), "ascii")
    click.echo(f"{DIGESTS.name}: {len(lines)} lines, {len(made)} of them of {', '.join(sorted(again))}")


def lines_of(path: Path) -> Iterator[str]:
    """Yield the lines of a jar: release, class and digest.

    Raises:
        ValueError: the name of the jar ends with no release.
    """
    found = _RELEASE.search(path.name)
    if found is None:
        msg = f"{path.name} is not named after a release"
        raise ValueError(msg)
    with zipfile.ZipFile(path) as jar:
        classes = _Classes(jar)
        payloads = classes.with_bases(name for one in builtin_payloads() for name in _names(one))
        called = {one for name in payloads for one in read_class(classes.data(name)).references}
        for name in classes.with_bases({*payloads, *called, *BUILT_IN_NAMES}):
            yield f"{found[1]} {name} {digest_of(classes.data(name))}"


def _names(payload: type[BuiltinPayload]) -> Iterator[str]:
    yield payload.java_name
    for release in payload.shipped:
        yield from payload.for_release(release).aliases


class _Classes:
    """Hudi's classes in a jar."""

    def __init__(self, jar: zipfile.ZipFile) -> None:
        self._jar = jar

    def data(self, name: str) -> bytes:
        return self._jar.read(_file(name))

    def with_bases(self, names: Iterable[str]) -> list[str]:
        """Return those of these classes that the jar has, with what they extend, implement and are nested in."""
        found: dict[str, None] = {}
        left = list(names)
        while left:
            name = left.pop()
            if name not in found and name.startswith(_PACKAGE) and _file(name) in self._jar.NameToInfo:
                found[name] = None
                left += [*read_class(self.data(name)).bases, name.rpartition("$")[0]]
        return sorted(found)


def _file(name: str) -> str:
    return f"{name.replace('.', '/')}.class"


if __name__ == "__main__":
    main(sys.argv[1:])
