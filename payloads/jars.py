"""The jars that a reference to a compiled class names, as users write them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath

JarPaths = str | PurePath | Iterable[str | PurePath] | None
"""One path, several separated by commas (as in `spark-submit --jars`), a list of paths, or None."""
MavenPackages = str | Iterable[str]
"""Maven coordinates, `group:artifact:version`: one, several separated by commas, or a list."""


def jar_paths(jar: JarPaths) -> tuple[str, ...]:
    """Return the paths of jars, in the order of the class path and each once; a list may have commas in its paths."""
    if jar is None:
        return ()
    given = jar.split(",") if isinstance(jar, str) else map(str, [jar] if isinstance(jar, PurePath) else jar)
    return tuple(dict.fromkeys(path.strip() for path in given if path.strip()))
