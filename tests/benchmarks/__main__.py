"""Speed of merging against floors and hand-written queries, in one run: python -m tests.benchmarks.

The same Parquet files go through every case: bare scans and shuffles, the queries that people write instead of a merge,
and our merge points on each engine. They take turns; the best of several runs counts, and ratios to the bare shuffle by
key and to a `row_number` window are printed. `--full` adds other shapes of data, `--small` measures commands on few
rows, `--scale` how time and memory grow with the rows, `--tables` the reading of a real Hudi table next to Hudi's own
reader.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import click

from bridge import local_session
from tests.benchmarks import jvm_case, scale, small, tables
from tests.benchmarks.cases import BY_HAND, FLOOR, cases
from tests.benchmarks.data import Shape, written
from tests.benchmarks.ratios import save, timed

_ROWS = 2_500_000


@click.command()
@click.option("--rows", type=int, help="Rows in all, stored and incoming. Default: 2.5 million; --scale: 40 million.")
@click.option("--runs", default=3, show_default=True, help="Runs of each job; the best counts.")
@click.option("--only", default="", help="Of our own cases, only those whose name contains this.")
@click.option("--full", is_flag=True, help="Also without updates, with nothing but updates, with new keys, wide rows.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="A folder for ratios.json and charts.")
@click.option("--small", "of_commands", is_flag=True, help="Whole commands on five batches of 60 rows instead.")
@click.option("--table-type", default="cow", show_default=True, help="With --small: of replay and simulate.")
@click.option("--scale", "of_sizes", is_flag=True, help="A sixteenth and a quarter of --rows, all, and skewed.")
@click.option("--tables", "of_tables", is_flag=True, help="A Hudi table of --rows (2 million) base rows, read.")
def main(  # noqa: PLR0913 (one parameter an option)
    rows: int | None,
    runs: int,
    only: str,
    out: Path | None,
    table_type: str,
    *,
    full: bool,
    of_commands: bool,
    of_sizes: bool,
    of_tables: bool,
) -> None:
    """Print a line a case: seconds, ratio to the bare shuffle and to the window, goal."""
    if of_commands:
        with tempfile.TemporaryDirectory() as folder:
            click.echo("\n".join(small.lines_of(small.measure(Path(folder), runs, table_type))))
        return
    if of_sizes:
        sys.exit(0 if scale.run(rows or 40_000_000, click.echo) else 1)
    if of_tables:
        for line in tables.measure(rows or 2_000_000, runs):
            click.echo(line)
        return
    _compare(rows or _ROWS, runs, only, out, full=full)


def _compare(rows: int, runs: int, only: str, out: Path | None, *, full: bool) -> None:
    spark = local_session()
    chosen = [case for case in cases() if case.kind in {FLOOR, BY_HAND} or only in case.name]
    if reason := jvm_case.why_not(spark):
        click.echo(f"{jvm_case.NAME}: skipped: {reason}")
        chosen = [case for case in chosen if case.name != jvm_case.NAME]
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for number, shape in enumerate(_shapes(rows, full=full)):
            results.append(timed(written(spark, Path(folder, str(number)), shape), chosen, runs))
            click.echo("\n".join(results[-1].lines()))
    if out is not None:
        save(results, out)
    spark.stop()


def _shapes(rows: int, *, full: bool) -> list[Shape]:
    default = Shape(rows)
    if not full:
        return [default]
    wide = Shape(rows // 10, columns=200)
    return [default, Shape(rows, 0.0), Shape(rows, 1.0), Shape(rows, 0.0, new=0.2), wide]


if __name__ == "__main__":
    main()
