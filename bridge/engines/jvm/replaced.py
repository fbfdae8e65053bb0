"""Changed classes of Hudi in users' jars, which come before those of the bundle."""

from __future__ import annotations

import hashlib
import warnings
import zipfile
from typing import TYPE_CHECKING

from payloads.released import files_of, replaced_in, replaced_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def replacing_jar(folder: Path, files: Sequence[Path], names: Sequence[str]) -> list[Path]:
    """Put the classes of Hudi that jars have in a form of no release into a jar that comes before the bundle.

    What a jar has as some release has it is left to the bundle. Returns the jar, if one is needed.

    Args:
        folder: where the jar is made.
        files: the jars that users name.
        names: the classes that run, for the warning.
    """
    entries: dict[str, bytes] = {}
    for path in files:
        replaced = replaced_in(path)
        if replaced:
            warnings.warn(replaced_text(", ".join(names), path.name, replaced), stacklevel=3)
        with zipfile.ZipFile(path) as jar:
            for entry in (entry for name in replaced for entry in files_of(name, jar)):
                entries.setdefault(entry, jar.read(entry))
    if not entries:
        return []
    digest = hashlib.sha256(b"".join(entries[name] for name in sorted(entries))).hexdigest()[:12]
    made = folder / f"changed-hudi-{digest}.jar"
    if not made.exists():
        with zipfile.ZipFile(made, "w") as archive:
            for name, data in entries.items():
                archive.writestr(name, data)
    return [made]
