"""Folders in which an output is made beside its place: they go when the run ends, or with the next run after a kill.

A run holds a lock on its folder. The system releases the lock when the process ends, however it ends.
"""

from __future__ import annotations

import atexit
import contextlib
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyspark import SparkContext

try:
    import fcntl
except ImportError:  # Windows, where a killed run's folder stays
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Iterator

_PREFIX: Final = ".payload-bridge-"
_LOCK: Final = "lock"
_ENDING: Final = 10.0  # seconds


@contextlib.contextmanager
def staged_folder(parent: Path) -> Iterator[Path]:
    """Make a folder below `parent` for the time of a block, and remove those of killed runs.

    Raises:
        OSError: nothing can be written there.
    """
    for path in parent.glob(f"{_PREFIX}*"):
        if not path.is_symlink() and _is_abandoned(path):
            shutil.rmtree(path, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=_PREFIX, dir=parent) as name, _locked(Path(name)):
        try:
            yield Path(name)
        except KeyboardInterrupt:
            atexit.register(_remove_after_java, name)
            raise


def _remove_after_java(folder: str) -> None:
    """Remove a folder again: Java goes on with a write whose jobs were not yet there to cancel, and makes it anew."""
    process = getattr(SparkContext._gateway, "proc", None)  # noqa: SLF001 (PySpark's only reference)
    if process is not None:
        process.stdin.close()  # upon which it ends
        try:
            process.wait(_ENDING)
        except subprocess.TimeoutExpired:
            process.kill()
    shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder; it has none where the file system knows no locks, and is left alone then."""
    unheld = folder / f"{_LOCK}.part"
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            held = stack.enter_context(unheld.open("wb"))
            if fcntl is not None:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                unheld.rename(folder / _LOCK)  # no other run sees it without its owner
        yield


def _is_abandoned(folder: Path) -> bool:
    try:
        with (folder / _LOCK).open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (OSError, AttributeError):  # it is held, or there is none
        return False
    return True
