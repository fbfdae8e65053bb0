"""Speed of merging against floors, hand-written queries and peers, in one run: python -m tests.benchmarks.

The same Parquet files go through every case: bare scans and shuffles, the queries that people write instead of a merge,
and our merge points on each engine. They take turns; the best of several runs counts, and ratios to the bare shuffle by
key and to a `row_number` window are printed, in seconds and in CPU seconds of all processes: the latter say more
on a busy machine. `--peers` adds real Hudi and Delta Lake, `--full` all cases for the other shapes of data; `--out`
writes JSON and charts (extra `benchmarks`). `--small` measures commands on few rows, `--scale` how time and memory grow
to many, `--extremes` rows and keys of unusual size, `--tables` how a real Hudi table is read and
written next to Hudi itself, `--writes` how it is written alone, `--calls` what a call of a compiled class costs.
"""

from __future__ import annotations

import importlib
import sys
import tempfile
import time
from pathlib import Path

import click

from bridge import local_session
from tests.benchmarks import calls, extremes, growth, jvm_case, peers, scale, small, tables
from tests.benchmarks.cases import BY_HAND, FLOOR, Case, cases
from tests.benchmarks.data import Shape, written
from tests.benchmarks.ratios import save, timed
from tests.support.pictures.benchmark import CHARTED

_ROWS = 2_500_000


@click.command()
@click.option("--rows", type=int, help="Rows in all, stored and incoming. Default: 2.5 million; --scale: 40 million.")
@click.option(
    "--runs",
    default=2,
    show_default=True,
    help="Runs of each job after a first one; the best counts. Growth, and other shapes without --full: one less.",
)
@click.option("--only", default="", help="Of our own cases, only those whose name contains this.")
@click.option("--peers", "with_peers", is_flag=True, help="Also real Hudi 1.2.0 and Delta Lake, from Maven Central.")
@click.option("--grow/--no-grow", default=True, show_default=True, help="Also of other sizes, and on one core.")
@click.option("--charted", is_flag=True, help="Only the cases of the guide's chart, of one shape of data.")
@click.option("--full", is_flag=True, help="All cases for all shapes of data, new keys among them.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="A folder for ratios.json and charts.")
@click.option("--small", "of_commands", is_flag=True, help="Whole commands on five batches of 60 rows instead.")
@click.option("--table-type", default="cow", show_default=True, help="With --small: of replay and simulate.")
@click.option("--scale", "of_sizes", is_flag=True, help="A sixteenth and a quarter of --rows, all, and skewed.")
@click.option("--extremes", "of_extremes", is_flag=True, help="A million versions, 2,000 columns, 1 MB records.")
@click.option("--tables", "of_tables", is_flag=True, help="A Hudi table of --rows (2 million) base rows, read.")
@click.option("--writes", "of_writes", is_flag=True, help="Updates of a quarter of --rows (2 million), written.")
@click.option("--calls", "of_calls", is_flag=True, help="Calls of a compiled class from Python, many in a round trip.")
def main(  # noqa: PLR0913 (one parameter an option)
    rows: int | None,
    runs: int,
    only: str,
    out: Path | None,
    table_type: str,
    *,
    with_peers: bool,
    grow: bool,
    charted: bool,
    full: bool,
    of_commands: bool,
    of_sizes: bool,
    of_extremes: bool,
    of_tables: bool,
    of_writes: bool,
    of_calls: bool,
) -> None:
    """Print a line a case: seconds, ratio to the bare shuffle and to the window, goal."""
    if of_commands:
        with tempfile.TemporaryDirectory() as folder:
            click.echo("\n".join(small.lines_of(small.measure(Path(folder), runs, table_type))))
        return
    if of_sizes:
        sys.exit(0 if scale.run(rows or 40_000_000, click.echo) else 1)
    if of_extremes:
        sys.exit(0 if extremes.run(click.echo) else 1)
    if of_calls:
        for line in calls.measure(runs):
            click.echo(line)
        return
    if of_tables or of_writes:
        for line in (tables.measure if of_tables else tables.measure_writes)(rows or 2_000_000, runs):
            click.echo(line)
        return
    if out is not None:
        importlib.import_module("tests.benchmarks.chart")  # which needs the extra `benchmarks`: before all is measured
    own = [case for case in cases() if case.kind in {FLOOR, BY_HAND} or only in case.name]
    others = peers.peers() if with_peers else []
    if charted:
        own, others = ([one for one in some if one.kind == FLOOR or one.name in CHARTED] for some in (own, others))
    shapes = _shapes(rows or _ROWS, full=full)[: 1 if charted else None]
    _compare(shapes, runs, own, others, out, grow=grow, full=full)


def _compare(  # noqa: PLR0913 (one an option)
    shapes: list[Shape], runs: int, chosen: list[Case], others: list[Case], out: Path | None, *, grow: bool, full: bool
) -> None:
    start = time.monotonic()
    lines, grown = growth.measure(shapes[0].rows, runs) if grow else ([], [])  # first: a session here takes memory
    click.echo("\n".join(lines))
    spark = peers.session() if others else local_session()
    if reason := jvm_case.why_not(spark):
        click.echo(f"{jvm_case.NAME.format('all')}: skipped: {reason}")
        chosen = [case for case in chosen if not case.name.endswith(jvm_case.NAME.format(""))]
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for number, shape in enumerate(shapes):
            own = [case for case in chosen if full or not number or case.of_all_shapes]
            own += [] if number else others
            turns = max(1, runs - 1) if number and not full else runs  # to keep a default run short
            results.append(timed(written(spark, Path(folder, str(number)), shape), own, turns))
            click.echo("\n".join(results[-1].lines()))
    if out is not None:
        save(results, grown, out)
    spark.stop()
    click.echo(f"took {(time.monotonic() - start) / 60:.1f} minutes")


def _shapes(rows: int, *, full: bool) -> list[Shape]:
    shapes = [Shape(rows), Shape(rows, 0.0), Shape(rows, 1.0), Shape(rows // 10, columns=200)]
    return [*shapes, Shape(rows, 0.0, new=0.2)] if full else shapes


if __name__ == "__main__":
    main()
