"""A copy of a table on this machine, taken between two looks at its timeline; the table itself is only read."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from bridge.errors import InputError
from bridge.hudi import TableQueries
from bridge.spark import is_local, local_path

if TYPE_CHECKING:
    from bridge.hudi import HudiTable

_METADATA: Final = ".hoodie"


class CopiedTable(NamedTuple):
    """A table that was copied.

    Attributes:
        path: where the copy is.
        bytes: how large its files are.
        seconds: how long copying took.
    """

    path: Path
    bytes: int
    seconds: float


def copy_table(table: HudiTable, copy: str | Path, *, overwrite: bool = False) -> CopiedTable:
    """Copy all files of a table to a new folder; a copy that fails leaves nothing.

    Args:
        table: a table on this machine.
        copy: the folder, whose parent exists.
        overwrite: whether a table that is there is replaced.

    Raises:
        InputError: the table is on a storage, or was written meanwhile; the folder is there, holds no table, or lies in
            the table or around it; the disk has no room.
    """
    source, target = _checked(table.path, Path(copy), overwrite=overwrite)
    size = sum(path.stat().st_size for path in source.rglob("*") if path.is_file())
    free = shutil.disk_usage(target.parent).free
    if size > free:
        msg = f"{table.path} has {size:,} bytes, and {target.parent} has room for {free:,}; name another place"
        raise InputError(msg)
    began, before = time.monotonic(), _instants(table.path)
    partial = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        shutil.copytree(source, partial)
        if not before == _instants(table.path) == _instants(str(partial)):
            msg = f"{table.path} was written while it was copied; stop its writers, and run it again"
            raise InputError(msg)
        if target.exists():
            shutil.rmtree(target)
        partial.rename(target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return CopiedTable(target, size, time.monotonic() - began)


def check_copy(path: str, copy: str | Path, *, overwrite: bool = False) -> None:
    """Refuse a place that can't take the copy of a table.

    Raises:
        InputError: as `copy_table`.
    """
    _checked(path, Path(copy), overwrite=overwrite)


def _checked(path: str, copy: Path, *, overwrite: bool) -> tuple[Path, Path]:
    if not is_local(path):
        msg = f"{path} is on a storage, and only tables on this machine are copied; copy it here, and name that copy"
        raise InputError(msg)
    source, target = local_path(path).resolve(), copy.absolute()
    if source == (real := target.resolve()) or source in real.parents or real in source.parents:
        msg = f"{copy} is the table {path}, in it or around it; name a place beside it for the copy"
        raise InputError(msg)
    if not target.parent.is_dir():
        msg = f"{copy}: the folder {target.parent} does not exist; make it, or name another place"
        raise InputError(msg)
    if target.is_symlink() or (target.exists() and not (overwrite and (target / _METADATA).is_dir())):
        why = "already exists" if not overwrite else "holds no table, and is never replaced"
        msg = f"{copy} {why}; name another place for the copy"
        raise InputError(msg)
    return source, target


def _instants(path: str) -> list[tuple[object, ...]]:
    return [tuple(instant) for instant in TableQueries(path).timeline.instants]
