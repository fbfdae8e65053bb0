"""When a verb may write: over something else only with `--overwrite`, never with `--dry-run`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

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
    if asks_for(DRY_RUN):
        raise DryRunEnd


def may_replace(path: Path, option: str) -> None:
    """Reject a file or folder that exists, unless the verb has `--overwrite`.

    Raises:
        UsageError: saying what to name instead.
    """
    if not path.exists() and not path.is_symlink():
        return
    if not asks_for(OVERWRITE):
        msg = f"{option} {path} already exists; name another, or add --overwrite"
        raise click.UsageError(msg, click.get_current_context())
    if path.is_symlink() or path.absolute() in (here := Path.cwd().absolute(), *here.parents):
        msg = f"{option} {path} is a link or holds the working directory, and is never replaced; name another"
        raise click.UsageError(msg, click.get_current_context())


def asks_for(option: str) -> bool:
    """Whether the verb that runs has an option of this module."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(option))
