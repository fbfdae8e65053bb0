"""`payload-bridge simulate`: batches through all merge points of a release, with the snapshot after each."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource
from pyspark.sql import functions as sf

from bridge import pipeline
from bridge.cli.options import (
    SAMPLE,
    batches_option,
    compaction_options,
    compactions_of,
    plan_of,
    plan_options,
    refuse,
    sample_option,
    with_schema,
)
from bridge.cli.paths import path_report
from bridge.cli.quiet import quiet_session
from bridge.cli.verb import Verb, wants_json
from bridge.cli.versions import read_versions
from bridge.engines import COMMIT
from bridge.pipeline import Figures, disagreements, figures, read_batches
from bridge.plan import TableType
from bridge.programs import check_plan
from bridge.report import Report, Table, json_rows, plan_as_json
from bridge.spark import is_small, kept, quoted, visible
from payloads import PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from pyspark.sql import DataFrame

    from bridge.plan import MergePlan

    Snapshots = Mapping[TableType, DataFrame]


@click.command(cls=Verb, short_help="Write batches to a new table and show each snapshot.")
@batches_option
@plan_options
@click.option(
    "--table-type",
    type=click.Choice(["cow", "mor", "both"]),
    default="cow",
    show_default=True,
    help="The type of the table: copy-on-write, merge-on-read, or both side by side. With --all-paths both, unless one "
    "is given.",
)
@click.option(
    "--all-paths",
    is_flag=True,
    help="Try both table types, every compaction point and every way of splitting the rows of a key into batches, and "
    "show the keys whose row depends on that.",
)
@compaction_options
@sample_option("rows of a snapshot, or keys")
def simulate(batches: Path, table_type: str, sample: int | None, *, all_paths: bool, **options: Any) -> Report:
    """Write batches to a new table, and show what a query sees after each.

    No table is created: the batches go through the same merge points as in Hudi. JSON has every snapshot; text shows
    what each commit changed and, with --table-type both, the keys on which the two table types disagree.

    With --all-paths the batches take every path through both table types instead; the result is the keys whose row
    depends on the path, with the smallest sequence of versions that shows it. The exit code is 1 if there are any.

    Example: payload-bridge simulate --batches days/ --payload AWSDmsAvroPayload --release 0.15 --key id --ordering ts
    --table-type both
    """
    types = list(TableType) if table_type == "both" or (all_paths and _is_default()) else [TableType(table_type)]
    plan = plan_of(types[0], **options)
    if all_paths:
        _check_all_paths(plan, options)
    compactions = compactions_of(options["compact_after"], options["compact_every"], len(visible(batches)), types)

    spark = quiet_session(small=is_small(batches))
    plan, struct = with_schema(plan, options["schema"])
    if all_paths:
        return path_report(read_batches(spark, batches, struct), plan, types, sample)
    read = read_versions(spark, batches, struct, plan)
    commits = len(read.names)
    plans = {one: dataclasses.replace(plan, table_type=one) for one in types}
    report = Report("simulate", "", plan=plan_as_json(plan) | {"table_type": table_type})
    report.plan["compact_after"] = list(compactions)
    with _kept(
        {
            one: pipeline.simulate_commits(read.frame, own, commits=commits, compact_after=compactions)
            for one, own in plans.items()
        }
    ) as snapshots:
        found = {one: figures(frame, plan.identity, commits) for one, frame in snapshots.items()}
        if len(types) > 1:
            left, right = snapshots.values()
            differing = disagreements(left, right, plan.identity)
            counts = dict(map(tuple, differing.groupBy(COMMIT).count().collect()))
            _tell(report, found, counts, read.names, read.rows)
            last = differing.where(sf.col(COMMIT) == commits).drop(COMMIT)
            _name_keys(report, last, counts.get(commits, 0), commits, sample)
        else:
            _tell(report, found, {}, read.names, read.rows)
        if wants_json():
            _add_snapshots(report, snapshots, commits, plan.identity, sample)
    return report


def _check_all_paths(plan: MergePlan, options: Mapping[str, Any]) -> None:
    """Reject options that contradict `--all-paths`.

    Raises:
        UsageError: saying what to leave out.
    """
    if options["compact_after"] or options["compact_every"]:
        msg = "--all-paths tries every compaction point; leave out --compact-after and --compact-every"
        raise click.UsageError(msg)
    try:
        check_plan(plan)
    except PayloadBridgeError as error:
        refuse(error)


def _is_default() -> bool:
    """Whether the command line names no table type."""
    return click.get_current_context().get_parameter_source("table_type") is ParameterSource.DEFAULT


@contextlib.contextmanager
def _kept(snapshots: dict[TableType, DataFrame]) -> Iterator[Snapshots]:
    """Keep the rows of simulations while they are used several times."""
    held = {one: kept(frame) for one, frame in snapshots.items()}
    try:
        yield held
    finally:
        for frame in held.values():
            frame.unpersist()


# -- the report


def _tell(
    report: Report,
    found: dict[TableType, list[Figures]],
    differing: dict[int, int],
    batches: list[str],
    rows_in: int,
) -> None:
    """Put the figures of all commits into the report; `differing` are the keys on which table types disagree."""
    lines = []
    for one, all_figures in found.items():
        for batch, own in zip(batches, all_figures, strict=True):
            line = {"table type": one.value, "batch": batch, **own._asdict()}
            if len(found) > 1:
                line["disagree"] = differing.get(own.commit, 0)
            lines.append(line)
    report.body.append(Table.of_rows(tuple(lines[0]), lines, "What each commit changed in the snapshot"))

    totals = {name: sum(getattr(own, name) for all_ in found.values() for own in all_) for name in Figures._fields[2:]}
    rows_out = sum(all_figures[-1].rows for all_figures in found.values())
    written = rows_in * len(found)
    report.statistics = {
        "rows_in": written,
        "rows_out": rows_out,
        "inserted": totals["inserted"],
        "merged": totals["changed"],
        "deleted": totals["deleted"],
        "ignored": written - sum(totals.values()),
        "quarantined": 0,
        "commits": len(batches),
    }
    rows = " and ".join(f"{all_figures[-1].rows} ({one.value})" for one, all_figures in found.items())
    report.verdict = f"{rows_in} rows in {len(batches)} batches; the last snapshot has {rows} rows."


def _name_keys(report: Report, keys: DataFrame, number: int, commits: int, sample: int | None) -> None:
    """Name some of the `number` keys on which the table types disagree after the last commit."""
    report.statistics["disagreeing_keys"] = number
    if not number:
        report.verdict += " Both table types agree on every key."
        return
    report.verdict += f" The table types disagree on {number} {'key' if number == 1 else 'keys'}."
    shown = json_rows(keys.limit(SAMPLE if sample is None else sample))
    count = "" if len(shown) == number else f", {len(shown)} of {number}"
    title = f"Keys on which the table types disagree after commit {commits}{count}"
    report.body.append(Table.of_rows(keys.columns, shown, title))


def _add_snapshots(
    report: Report, snapshots: Snapshots, commits: int, identity: tuple[str, ...], sample: int | None
) -> None:
    """Put the snapshots into the results, `sample` rows of each."""
    longest = 0
    for one, frame in snapshots.items():
        by_commit: dict[int, list[dict[str, Any]]] = collections.defaultdict(list)
        for row in json_rows(frame.orderBy(COMMIT, *map(quoted, identity))):
            by_commit[row.pop(COMMIT)].append(row)
        for commit in range(1, commits + 1):
            rows = by_commit[commit]
            longest = max(longest, len(rows))
            report.results.append({"commit": commit, "table_type": one.value, "snapshot": rows[:sample]})
    if sample is not None and longest > sample:
        report.warnings.append(f"only the first {sample} rows of each snapshot are listed (--sample)")
