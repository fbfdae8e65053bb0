"""What a verb writes: complete or not at all, over something else only with `--overwrite`, never with `--dry-run`."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from bridge.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator


OVERWRITE: Final = "bridge.overwrite"
DRY_RUN: Final = "bridge.dry-run"
"""Whether the verb that runs has the options, in the meta of its context."""


class DryRunEnd(Exception):  # noqa: N818 (nothing is wrong)
    """A dry run has checked what it can."""


def stop_if_dry() -> None:
    """End a dry run: from here on the verb runs merges or writes.

    Raises:
        DryRunEnd: the verb has `--dry-run`.
    """
    if _asked(DRY_RUN):
        raise DryRunEnd


def may_replace(path: Path, option: str) -> None:
    """Reject a file or folder that exists, unless the verb has `--overwrite`.

    Raises:
        UsageError: saying what to name instead.
    """
    if not path.exists() and not path.is_symlink():
        return
    if not _asked(OVERWRITE):
        msg = f"{option} {path} already exists; name another, or add --overwrite"
        raise click.UsageError(msg, click.get_current_context())
    if path.is_symlink() or path.absolute() in (here := Path.cwd().absolute(), *here.parents):
        msg = f"{option} {path} is a link or holds the working directory, and is never replaced; name another"
        raise click.UsageError(msg, click.get_current_context())


def _asked(option: str) -> bool:
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(option))


def check_out(out: Path | None) -> None:
    """Reject a folder that exists and may not be replaced, or whose parent does not exist.

    Raises:
        UsageError: saying what to name instead.
    """
    if out is None:
        return
    may_replace(out, "--out")
    if not out.absolute().parent.is_dir():
        msg = f"--out {out}: the folder {out.absolute().parent} does not exist; create it first"
        raise click.UsageError(msg, click.get_current_context())


@contextlib.contextmanager
def new_folder(out: Path | None) -> Iterator[Path]:
    """Yield a path that becomes `out` if the block succeeds, and is removed if it fails or nothing should remain.

    Raises:
        DryRunEnd: the verb has `--dry-run`.
        InputError: another process created `out` in the meantime.
    """
    stop_if_dry()
    parent = None if out is None else out.absolute().parent
    with tempfile.TemporaryDirectory(prefix=".payload-bridge-", dir=parent) as temporary:
        result = Path(temporary) / "result"
        yield result
        if out is not None:
            if _asked(OVERWRITE) and out.exists():
                out.rename(Path(temporary) / "replaced")
            if out.exists():
                msg = f"--out {out} was created by another process in the meantime; name another folder"
                raise InputError(msg)
            result.rename(out)
