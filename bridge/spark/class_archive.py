"""The archive of Java classes from which a small session starts in half the time.

Half of the time of a short command goes into loading and verifying Spark's classes. Java can write the classes that it
loaded to a file when it ends, and map that file when it starts (class data sharing). The first command on a small
input writes it after its answer, some 120 MB in the user's cache folder, and later commands start from it.
"""

from __future__ import annotations

import hashlib
import os
import stat
import subprocess
import time
from pathlib import Path

FOLDER = "PAYLOAD_BRIDGE_CACHE"
"""The environment variable that names another cache folder; empty: nothing is cached."""

_ABANDONED = 600  # seconds after which a file that is still incomplete belongs to a Java that was killed
_OTHERS = 3  # archives of other versions that are kept, some 120 MB each
_QUIET = "-XX:+IgnoreUnrecognizedVMOptions -Xshare:auto -Xlog:cds*=off"


def java_options(java_home: Path, spark_jars: Path) -> str:
    """Return the options with which Java starts from its archive, or writes one; empty where none can be kept.

    An archive belongs to one Java and one set of jars. Java checks both, and goes without an archive that does not fit.
    It also holds code, so that a folder or an archive that someone else owns or may write to is not used.

    Args:
        java_home: the home of the Java that runs Spark.
        spark_jars: the folder of Spark's jars.
    """
    folder = cache_folder()
    if folder is None:
        return ""
    name = _digest(java_home, spark_jars)
    archive = folder / f"{name}.jsa"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        base = _base_archive(java_home, folder / f"{name}-base.jsa")
        _adopt(folder, archive)
        if not all(map(_is_ours, (folder, archive, folder / f"{name}-base.jsa"))):
            return ""
        _drop_others(folder, name)
    except OSError:  # a read-only or full disk: slower, and nothing else
        return ""
    if base is None or any(" " in str(path) for path in (archive, base)):  # Spark splits the options at blanks
        return ""
    if archive.exists():
        return f"{_QUIET} -XX:SharedArchiveFile={base}{os.pathsep}{archive}"
    written = folder / f"{name}-{os.getpid()}.part"
    return f"{_QUIET} -XX:SharedArchiveFile={base} -XX:ArchiveClassesAtExit={written}"


def cache_folder() -> Path | None:
    """Return the folder of what later commands use again; None where nothing is to be kept."""
    chosen = os.environ.get(FOLDER)
    if chosen is not None:
        return Path(chosen) if chosen else None
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "payload-bridge"
    except RuntimeError:  # no home
        return None


def _digest(java_home: Path, spark_jars: Path) -> str:
    digest = hashlib.sha256(str(java_home).encode())
    for file in [java_home / "lib" / "modules", *sorted(spark_jars.glob("*.jar"))]:
        state = file.stat() if file.exists() else None
        digest.update(f"\n{file} {state and (state.st_size, state.st_mtime_ns)}".encode())
    return digest.hexdigest()[:16]


def _base_archive(java_home: Path, own: Path) -> Path | None:
    """Return the archive of Java's own classes, which the archive of Spark's extends; a Java may come without one."""
    shipped = java_home / "lib" / "server" / "classes.jsa"
    if shipped.exists():
        return shipped
    if not own.exists():
        part = own.with_suffix(f".{os.getpid()}")
        command = [str(java_home / "bin" / "java"), "-Xshare:dump", f"-XX:SharedArchiveFile={part}"]
        try:
            subprocess.run(command, capture_output=True, check=True, timeout=60)  # noqa: S603 (the Java that Spark runs on)
        except subprocess.SubprocessError:
            return None
        part.chmod(0o600)
        part.replace(own)
    return own


def _is_ours(path: Path) -> bool:
    """Whether the user owns a file or folder that no one else may write to; true of one that is not there."""
    try:
        state = path.stat()
    except FileNotFoundError:
        return True
    return state.st_uid == os.getuid() and not state.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _drop_others(folder: Path, name: str) -> None:
    """Keep the archives of few other versions, those that were written last."""
    others = [one for one in folder.glob("*.jsa") if not one.name.startswith(name)]
    for one in sorted(others, key=lambda one: one.stat().st_mtime, reverse=True)[_OTHERS:]:
        one.unlink()


def _adopt(folder: Path, archive: Path) -> None:
    """Give a finished archive its name; drop those of a Java that was killed.

    Java writes the first bytes last, so a file that begins with zeros is still being written.
    """
    for part in folder.glob(f"{archive.stem}-*.part"):
        with part.open("rb") as file:
            complete = any(file.read(4))
        if complete:
            part.chmod(0o600)  # whatever the umask
            part.replace(archive)
        elif time.time() - part.stat().st_mtime > _ABANDONED:
            part.unlink()
