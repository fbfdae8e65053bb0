"""A copy of a table on this machine, taken between two looks at its timeline; the table itself is only read."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from bridge.errors import InputError
from bridge.hudi import TableQueries
from bridge.spark import is_local, local_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bridge.hudi import HudiTable, Instant

_METADATA: Final = ".hoodie"
_MARK: Final = ".payload_bridge_copy"
"""The file among a table's metadata that tells a copy, which may be replaced, from a table."""
_PLANS: Final = re.compile(r"(\d+)\.(rollback|clean)\.requested")
_WHAT_IT_SAYS: Final = "This table is a copy that payload-bridge rehearse made of {}; --overwrite replaces it.\n"


class CopiedTable(NamedTuple):
    """A table that was copied.

    Attributes:
        path: where the copy is.
        bytes: how large its files are.
        seconds: how long copying took.
        instants: the timeline that was copied.
    """

    path: Path
    bytes: int
    seconds: float
    instants: tuple[Instant, ...]


def copy_table(table: HudiTable, copy: str | Path, *, overwrite: bool = False) -> CopiedTable:
    """Copy all files of a table to a new folder; a copy that fails leaves nothing.

    Args:
        table: a table on this machine.
        copy: the folder, whose parent exists.
        overwrite: whether a copy that is there is replaced.

    Raises:
        InputError: the table is on a storage, was written meanwhile, or has a rollback or clean that did not complete;
            the folder is there and no copy that this function made, lies in the table or around it, or has a path that
            the table's path goes on from; the disk has no room.
    """
    source, target = _checked(table.path, Path(copy), overwrite=overwrite)
    check_plans(source)
    size = sum(path.stat().st_size for path in source.rglob("*") if path.is_file())
    free = shutil.disk_usage(target.parent).free
    if size > free:
        msg = f"{table.path} has {size:,} bytes, and {target.parent} has room for {free:,}; name another place"
        raise InputError(msg)
    began, before = time.monotonic(), instants_of(table.path)
    partial = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        shutil.copytree(source, partial)
        if not before == instants_of(table.path) == instants_of(str(partial)):
            msg = f"{table.path} was written while it was copied; stop its writers, and run it again"
            raise InputError(msg)
        (partial / _METADATA / _MARK).write_text(_WHAT_IT_SAYS.format(source), "utf-8")
        with replaced(target):
            partial.rename(target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return CopiedTable(target, size, time.monotonic() - began, before)


@contextlib.contextmanager
def replaced(copy: str | Path) -> Iterator[None]:
    """Keep what is at a place until a block has put something else there; a block that fails leaves what was there."""
    target = Path(copy).absolute()
    aside = target.with_name(f".{target.name}.{os.getpid()}.old")
    was_there = target.exists()
    if was_there:
        target.rename(aside)
    try:
        yield
    except BaseException:
        if _is_copy(target):
            shutil.rmtree(target, ignore_errors=True)
        if was_there:
            aside.rename(target)
        raise
    if was_there:
        shutil.rmtree(aside, ignore_errors=True)


def check_unchanged(table: HudiTable, copied: CopiedTable) -> None:
    """Refuse a table that was written since it was copied: what it shows now is not what its copy had.

    Raises:
        InputError: saying so.
    """
    if instants_of(table.path) != copied.instants:
        msg = f"{table.path} was written while its copy was upgraded; stop its writers, and run it again"
        raise InputError(msg)


def check_copy(path: str, copy: str | Path, *, overwrite: bool = False) -> None:
    """Refuse a place that can't take the copy of a table.

    Raises:
        InputError: as `copy_table`.
    """
    _checked(path, Path(copy), overwrite=overwrite)


def _checked(path: str, copy: Path, *, overwrite: bool) -> tuple[Path, Path]:
    if not is_local(path):
        msg = f"{path} is on remote storage, but only local tables are copied; copy it here, and name that copy"
        raise InputError(msg)
    source, target = local_path(path).resolve(), copy.absolute()
    if source == (real := target.resolve()) or source in real.parents or real in source.parents:
        msg = f"{copy} is the table {path}, in it or around it; name a place beside it for the copy"
        raise InputError(msg)
    if not target.parent.is_dir():
        msg = f"{copy}: the folder {target.parent} does not exist; make it, or name another place"
        raise InputError(msg)
    own = (source, Path(local_path(path)).absolute())
    if any(str(one).startswith(str(other)) for one in own for other in (target, real)):
        msg = (
            f"the path of {path} begins with {copy}, and Hudi treats every path that begins with a table's path as "
            "one of its files; name another place for the copy"
        )
        raise InputError(msg)
    if target.is_symlink() or (target.exists() and not (overwrite and _is_copy(target))):
        why = "already exists" if not overwrite else "is not a copy that rehearse made, and is never replaced"
        msg = f"{copy} {why}; name another place for the copy"
        raise InputError(msg)
    return source, target


def _is_copy(path: Path) -> bool:
    """Whether `copy_table` made what is there."""
    return (path / _METADATA / _MARK).is_file()


def check_plans(source: Path) -> None:
    """Refuse plans that name files by absolute paths: Hudi would go on with them in the copy, and remove these files.

    Those of the metadata table count, too.

    Raises:
        InputError: naming the plan.
    """
    for plan in sorted((source / _METADATA).rglob("*.requested")):
        match = _PLANS.fullmatch(plan.name)
        if match and not any(_completed(plan.parent, *match.groups())):
            msg = (
                f"{source} has a {match[2]} that did not complete, {match[1]}, and its plan names files of the table "
                "itself, which an upgrade of the copy could remove; let Hudi complete it first"
            )
            raise InputError(msg)


def _completed(timeline: Path, requested: str, action: str) -> Iterator[Path]:
    yield from timeline.glob(f"{requested}.{action}")
    yield from timeline.glob(f"{requested}_*.{action}")


def instants_of(path: str) -> tuple[Instant, ...]:
    """Return the active timeline of a table."""
    return tuple(TableQueries(path).timeline.instants)
