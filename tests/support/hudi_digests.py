"""Digests of Hudi's own class files, from its released jars: `python -m tests.support.hudi_digests JAR [JAR ...]`.

The jars are Spark bundles and hudi-common, the module that the payload classes are in. A class that one release needs
is in the table for every release that has it: a jar of a user may hold a copy of any. So all jars are given at once.
"""

from __future__ import annotations

import contextlib
import re
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from bridge.linkage.class_reader import read_class
from mergers.registry import BUILT_IN_NAMES
from payloads.registry import builtin_payloads
from payloads.released import DIGESTS, digest_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from payloads.builtin import BuiltinPayload

_RELEASE: Final = re.compile(r"-(\d+\.\d+\.\d+)\.jar\Z")
_PACKAGE: Final = "org.apache.hudi."


def main(jars: Iterable[str]) -> None:
    """Write what the jars have as the table.

    Raises:
        ValueError: a line of the table is in none of the jars, or the name of a jar ends with no release.
    """
    lines = lines_of(map(Path, jars))
    lost = set(DIGESTS.read_text("ascii").splitlines()) - lines
    if lost:
        of = sorted({line.split()[0] for line in lost})
        msg = f"no jar has {len(lost)} classes of the table, of {', '.join(of)}; name bundle and hudi-common of each"
        raise ValueError(msg)
    DIGESTS.write_text("".join(f"{line}\n" for line in sorted(lines)), "ascii")
    click.echo(f"{DIGESTS.name}: {len(lines)} lines of {len({line.split()[0] for line in lines})} releases")


def lines_of(paths: Iterable[Path]) -> set[str]:
    """Return the lines of jars: release, class and digest."""
    with contextlib.ExitStack() as opened:
        jars = [(_release_of(path), _Classes(opened.enter_context(zipfile.ZipFile(path)))) for path in paths]
        names = {name for _, classes in jars for name in classes.needed()}
        return {
            f"{release} {name} {digest_of(classes.data(name))}"
            for release, classes in jars
            for name in names
            if name in classes
        }


def _release_of(path: Path) -> str:
    found = _RELEASE.search(path.name)
    if found is None:
        msg = f"{path.name} is not named after a release"
        raise ValueError(msg)
    return found[1]


def _names(payload: type[BuiltinPayload]) -> Iterator[str]:
    yield payload.java_name
    for release in payload.shipped:
        yield from payload.for_release(release).aliases


class _Classes:
    """Hudi's classes in a jar."""

    def __init__(self, jar: zipfile.ZipFile) -> None:
        self._jar = jar

    def __contains__(self, name: str) -> bool:
        return _file(name) in self._jar.NameToInfo

    def data(self, name: str) -> bytes:
        return self._jar.read(_file(name))

    def needed(self) -> list[str]:
        """Return payloads and mergers, what they extend, and what the payloads call."""
        payloads = self.with_bases(name for one in builtin_payloads() for name in _names(one))
        called = {one for name in payloads for one in read_class(self.data(name)).references}
        return self.with_bases({*payloads, *called, *BUILT_IN_NAMES})

    def with_bases(self, names: Iterable[str]) -> list[str]:
        """Return those of these classes that the jar has, with what they extend, implement and are nested in."""
        found: dict[str, None] = {}
        left = list(names)
        while left:
            name = left.pop()
            if name not in found and name.startswith(_PACKAGE) and name in self:
                found[name] = None
                left += [*read_class(self.data(name)).bases, name.rpartition("$")[0]]
        return sorted(found)


def _file(name: str) -> str:
    return f"{name.replace('.', '/')}.class"


if __name__ == "__main__":
    main(sys.argv[1:])
