"""`migrate --script` and `--apply-to-copy`: the plan of the one table as a script, and that script on a copy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bridge.cli.decorators import with_options
from bridge.cli.parameters import refused
from bridge.cli.quiet import quiet_session
from bridge.cli.rebuilt_input import holds_rows
from bridge.cli.terminal import terminal_option
from bridge.cli.writing import OVERWRITE, asks_for, may_replace, stop_if_dry
from bridge.errors import InputError
from bridge.hudi import HudiTable
from bridge.migration import apply_to_copy, check_copy, migration_script, statement_of
from bridge.report import FAILS, Severity
from bridge.verify import write
from mergers.rules.source import NotStatedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from bridge.cli.decorators import Options
    from bridge.migration import MigrateReport
    from bridge.report import Report

_SCRIPT = terminal_option(
    "--script",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the whole migration as a PySpark script, with checks before and after, and the undo. Needs --table.",
)
_COPY = terminal_option(
    "--apply-to-copy",
    metavar="PATH",
    help="Copy the table to this folder, and run that script there with the released bundle. Needs --table.",
)


_SQL = terminal_option(
    "--sql",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the rule of a custom class as a MERGE INTO statement of Spark SQL, for Delta, Iceberg or Hudi.",
)


def script_options(command: Callable[..., object]) -> Callable[..., object]:
    """Add `--script`, `--apply-to-copy` and `--sql`."""
    return with_options(command, (_SCRIPT, _COPY, _SQL))


def check_script_options(path: str | None, options: Options) -> None:
    """Refuse what can't be written, before anything runs.

    Raises:
        UsageError: an option needs a table that was not given, or a file that it would write exists.
    """
    for name in ("script", "apply_to_copy"):
        if options[name] is not None and path is None:
            msg = f"--{name.replace('_', '-')} needs a table; add --table"
            raise click.UsageError(msg, click.get_current_context())
    if options["apply_to_copy"] is not None and not holds_rows(str(path)):
        msg = f"--apply-to-copy copies a table, but {path} is only its properties file; name the table's base path"
        raise click.UsageError(msg, click.get_current_context())
    for name in ("script", "sql"):
        if options[name] is not None:
            may_replace(options[name], f"--{name}")
    if options["apply_to_copy"] is not None:
        with refused(InputError):
            check_copy(str(path), options["apply_to_copy"], overwrite=asks_for(OVERWRITE))


def state_in_sql(made: MigrateReport, report: Report, file: Path | None) -> None:
    """Write the rule of the class as a MERGE statement; the report fails where SQL can't say it, and names what.

    It does not depend on what is recommended: it is the rule of the class itself.
    """
    if file is None:
        return
    try:
        text = statement_of(made.left, made.generated.rules)
    except NotStatedError as error:
        report.found(Severity.REFUSED)
        report.fails = FAILS
        report.warnings.append(f"no MERGE statement was written: {error}")
        return
    stop_if_dry()
    write(text, file)
    report.body.append(f"Written to {file}: the rule of the class as a MERGE statement")


def carry_out(made: MigrateReport, report: Report, path: str | None, options: Options) -> None:
    """Write the script, and run it on a copy, where the options ask for it; the report says what was done.

    Raises:
        PlanError, InputError, NotRunError: as `apply_to_copy`.
    """
    script, copy = options["script"], options["apply_to_copy"]
    if (script is None and copy is None) or not made.is_accepted:
        return
    stop_if_dry()
    (plan,) = made.plans.values()
    if script is not None:
        write(migration_script(plan, made.verdict), script)
        report.body.append(f"Written to {script}: the migration as a script")
    if copy is not None:
        table = HudiTable(quiet_session(), str(path), plan.from_release)
        done = apply_to_copy(table, plan, copy, overwrite=asks_for(OVERWRITE))
        report.body.append("\n".join(done.lines()))
        report.statistics["copy"] = {"path": str(done.copied.path), "success": done.success, "sha256": done.checksum}
        if not done.success:
            report.found(Severity.CHANGED if done.failed is None else Severity.REFUSED)
            report.fails = FAILS
