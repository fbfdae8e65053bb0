"""`--out-table-format hudi` and `--meta-columns`: rows as a new Hudi table, or as files with Hudi's meta columns."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import click

from bridge.cli.decorators import with_options
from bridge.cli.needs import refuse_given
from bridge.cli.on_error import refuse_quarantine
from bridge.cli.parameters import derived_option, refused
from bridge.cli.session import bundle_option
from bridge.cli.terminal import terminal_option
from bridge.config import CHOSEN_VERSIONS
from bridge.errors import InputError
from bridge.spark import output, output_folder
from bridge.write import FilesRun, NewTableRun, check_form, new_table, write_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    from bridge.cli.decorators import Decorator, F
    from bridge.plan import MergePlan
    from bridge.spark import OutputRun, TableRun, Target

    Run: TypeAlias = OutputRun | TableRun | NewTableRun | FilesRun


_NEEDS = ("out_table_format",)
_OPTIONS: tuple[Decorator, ...] = (
    terminal_option(
        "--out-table-format",
        type=click.Choice(["hudi"]),
        help="Write --out as a new Hudi table, with Hudi's own writer (--bundle); later writes replace its rows.",
    ),
    derived_option(
        write_table, "table_version", needs=_NEEDS, type=click.Choice(list(map(str, CHOSEN_VERSIONS))), metavar=None
    ),
    derived_option(write_table, "write_options", "--write-option", needs=_NEEDS),
    bundle_option,
)
meta_columns_option = terminal_option(
    "--meta-columns",
    is_flag=True,
    help="Write --out as base files are named and laid out: Hudi's five meta columns first, one folder per partition.",
)


class HudiOut(NamedTuple):
    """How rows are written for Hudi.

    Attributes:
        is_table: whether as a table; else as files with meta columns.
        version: of the table; None for the bundle's own.
        options: of the table's writer.
    """

    is_table: bool
    version: int | None
    options: dict[str, str]


def hudi_out_options(command: F) -> F:
    """Add `--out-table-format` and what belongs to it; `hudi_out_of` reads them."""
    return with_options(command, _OPTIONS)


def hudi_out_of(target: Target | None, options: dict[str, Any]) -> HudiOut | None:
    """Take these options out of `options`; None where `--out` is plain rows.

    Raises:
        UsageError: they need or exclude another option.
    """
    names = ("out_table_format", "table_version", "write_options")
    form, version, settings = (options.pop(name) for name in names)
    has_meta = options.pop("meta_columns", False)
    message = None
    if (form or has_meta) and (target is None or target.is_table):
        message = f"{'--out-table-format' if form else '--meta-columns'} applies to --out; add --out"
    elif form and has_meta:
        message = "--meta-columns is for files, but a Hudi table always has these columns; leave one out"
    elif (form or has_meta) and target is not None and target.partition_by:
        message = "--partition-by is for plain rows; the folders are those of the table's partition columns"
    if message is not None:
        raise click.UsageError(message, click.get_current_context())
    if form:
        refuse_given(["out_format"], "is for plain rows, and Hudi's own writer has its own; leave it out")
        refuse_quarantine(options, "a Hudi table can't hold quarantined keys")
    elif not has_meta or target is None:
        return None
    else:
        with refused(InputError):
            check_form(target.format)
    return HudiOut(bool(form), None if version is None else int(version), dict(settings))


@contextlib.contextmanager
def written_output(spark: SparkSession, target: Target, plan: MergePlan | None, how: HudiOut | None) -> Iterator[Run]:
    """Yield a run that becomes the output if the block succeeds; the plan names the key of its rows."""
    if how is None or plan is None:
        with output(spark, target) as run:
            yield run
    elif how.is_table:
        with new_table(spark, target, plan, table_version=how.version, write_options=how.options) as table:
            yield table
    else:
        with output_folder(spark, target) as folder:
            yield FilesRun(folder, plan, target.format)
