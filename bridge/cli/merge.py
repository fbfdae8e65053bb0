"""`payload-bridge merge`: one merge point, run on files."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import click
from pyspark.sql import Observation
from pyspark.sql import functions as sf

from bridge import pipeline
from bridge.cli.options import existing_path, plan_of, plan_options, sample_option, with_schema
from bridge.cli.out import Shown, out_options, target_of
from bridge.cli.quiet import quiet_session
from bridge.cli.verb import Verb, wants_json
from bridge.engines import ACTION, IS_DELETE
from bridge.merge import Action
from bridge.pipeline import read_frame, visible
from bridge.plan import TableType
from bridge.report import Report, Table, json_rows, limit_of, plan_as_json
from bridge.spark import output, quoted

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from bridge.engines import Choice
    from bridge.plan import MergePlan
    from bridge.spark import OutputRun, TableRun

    Run: TypeAlias = OutputRun | TableRun | Shown


class Point(NamedTuple):
    """The inputs of a merge point, and the table type that has it."""

    required: tuple[str, ...]
    table_type: TableType
    optional: tuple[str, ...] = ()


POINTS = {
    "combine-input": Point(("incoming",), TableType.COPY_ON_WRITE),
    "upsert": Point(("stored", "incoming"), TableType.COPY_ON_WRITE),
    "append": Point(("stored", "incoming"), TableType.MERGE_ON_READ, ("log",)),
    "compact": Point(("stored", "log"), TableType.MERGE_ON_READ),
    "snapshot": Point(("stored", "log"), TableType.MERGE_ON_READ),
}

_COUNTED = {
    "inserted": Action.INSERT,
    "merged": Action.UPDATE,
    "kept": Action.KEEP,
    "deleted": Action.DELETE,
    "ignored": Action.SKIP,
}
_VISIBLE = ("inserted", "merged", "kept")


@click.command(cls=Verb, short_help="Run one write or read on files.")
@click.argument("point", type=click.Choice(list(POINTS)), metavar="POINT")
@existing_path("--stored", "The rows of the table's base files: a file or flat folder of Parquet, Avro, JSON or CSV.")
@existing_path("--log", "The log of a merge-on-read table, as `merge append` wrote it.")
@existing_path("--incoming", "The batch to merge: a file or flat folder of Parquet, Avro, JSON lines or CSV.")
@out_options
@plan_options
@click.option(
    "--table-type",
    type=click.Choice(["cow", "mor"]),
    help="The type of the table: copy-on-write or merge-on-read. Default: the one that has this merge point.",
)
@sample_option("rows of the result")
def merge(point: str, out: str | None, table_type: str | None, sample: int | None, **options: Any) -> Report:
    """Run one write or read on files.

    \b
    combine-input  deduplicate a batch           needs --incoming
    upsert         merge a batch into the rows   needs --stored, --incoming
    append         write a batch to a log        needs --stored, --incoming, takes --log
    compact        merge the log into the rows   needs --stored, --log
    snapshot       what a query sees             needs --stored, --log

    append writes two folders below --out: stored and log. A failed merge leaves no output, and the old one as it was.
    """  # noqa: D301 (click takes the backspace as "do not wrap")
    paths: dict[str, str] = _inputs(point, options)
    plan = plan_of(TableType(table_type) if table_type else POINTS[point].table_type, **options)
    target = target_of(out, options)

    spark = quiet_session()
    plan, struct = with_schema(plan, options["schema"])
    frames = {
        name: read_frame(spark, path, None if name == "log" else struct, arrival=name == "incoming")
        for name, path in paths.items()
    }
    ran = _choice(point, frames, plan)
    about = {"point": point, "ran": {"engine": ran.engine.value, "why": ran.why}}
    report = Report("merge", "", plan=plan_as_json(plan) | about)
    report.body.append(f"engine {ran.engine}: {ran.why}")
    with contextlib.nullcontext(Shown()) if target is None else output(spark, target) as run:
        report.statistics = _run(point, frames, plan, run)
    report.body.append(", ".join(f"{name.replace('_', ' ')} {n}" for name, n in report.statistics.items()))
    if isinstance(run, Shown):
        _show(report, run, plan, sample)
    rows = report.statistics["rows_out"]
    where = "" if target is None else f", written to {target.path}"
    report.verdict = f"{point}: {rows} rows{where}."
    return report


# -- the command line


def _inputs(point: str, options: dict[str, Any]) -> dict[str, str]:
    """Take the inputs out of the options: all that the point needs, and any that it may have."""
    given = {name: options.pop(name) for name in ("stored", "log", "incoming")}
    given = {name: path for name, path in given.items() if path is not None}
    needed, optional = POINTS[point].required, POINTS[point].optional
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


def _run(point: str, frames: dict[str, DataFrame], plan: MergePlan, run: Run) -> dict[str, int]:
    """Write the result of a merge point, and count rows in the same pass."""
    inputs = []
    for name in POINTS[point].required:
        inputs.append(Observation())
        frames[name] = frames[name].observe(inputs[-1], sf.count(sf.lit(1)).alias("rows"))
    changes = Observation()
    outcomes = _outcomes(point, frames, plan).observe(changes, *_counts(point))
    if point == "append":
        _write_appended(outcomes, frames.get("log"), run)
    else:
        run.write(outcomes if point == "combine-input" else visible(outcomes))
    rows_in = sum(int(observation.get["rows"]) for observation in inputs)
    counts = {name: int(changes.get[name]) for name in _COUNTED}
    if point == "combine-input":
        counts["merged"] = rows_in - counts["inserted"]
        rows_out = counts["inserted"]
    else:
        rows_out = sum(counts[name] for name in _VISIBLE)
        if point == "append":
            logged = ("merged", "inserted") if plan.inserts_to == "log" else ("merged",)
            rows_out -= sum(counts[name] for name in logged)
    return {"rows_in": rows_in, "rows_out": rows_out, **counts, "quarantined": 0}


def _outcomes(point: str, frames: dict[str, DataFrame], plan: MergePlan) -> DataFrame:
    match point:
        case "combine-input":
            return pipeline.combine_input(frames["incoming"], plan)
        case "upsert":
            return pipeline.upsert_outcomes(frames["stored"], frames["incoming"], plan)
        case "append":
            return pipeline.append_outcomes(frames["stored"], frames["incoming"], plan, frames.get("log"))
        case _:
            return pipeline.read_outcomes(frames["stored"], frames["log"], plan, program=point)


def _counts(point: str) -> list[Column]:
    """Return the counts of outcomes; a combined batch has no actions, only rows and deletes among them."""
    if point == "combine-input":
        conditions = {"inserted": sf.lit(True), "deleted": sf.col(IS_DELETE)}
    else:
        conditions = {name: sf.col(ACTION) == int(action) for name, action in _COUNTED.items()}
    never = sf.lit(False)
    return [sf.count(sf.when(conditions.get(name, never), 1)).alias(name) for name in _COUNTED]


def _write_appended(outcomes: DataFrame, log: DataFrame | None, run: Run) -> None:
    """Write both results of `append` in one pass over the inputs: its outcomes are written first, then split."""
    written = run.aside(outcomes, "outcomes")
    for frame, name in zip(pipeline.appended(written, log), ("stored", "log"), strict=True):
        run.write(frame, name)
    run.drop("outcomes")


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
