"""links_to: whether a compiled class links to each release of Hudi, what fails, and which of its overrides are dead."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING

from bridge.errors import ClassLinkError
from bridge.linkage.class_path import ClassPath, UserJars
from bridge.linkage.code_walk import CodeWalk
from bridge.linkage.hudi_classes import TABULATED
from payloads import PayloadNotFoundError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bridge.linkage.linkage import Linkage
    from payloads import HudiRelease


def links_to(
    name: str, jars: Sequence[str | Path], releases: Sequence[HudiRelease] = TABULATED
) -> Mapping[HudiRelease, Linkage]:
    """Return how a payload or merger of some jars links to each release, without loading it.

    `name` is its full Java name. Releases whose classes are not tabulated (before 0.14) are left out.

    Raises:
        PayloadNotFoundError: a jar can't be read, or neither the jars nor any of the releases have the class.
    """
    found = _links_to(name, tuple(map(_stamped, jars)))
    return {release: found[release] for release in releases if release in found}


def _stamped(jar: str | Path) -> tuple[str, int, int]:
    """Return the path of a jar, and what changes when it is built anew."""
    try:
        found = Path(jar).stat()
    except OSError as error:
        msg = f"the jar {jar} can't be read ({error.strerror}); name a file with compiled classes"
        raise PayloadNotFoundError(msg) from error
    return str(jar), found.st_mtime_ns, found.st_size


@functools.lru_cache(maxsize=16)
def _links_to(name: str, stamped: tuple[tuple[str, int, int], ...]) -> Mapping[HudiRelease, Linkage]:
    jars = [path for path, *_ in stamped]
    user = UserJars(jars)
    paths = [ClassPath(release, user) for release in TABULATED]
    if user.get(name) is None and not any(path.hudi.get(name) for path in paths):
        where = ", ".join(jars) or "no jar"
        raise PayloadNotFoundError(user.lacks(name, where))
    return {path.release: CodeWalk(name, path, paths).linkage() for path in paths}


def linkage_of(
    name: str, jars: Sequence[str | Path], release: HudiRelease, *, is_complete: bool = True
) -> Linkage | None:
    """Return how a class of the jars links to a release; None if they have no such class, or the release no table.

    With `is_complete` false (a package is not resolved yet), missing classes are not reported.
    """
    if release not in TABULATED or not jars:
        return None
    try:
        found = links_to(name, jars, (release,))[release]
    except PayloadNotFoundError:
        return None
    if is_complete:
        return found
    return found._replace(faults=tuple(one for one in found.faults if one.missing_class is None))


def check_class(
    name: str, jars: Sequence[str | Path], release: HudiRelease, *, is_complete: bool = True, is_payload: bool = True
) -> None:
    """Check, before a merge begins, that no call of Hudi's comes to what a class needs and a release lacks.

    Whether the class is a payload or merger, and can be built, is left to those who build it.

    Raises:
        ClassLinkError: naming the member, the line that needs it and what to write instead.
    """
    found = linkage_of(name, jars, release, is_complete=is_complete)
    if found is None:
        return
    linking = found._replace(faults=tuple(one for one in found.faults if one.error.endswith("Error")))
    if linking.refusal is not None:
        msg = f"{linking.refusal}{_or_as_recompiled(name, jars, release) if is_payload else ''}"
        raise ClassLinkError(msg)


def _or_as_recompiled(name: str, jars: Sequence[str | Path], release: HudiRelease) -> str:
    """Say which older release the class links to, as whose it runs under later ones; empty for none."""
    older = TABULATED[: TABULATED.index(release)]
    linking = [one for one, found in links_to(name, jars, older).items() if found.links]
    if not linking:
        return ""
    return f"; or say that it was built for {linking[-1]}, to run it as if it were recompiled"
