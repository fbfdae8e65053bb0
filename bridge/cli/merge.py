"""`payload-bridge merge`: one merge point, run on files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bridge import pipeline
from bridge.cli.hudi_out import hudi_out_of, hudi_out_options, meta_columns_option, written_output
from bridge.cli.on_error import on_error_option
from bridge.cli.options import existing_path, plan_of, plan_options, sample_option, with_schema
from bridge.cli.out import Shown, out_options, target_of
from bridge.cli.quiet import quiet_session
from bridge.cli.verb import Verb, wants_json
from bridge.engines import Fate, recompiled_warnings
from bridge.merge import class_warnings
from bridge.pipeline import POINTS, PointRun, books_table, read_frame, statistics_of, tell_quarantine
from bridge.plan import TableType
from bridge.report import Report, Table, json_rows, limit_of, plan_as_json
from bridge.spark import described, observing, quoted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from bridge.cli.hudi_out import Run
    from bridge.engines import Books, Choice
    from bridge.plan import MergePlan


_TYPES = {
    "combine-input": TableType.COPY_ON_WRITE,
    "upsert": TableType.COPY_ON_WRITE,
    "append": TableType.MERGE_ON_READ,
    "compact": TableType.MERGE_ON_READ,
    "snapshot": TableType.MERGE_ON_READ,
}
"""The table types that have the merge points."""
_WHOLE = ("upsert", "compact", "snapshot")
"""The merge points whose result is rows of a table."""


@click.command(cls=Verb, short_help="Run one write or read on files.")
@click.argument("point", type=click.Choice(list(_TYPES)), metavar="POINT")
@existing_path("--stored", "The rows of the table's base files: a file or flat folder of Parquet, Avro, JSON or CSV.")
@existing_path("--log", "The log of a merge-on-read table, as `merge append` wrote it.")
@existing_path("--incoming", "The batch to merge: a file or flat folder of Parquet, Avro, JSON lines or CSV.")
@out_options
@hudi_out_options
@meta_columns_option
@plan_options
@click.option(
    "--table-type",
    type=click.Choice(["cow", "mor"]),
    help="The type of the table: copy-on-write or merge-on-read. Default: the one that has this merge point.",
)
@on_error_option
@sample_option("rows of the result")
def merge(point: str, out: str | None, table_type: str | None, sample: int | None, **options: Any) -> Report:
    """Run one write or read on files.

    \b
    POINT          merges                 needs
    combine-input  the rows of a batch    --incoming
    upsert         a batch into the rows  --stored, --incoming
    append         a batch onto a log     --stored, --incoming
    compact        the log into the rows  --stored, --log
    snapshot       the same, for a query  --stored, --log

    append takes an older --log, too, and writes two folders below --out: stored and log. A failed merge leaves no
    output, and the old one as it was. With --on-error quarantine there is one more folder, quarantine, and the rows of
    other points are in rows.

    The rows of upsert, compact and snapshot can also be written as Hudi writes them: as a new table by Hudi itself
    (--out-table-format hudi, --bundle), or as files with its meta columns (--meta-columns).
    """  # noqa: D301 (click takes the backspace as "do not wrap")
    paths: dict[str, str] = _inputs(point, options)
    target = target_of(out, options)
    how = hudi_out_of(target, options)
    if how is not None and point not in _WHOLE:
        msg = f"{point} makes no rows of a table; --out-table-format and --meta-columns are for {', '.join(_WHOLE)}"
        raise click.UsageError(msg, click.get_current_context())
    plan = plan_of(TableType(table_type) if table_type else _TYPES[point], **options)

    spark = quiet_session()
    plan, struct = with_schema(plan, options["schema"])
    frames = {
        name: read_frame(spark, path, None if name == "log" else struct, arrival=name == "incoming")
        for name, path in paths.items()
    }
    ran = _choice(point, frames, plan)
    about = {"point": point, "ran": {"engine": ran.engine.value, "why": ran.why}}
    report = Report("merge", "", plan=plan_as_json(plan) | about)
    report.warnings = class_warnings(plan) + recompiled_warnings(plan)
    report.body.append(f"engine {ran.engine}: {ran.why}")
    point_run = PointRun(point, frames, plan)
    with written_output(spark, target, plan, how) as run:
        what = f"{point}: {plan.payload_name}, Hudi {plan.release}, {plan.table_type.long_name}"
        with described(spark, what), observing(spark):
            books = _run(point_run, run)
    report.statistics = statistics_of(books)
    counts = {name.replace("_", " "): n for name, n in report.statistics.items() if isinstance(n, int)}
    report.body.append(", ".join(f"{name} {n}" for name, n in counts.items()))
    report.body.append(books_table(books))
    if isinstance(run, Shown):
        _show(report, run, plan, sample)
    where = "" if target is None else f", written to {target.path}"
    report.verdict = f"{point}: {books.rows_out} rows{where}."
    newer = [side for side in books.rows_in if side != "stored"]
    tell_quarantine(
        report,
        books.total(Fate.QUARANTINED),
        all_that_came=books.total(Fate.QUARANTINED, newer) == sum(books.rows_in[side] for side in newer),
        where="among the results" if target is None else f"in {target.path}/quarantine",
    )
    return report


# -- the command line


def _inputs(point: str, options: dict[str, Any]) -> dict[str, str]:
    """Take the inputs out of the options: all that the point needs, and any that it may have."""
    given = {name: options.pop(name) for name in ("stored", "log", "incoming")}
    given = {name: path for name, path in given.items() if path is not None}
    needed, optional = POINTS[point]
    missing = [f"--{name}" for name in needed if name not in given]
    if missing:
        msg = f"merge {point} needs {' and '.join(missing)}"
        raise click.UsageError(msg, click.get_current_context())
    extra = [f"--{name}" for name in given if name not in {*needed, *optional}]
    if extra:
        msg = f"merge {point} does not take {' and '.join(extra)}; remove it"
        raise click.UsageError(msg, click.get_current_context())
    return given


# -- running


def _choice(point: str, frames: dict[str, DataFrame], plan: MergePlan) -> Choice:
    """Return which engine runs a merge point, and why."""
    newer = frames["log" if point in {"snapshot", "compact"} else "incoming"]
    is_global = plan.global_index and point in {"upsert", "append"}
    program = point.replace("-", "_") + ("_global_index" if is_global else "")
    stored = [frames["stored"]] if "stored" in frames else []
    return pipeline.choice_of(program, plan, newer, *stored)


def _run(run: PointRun, out: Run) -> Books:
    """Write the results of a merge point in one pass over its inputs; several are split once the outcomes are written.

    Raises:
        BooksError: the rows that came in are not those that are accounted for.
    """
    if run.has_one_result:
        for frame in run.split(run.outcomes).values():
            out.write(frame)
        return run.books(run.outcomes)
    written = out.aside(run.outcomes, "outcomes")
    books = run.books(written)
    for name, frame in run.split(written).items():
        out.write(frame, name)
    out.drop("outcomes")
    return books


def _show(report: Report, run: Shown, plan: MergePlan, sample: int | None) -> None:
    """Add the rows to the report."""
    all_rows = wants_json()
    for name, frame in run.frames.items():
        total = frame.count()
        shown = min(total, limit_of(sample, whole=all_rows))
        rows = json_rows(frame.orderBy(*map(quoted, plan.identity)).limit(shown))
        report.results += [{"to": name, **row} for row in rows] if name else rows
        if all_rows and shown < total:
            report.warnings.append(f"results has {shown} of {total} {name or 'result'} rows (--sample)")
        title = f"{name or 'rows'}: {total}" if shown == total else f"{name or 'rows'}: {shown} of {total}"
        report.body.append(Table.of_rows(tuple(frame.columns), rows, title))
