"""When a verb may write: over something else only with `--overwrite`, never with `--dry-run`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from bridge.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

    from bridge.spark import Place

OVERWRITE: Final = "bridge.overwrite"
DRY_RUN: Final = "bridge.dry-run"
"""Whether the verb that runs has the options, in the meta of its context."""

_LATER: Final = "bridge.checks-of-storage"
"""Checks of names on a storage, which need the credentials of a session."""


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


def check_later(check: Callable[[SparkSession], None]) -> None:
    """Let a check of what is to be written to a storage run as soon as the verb has a session."""
    click.get_current_context().meta.setdefault(_LATER, []).append(check)


def check_storage(spark: SparkSession) -> None:
    """Run these checks, once.

    Raises:
        InputError: something is there already, or the storage can't be reached.
    """
    context = click.get_current_context(silent=True)
    for check in [] if context is None else context.meta.pop(_LATER, []):
        check(spark)


def check_report(place: Place) -> None:
    """Reject a report on a storage that is there already, unless the verb has `--overwrite`.

    Raises:
        InputError: saying what to name instead; or the storage can't be reached.
    """
    if not asks_for(OVERWRITE) and place.exists():
        msg = f"--report {place} already exists; name another, or add --overwrite"
        raise InputError(msg)


def asks_for(option: str) -> bool:
    """Whether the verb that runs has an option of this module."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(option))
