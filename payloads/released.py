"""Hudi's own class files by digest: a class is Hudi's where its bytes are those of a release, whatever its name says.

`released_classes.txt` has the payload classes that releases ship, what they extend, the classes that these call, and
the mergers; `python -m tests.support.hudi_digests` writes it from the released jars.
"""

from __future__ import annotations

import functools
import hashlib
import re
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

DIGESTS: Final = Path(__file__).parent / "released_classes.txt"
"""Lines of a release, the full name of a class, and the SHA-256 of its class file; a release can have several."""
_RELEASED_BUNDLE = re.compile(r"org\.apache\.hudi:hudi-[\w.-]+-bundle_2\.1\d:\d+\.\d+\.\d+")
_SUFFIX: Final = ".class"
_MOST_SHOWN: Final = 3


@functools.cache
def digests() -> Mapping[str, frozenset[str]]:
    """Return the digests of each class, those of all releases together."""
    found: dict[str, set[str]] = {}
    for line in DIGESTS.read_text("ascii").splitlines():
        _, name, digest = line.split()
        found.setdefault(name, set()).add(digest)
    return {name: frozenset(known) for name, known in found.items()}


def digest_of(data: bytes) -> str:
    """Return the digest of a class file."""
    return hashlib.sha256(data).hexdigest()


def replaced_in(jar: str | Path) -> tuple[str, ...]:
    """Return the classes of Hudi that a jar has in a form that no release has, by full name.

    A plain copy of a release is none, be it of another one; a path that is no readable jar has none.
    """
    path = Path(jar)
    try:
        return _replaced(str(path.resolve()), path.stat().st_mtime_ns, path.stat().st_size)
    except (OSError, zipfile.BadZipFile):
        return ()


@functools.lru_cache(maxsize=64)
def _replaced(path: str, _changed: int, _size: int) -> tuple[str, ...]:
    with zipfile.ZipFile(path) as jar:
        held = {name for name in digests() if _file(name) in jar.NameToInfo}
        return tuple(sorted(name for name in held if digest_of(jar.read(_file(name))) not in digests()[name]))


def replaced_text(payload: str, jar: str, classes: Sequence[str]) -> str:
    """Say that a jar has changed classes of Hudi, and that they run."""
    shown = ", ".join(name.rpartition(".")[2] for name in classes[:_MOST_SHOWN])
    more = f" and {len(classes) - _MOST_SHOWN} more" if len(classes) > _MOST_SHOWN else ""
    return (
        f"{jar} has changed classes of Hudi ({shown}{more}), which no release ships; {payload} runs with them, as it "
        f"does where Spark has {jar} before Hudi's bundle on its class path; remove them from the jar if the bundle "
        "comes first"
    )


def files_of(name: str, jar: zipfile.ZipFile) -> list[str]:
    """Return the entries of a jar that make up a class: its own, and those of its nested classes."""
    stem = _file(name).removesuffix(_SUFFIX)
    return [entry for entry in jar.namelist() if entry == stem + _SUFFIX or entry.startswith(f"{stem}$")]


def may_replace(jars: Iterable[str], packages: Iterable[str]) -> bool:
    """Whether one of some jars has a changed class of Hudi, or a Maven package that is not fetched yet may have one.

    A package is taken for what Hudi released where its coordinate is that of a bundle of a release.
    """
    return any(map(replaced_in, jars)) or not all(map(_RELEASED_BUNDLE.fullmatch, packages))


def _file(name: str) -> str:
    return name.replace(".", "/") + _SUFFIX
