"""`--out`: complete or absent, on any storage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from pyspark.sql import SparkSession

from bridge.cli.decorators import with_options
from bridge.cli.parameters import refused
from bridge.cli.terminal import terminal_option
from bridge.cli.values import names
from bridge.cli.writing import OVERWRITE, asks_for, check_later, may_replace
from bridge.spark import OUTPUT_FORMATS, Target, check_table, check_target, is_local, local_path, place_of

if TYPE_CHECKING:
    from bridge.cli.decorators import Decorator, F


_NEEDS = ("out", "out_table")
_OPTIONS: tuple[Decorator, ...] = (
    terminal_option(
        "--out",
        metavar="PATH",
        help="Write the rows to this folder, local or on a storage (s3a://bucket/rows). Default: print them.",
    ),
    terminal_option(
        "--out-format",
        needs=_NEEDS,
        type=click.Choice(OUTPUT_FORMATS),
        default=OUTPUT_FORMATS[0],
        show_default=True,
        help="The format of --out.",
    ),
    terminal_option(
        "--partition-by",
        needs=_NEEDS,
        type=names,
        metavar="a[,b]",
        help="The columns whose values name folders in --out.",
    ),
    terminal_option(
        "--out-table",
        metavar="TABLE",
        help="Write the rows to this table of the session's catalogue (db.rows) instead.",
    ),
)


def out_options(command: F) -> F:
    """Add `--out` and how it is written; `target_of` reads them."""
    return with_options(command, _OPTIONS)


def target_of(out: str | None, options: dict[str, Any]) -> Target | None:
    """Take the options of `out_options` out of `options`; None if rows are printed.

    Raises:
        UsageError: a local output that exists, or whose folder does not; options that need `--out`, or exclude it.
    """
    form, columns, table = (options.pop(name) for name in ("out_format", "partition_by", "out_table"))
    if out is None and table is None:
        return None
    if out is not None and table is not None:
        msg = "--out and --out-table exclude each other; give one"
        raise click.UsageError(msg, click.get_current_context())
    target = Target(table or out or "", form, columns or (), asks_for(OVERWRITE), is_table=table is not None)
    return _checked(target)


def folder_of(out: str | None) -> Target | None:
    """Return where a verb writes a folder of texts; None if nowhere.

    Raises:
        UsageError: a local output that exists and may not be replaced, or whose folder does not exist.
    """
    return None if out is None else _checked(Target(out, overwrite=asks_for(OVERWRITE)))


def _checked(target: Target) -> Target:
    """Check an output on this machine; one on a storage is checked once there is a session."""
    if target.is_table:
        is_of_verb = SparkSession.getActiveSession() is None
        check_later(lambda spark: check_table(spark, target, ends=is_of_verb))
        return target
    if not is_local(target.path):
        check_later(lambda spark: check_target(target, place_of(target.path, spark)))
        return target
    with refused():
        check_target(target, place_of(target.path))
    may_replace(local_path(target.path), "--out")
    return target
