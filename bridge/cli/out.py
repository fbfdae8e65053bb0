"""The folder of `--out`: new, and complete or absent."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bridge.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator


def check_out(out: Path | None) -> None:
    """Reject a folder that exists, or whose parent does not.

    Raises:
        UsageError: saying what to name instead.
    """
    if out is None:
        return
    if out.exists() or out.is_symlink():
        msg = f"--out {out} already exists and is never overwritten; name a new folder or remove it"
        raise click.UsageError(msg, click.get_current_context())
    if not out.absolute().parent.is_dir():
        msg = f"--out {out}: the folder {out.absolute().parent} does not exist; create it first"
        raise click.UsageError(msg, click.get_current_context())


@contextlib.contextmanager
def new_folder(out: Path | None) -> Iterator[Path]:
    """Yield a path that becomes `out` if the block succeeds, and is removed if it fails or nothing should remain.

    Raises:
        InputError: another process created `out` in the meantime.
    """
    parent = None if out is None else out.absolute().parent
    with tempfile.TemporaryDirectory(prefix=".payload-bridge-", dir=parent) as temporary:
        result = Path(temporary) / "result"
        yield result
        if out is not None:
            if out.exists():
                msg = f"--out {out} was created by another process in the meantime; name another folder"
                raise InputError(msg)
            result.rename(out)
