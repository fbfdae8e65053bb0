"""A real table as the input of a verb: the options that name it, and the checks that it comes with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from bridge.cli.quiet import quiet_session
from bridge.config import assumed_writer
from bridge.hudi import HudiTable, TableQueries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from payloads import HudiRelease

F = TypeVar("F", bound="Callable[..., Any]")

table_argument = click.argument("table", metavar="TABLE")
table_option = click.option(
    "--table",
    metavar="PATH",
    help="A Hudi table: its base path, local or a URI. Its own settings decide how it merges.",
)


def open_table(path: str, release: HudiRelease | None) -> HudiTable:
    """Open a table as `release` reads it; None is the release that counts as the table's writer.

    Raises:
        UsageError: a local path that is not there.
        HudiTableError: the path has no table, or one that the release can't read.
    """
    check_path(path)
    spark = quiet_session()
    if release is None:
        release = assumed_writer(TableQueries(path).properties.merge.version)
    return HudiTable(spark, path, release)


def check_path(path: str) -> None:
    """Refuse a local path that is not there.

    Raises:
        UsageError: naming it.
    """
    if ":/" not in path and not Path(path).exists():
        msg = f"{path} does not exist; name the base path of a Hudi table"
        raise click.UsageError(msg, click.get_current_context())


def refuse_given(names: Iterable[str], why: str) -> None:
    """Refuse options that the user gave.

    Raises:
        UsageError: naming the first of them.
    """
    context = click.get_current_context()
    for name in names:
        if context.get_parameter_source(name) not in {None, ParameterSource.DEFAULT}:
            given = next(one.opts[0] for one in context.command.params if one.name == name)
            msg = f"{given} {why}"
            raise click.UsageError(msg, context)
