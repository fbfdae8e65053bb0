"""The folder of `--out`: new, whole or not there at all."""

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
    """Refuse a folder that is there already, or whose parent is not.

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
    """Give a path that becomes `out` where the block succeeds, and vanishes where it fails or nothing is to stay.

    Raises:
        InputError: somebody else made `out` meanwhile.
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
