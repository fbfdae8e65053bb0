"""Batches are merged into tables of real Hudi; after each commit every reader shows what a plain-Python model has.

Real Hudi creates each table and makes each commit; it reads the table, and so do HudiTable and hudi-rs. In between,
batches are merged again, runs end before, in and after their commit, and a second writer writes. By default few tables
are written, which hold each two of bundle, class, table type and layout together. Needs network or a filled Ivy cache
for Hudi's bundles. Each release runs in a process of its own, because Java keeps its class path. `--figures FILE` keeps
what went well: a run that was stopped goes on where it was.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bridge.spark.small_input import INTERPRETED, JAVA_OPTIONS
from payloads import HudiRelease
from tests.conformance.record_table import session
from tests.jvm.java_compiler import JavaCompiler
from tests.support.figures import Figures
from tests.write.combinations import LAYOUTS, MORE_LAYOUTS, TABLE_TYPES, selected
from tests.write.guide import run_page
from tests.write.merges import Run
from tests.write.payloads import COMPILED, MODELS
from tests.write.tables import GLOBAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession

    from tests.write.tables import Case

_RELEASES = ("1.2.0", "1.0.2", "0.15.0")
_PAIRS, _ALL = "pairs", "all"
_INDEXES = ("SIMPLE", "BLOOM", "BUCKET", *GLOBAL)


@click.command(help=__doc__)
@click.option("--release", "releases", multiple=True, default=_RELEASES, show_default=True, help="In full: 1.2.0.")
@click.option("--batches", default=30, show_default=True, help="How many batches for each table.")
@click.option("--payload", "names", multiple=True, type=click.Choice(list(MODELS)), help="Only these; may be repeated.")
@click.option("--table-type", "kinds", multiple=True, type=click.Choice(list(TABLE_TYPES)), default=(*TABLE_TYPES,))
@click.option("--layout", "layouts", multiple=True, type=click.Choice(MORE_LAYOUTS), default=LAYOUTS)
@click.option(
    "--select", type=click.Choice([_PAIRS, _ALL]), default=_PAIRS, show_default=True, help="Of these choices."
)
@click.option("--case", "cases", multiple=True, help="Of those only this table, such as 1.2.0/dms-mor-parts.")
@click.option("--table-version", "version", help="8 by 1.2.0, for one.  [default: the release's own]")
@click.option("--index", type=click.Choice(_INDEXES), help="Of the tables.  [default: Hudi's]")
@click.option("--stay", is_flag=True, help="A global index moves no rows.")
@click.option("--seed", default=0, show_default=True)
@click.option("--figures", type=click.Path(path_type=Path), help="Where figures are kept, which are not made again.")
@click.option("--minutes", type=float, help="Begin no table after this time.")
@click.option("--guide", is_flag=True, help="Only run the commands of the page of the guide.")
def main(  # noqa: PLR0913 (one parameter an option)
    *,
    releases: tuple[str, ...],
    batches: int,
    names: tuple[str, ...],
    kinds: tuple[str, ...],
    layouts: tuple[str, ...],
    select: str,
    cases: tuple[str, ...],
    version: str | None,
    index: str | None,
    stay: bool,
    seed: int,
    figures: Path | None,
    minutes: float | None,
    guide: bool,
) -> None:
    """Run the tables; exit 1 where a reader shows other rows, a run that should end does not, or a table is left."""
    if stay and index not in GLOBAL:
        msg = f"--stay is for --index {' or '.join(GLOBAL)}"
        raise click.UsageError(msg)
    with contextlib.ExitStack() as closing:
        folder = Path(closing.enter_context(tempfile.TemporaryDirectory(prefix="written-")))
        if guide:
            wrong = run_page(folder)
            click.echo("\n".join(wrong) or "the page answers as it says")
            sys.exit(int(bool(wrong)))
        models = names or (*MODELS,)
        wanted = selected(releases, models, kinds, layouts, pairs=select == _PAIRS and not cases)
        wanted = [dataclasses.replace(case, version=version, index=index, moves=not stay) for case in wanted]
        wanted = [case for case in wanted if not cases or case.label in cases]
        labels = [case.label for case in wanted]
        kept = Figures(figures or folder / "figures", batches=batches, seed=seed)
        left = [case for case in wanted if case.label not in kept.known(labels, _is_right)]
        if len(bundles := dict.fromkeys(case.release for case in left)) > 1:
            own = ["--figures", str(figures or folder / "figures"), f"--batches={batches}", f"--seed={seed}"]
            own += [] if version is None else [f"--table-version={version}"]
            own += [] if index is None else [f"--index={index}"]
            own += ["--stay"] if stay else []
            _in_processes(left, list(bundles), own, minutes)
        elif left:
            _run(left, kept, folder, batches, seed, minutes)
        told = list(kept.known(labels, lambda _: True).values())
        right = len(kept.known(labels, _is_right))
        total: collections.Counter[str] = collections.Counter()
        for one in told:
            total.update(one["counts"])
        sums = ", ".join(f"{number:,} {what}" for what, number in sorted(total.items()))
        seconds = sum(one["seconds"] for one in told)
        click.echo(
            f"{right} of {len(wanted)} tables are right ({batches} batches, seed {seed}): {sums}; {seconds:.0f} s"
        )
        sys.exit(int(not wanted or right < len(wanted)))


def _in_processes(left: Sequence[Case], releases: Sequence[str], own: list[str], minutes: float | None) -> None:
    """Run the tables of each release in a process of their own."""
    began = time.monotonic()
    for release in releases:
        command = [sys.executable, "-m", "tests.write", f"--release={release}", *own]
        chosen = [case for case in left if case.release == release]
        command += [f"--layout={layout}" for layout in dict.fromkeys(case.layout for case in chosen)]
        command += [f"--case={case.label}" for case in chosen]
        if minutes is not None:
            command.append(f"--minutes={minutes - (time.monotonic() - began) / 60}")
        subprocess.call(command)


def _run(  # noqa: PLR0913, PLR0917 (what a run needs)
    cases: Sequence[Case], kept: Figures, folder: Path, batches: int, seed: int, minutes: float | None
) -> None:
    """Run tables of one release in this process, and write down what became of each."""
    started = time.monotonic()
    spark = session(cases[0].release, {**INTERPRETED, "spark.driver.extraJavaOptions": JAVA_OPTIONS})
    jar = _jar(spark, folder) if any(case.is_compiled for case in cases) else None
    for case in cases:
        began = time.monotonic()
        if minutes is not None and began - started > minutes * 60:
            break
        source = random.Random(f"{seed}/{case.name}")  # noqa: S311 (seeded on purpose)
        run = Run(spark, case.with_jar(jar), folder / case.name, source)
        try:
            run.go(batches)
        except Exception as error:  # noqa: BLE001 (one table that fails must not hide the others)
            run.wrong(f"the run ended by {type(error).__name__}: {str(error)[:2000]}")
        seconds = round(time.monotonic() - began, 1)
        told = ", ".join(f"{number} {what}" for what, number in run.counts.items())
        click.echo(f"{case.label}: {told}; {seconds:.0f} s")
        for problem in run.problems:
            click.echo(f"  WRONG {problem}")
        kept.add(case.label, counts=dict(run.counts), seconds=seconds)


def _jar(spark: SparkSession, folder: Path) -> str:
    sources = {COMPILED.name: COMPILED.read_text("utf-8")}
    return str(JavaCompiler(spark, folder).compiled(sources, HudiRelease.V0_15))


def _is_right(told: Any) -> bool:
    return not told["counts"].get("wrong")


if __name__ == "__main__":
    main()
