"""The classes of Hudi's released bundles, with their members, from a table that comes with this package.

Source: `hudi-spark3.5-bundle_2.12` of each release (of 0.14 `hudi-spark3.4-bundle_2.12`), read by
`python -m tests.support.hudi_members`.
"""

from __future__ import annotations

import functools
import lzma
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bridge.linkage.class_file import ClassField, ClassFile, ClassMethod, Flag
from payloads.release import releases

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from payloads import HudiRelease

TABLE: Final = Path(__file__).parent / "hudi_classes.txt.xz"
TABULATED: Final = releases(since="0.14")
"""The releases whose classes are known, the oldest first."""

_BETWEEN = "\t"


class HudiClasses:
    """The classes of one release's bundle.

    Attributes:
        release: the release.
    """

    def __init__(self, release: HudiRelease) -> None:
        """Find the lines of a release.

        Raises:
            KeyError: it has no table; see `TABULATED`.
        """
        self.release = release
        self._lines = _lines()[release]
        self._read: dict[str, ClassFile | None] = {}

    def __contains__(self, name: str) -> bool:
        return name.replace(".", "/") in self._lines

    def get(self, name: str) -> ClassFile | None:
        """Return a class by its full name; None if the bundle lacks it, or if its members are not in the table."""
        if name not in self._read:
            self._read[name] = _read(self._lines.get(name.replace(".", "/"), ""))
        return self._read[name]

    def named(self, simple: str) -> list[str]:
        """Return the full names of the public classes with a simple name."""
        end = f"/{simple}"
        found = [name.replace("/", ".") for name, line in self._lines.items() if name.endswith(end) and line]
        return [name for name in found if (read := self.get(name)) is not None and Flag.PUBLIC in read.access]

    def with_method(self, name: str) -> Iterator[tuple[ClassFile, ClassMethod]]:
        """Yield the public static methods of a name, with their public classes."""
        start, wanted = f" {name}(", Flag.PUBLIC | Flag.STATIC
        for one in (one.replace("/", ".") for one, line in self._lines.items() if start in line):
            read = self.get(one)
            if read is not None and Flag.PUBLIC in read.access:
                yield from ((read, own) for own in read.methods if own.name == name and own.access & wanted == wanted)


@functools.cache
def hudi_classes(release: HudiRelease) -> HudiClasses:
    """Return the classes of a release; KeyError if it is not one of `TABULATED`."""
    return HudiClasses(release)


# -- the table: one line a class and its contents; what releases have alike is one line, with a bit for each


def packed(bundles: Iterable[Iterable[ClassFile | str]]) -> bytes:
    """Return the table of bundles, in the order of `TABULATED`; a text is the name of a class without its members."""
    found: dict[tuple[str, str], int] = {}
    for at, bundle in enumerate(bundles):
        for one in bundle:
            line = (one.replace(".", "/"), "") if isinstance(one, str) else (one.name.replace(".", "/"), _written(one))
            found[line] = found.get(line, 0) | 1 << at
    text = "".join(f"{mask:x}{_BETWEEN}{name}{_BETWEEN}{line}\n" for (name, line), mask in sorted(found.items()))
    return lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME)


@functools.cache
def _lines() -> Mapping[HudiRelease, Mapping[str, str]]:
    found: dict[HudiRelease, dict[str, str]] = {release: {} for release in TABULATED}
    with lzma.open(TABLE, "rt", encoding="utf-8") as file:
        for line in file:
            mask, name, rest = line.split(_BETWEEN, 2)
            bits = int(mask, 16)
            for at, release in enumerate(TABULATED):
                if bits >> at & 1:
                    found[release][name] = line if rest != "\n" else ""
    return found


def _written(one: ClassFile) -> str:
    fields = [f"{int(own.access):x} {own.name} {own.descriptor}" for own in one.fields]
    methods = [f"{int(own.access):x} {own.name}{own.descriptor}" for own in one.methods]
    bases = ",".join(one.interfaces).replace(".", "/")
    head = (f"{int(one.access):x}", (one.parent or "").replace(".", "/"), bases)
    return _BETWEEN.join((*head, *sorted(fields), *sorted(methods)))


def _read(line: str) -> ClassFile | None:
    if not line:
        return None
    _, name, access, parent, interfaces, *members = line.rstrip("\n").replace("/", ".").split(_BETWEEN)
    fields, methods = [], []
    for one in members:
        flags, text = one.split(" ", 1)
        if "(" in text:
            at = text.index("(")
            methods.append(ClassMethod(text[:at], text[at:].replace(".", "/"), Flag(int(flags, 16))))
        else:
            own, descriptor = text.split(" ")
            fields.append(ClassField(own, descriptor.replace(".", "/"), Flag(int(flags, 16))))
    return ClassFile(
        name,
        Flag(int(access, 16)),
        parent or None,
        tuple(interfaces.split(",")) if interfaces else (),
        tuple(fields),
        tuple(methods),
    )
