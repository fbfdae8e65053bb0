"""A real table as the input of a verb: the options that name it, and the checks that it comes with."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bridge.cli.inputs import TABLE
from bridge.cli.parameters import derived_option
from bridge.cli.paths import spelt_like
from bridge.cli.quiet import quiet_session
from bridge.cli.terminal import terminal_option
from bridge.cli.verb import NOTED
from bridge.hudi import HudiTable, altered_text, check_whole
from bridge.spark import catalog_location

if TYPE_CHECKING:
    from payloads import HudiRelease, PayloadRef


table_argument = click.argument("table", metavar="TABLE")
table_option = terminal_option(
    "--table",
    metavar="PATH|NAME",
    help="A Hudi table: its base path, local or a URI, or its name in Spark's catalogue (db.orders). Its own settings "
    "decide how it merges.",
)
bootstrap_option = derived_option(HudiTable.__init__, "bootstrap", metavar="PATH")
reader_option = derived_option(HudiTable.__init__, "release")
engine_option = derived_option(HudiTable.__init__, "engine")
_STRICT = "bridge.strict"


def _be_strict(context: click.Context, _: click.Parameter, value: bool) -> None:  # noqa: FBT001 (by click)
    context.meta[_STRICT] = value


strict_option = terminal_option(
    "--strict",
    needs=("table",),
    is_flag=True,
    expose_value=False,
    callback=_be_strict,
    help="Fail if files are missing or differ from what their commit wrote. Default: warn.",
)
_NAME = re.compile(r"[\w`-]+(\.[\w`-]+){1,2}")


def check_files(table: HudiTable, *, refuses: bool = False) -> HudiTable:
    """Warn of files that are missing, or not as their commit wrote them; return the table.

    Raises:
        AlteredTableError: there are some, and the verb `refuses` such tables, or the command line says `--strict`.
        HudiTableError: the table can't be read, and the verb `refuses` such tables; others say so when they read it.
    """
    context = click.get_current_context()
    if refuses or context.meta.get(_STRICT):
        check_whole(table)
        return table
    if found := table.altered_files():
        context.meta.setdefault(NOTED, []).append(altered_text(table.path, found))
    return table


def open_table(text: str, release: HudiRelease | None, *, refuses: bool = False, **known: Any) -> HudiTable:
    """Open a table as `release` reads it; None is the release that counts as the table's writer.

    `known` is what else `HudiTable` takes: the class that merges, bootstrapped files, the engine.
    Of one with missing or altered files, `check_files` warns, or `refuses` it.

    Raises:
        UsageError: a local path that is not there.
        InputError: the catalogue has no such table.
        HudiTableError: the path has no table, or one that the release can't read.
    """
    path = located(text)
    table = HudiTable(quiet_session(), path, release, **known)
    return check_files(table, refuses=refuses)


def open_written(
    text: str, release: HudiRelease | None, *, payload: PayloadRef | None, call_timeout: int, refuses: bool = False
) -> HudiTable:
    """Open a table that a writer goes on with, who passes a class: its versions merge by its own class or mode.

    Where that is one that Hudi does not ship, they merge by the writer's. Arguments and errors as in `open_table`.
    """
    table = open_table(text, release, refuses=refuses, call_timeout=call_timeout)
    if payload is None or not table.lacks_class:
        return table
    return HudiTable(table.spark, table.path, release, payload=payload, call_timeout=call_timeout)


def located(text: str) -> str:
    """Return the base path of a table: the text itself, or what the session's catalogue says of the table so named.

    Raises:
        UsageError: a local path that is not there.
        InputError: the catalogue has no such table.
    """
    name = text.removeprefix(TABLE)
    if name == text and (":/" in text or Path(text).exists()):
        return text
    if name == text and (_NAME.fullmatch(name) is None or name.endswith(".properties")):
        msg = (
            f"{text} does not exist; name the base path of a Hudi table, or a table of the catalogue{spelt_like(text)}"
        )
        raise click.UsageError(msg, click.get_current_context())
    return catalog_location(quiet_session(), name)
