"""Real Hudi writes tables of random layouts and answers queries on them; every answer is compared with ours.

Needs network or a filled Ivy cache for Hudi's bundles. A table takes 10 to 20 seconds. Each release runs in a process
of its own, because Java keeps its class path.
"""

from __future__ import annotations

import collections
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bridge.spark.small_input import INTERPRETED, JAVA_OPTIONS
from tests.conformance.record_table import session
from tests.conformance.tables import check
from tests.live.layouts import draw
from tests.live.mixed_up import keys_mixed_up
from tests.live.written import record

if TYPE_CHECKING:
    from tests.conformance.tables import Check, Recorded

_RELEASES = ("1.2.0", "0.15.0")


@click.command(help=__doc__)
@click.option("--release", "releases", multiple=True, default=_RELEASES, show_default=True, help="In full: 1.2.0.")
@click.option("--examples", default=40, show_default=True, help="How many tables of each release.")
@click.option("--seed", default=0, show_default=True)
@click.option("--first", default=0, show_default=True, help="The number of the first example.")
@click.option("--seconds", default=0, help="Begin no example after so many seconds; 0 for no limit.")
@click.option("--keep", type=click.Path(path_type=Path), help="Keep the tables and answers here, RELEASE/SEED-NUMBER.")
def main(  # noqa: PLR0913 (one parameter an option)
    *, releases: tuple[str, ...], examples: int, seed: int, first: int, seconds: int, keep: Path | None
) -> None:
    """Run the examples; exit 1 where an answer differs or is refused by us alone."""
    if len(releases) > 1:
        numbers = [f"--examples={examples}", f"--seed={seed}", f"--first={first}", f"--seconds={seconds}"]
        own = [*numbers, *([f"--keep={keep}"] if keep else [])]
        command = [sys.executable, "-m", "tests.live"]
        codes = [subprocess.call([*command, f"--release={one}", *own]) for one in releases]
        sys.exit(max(codes))
    with tempfile.TemporaryDirectory() as temporary:
        sys.exit(_run(releases[0], range(first, first + examples), seed, seconds, keep or Path(temporary)))


def _run(release: str, numbers: range, seed: int, seconds: int, folder: Path) -> int:
    spark = session(release, {**INTERPRETED, "spark.driver.extraJavaOptions": JAVA_OPTIONS})
    began = time.monotonic()
    counts: collections.Counter[str] = collections.Counter()
    for number in numbers:
        if seconds and time.monotonic() - began > seconds:
            break
        layout = draw(seed, number, release)
        place = folder / release / f"{seed}-{number}"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        recorded = record(spark, layout, place, release)
        counts["tables"] += 1
        counts["steps refused by Hudi"] += len(recorded.answers["refused_steps"])
        counts["queries refused by Hudi"] += len(recorded.answers.get("refused", ()))
        for done in check(recorded):
            outcome, keys = _outcome(recorded, done)
            counts[outcome] += 1
            if done.problem:
                click.echo(f"{outcome}: {release} --seed {seed} --first {number} --examples 1 ({layout.name})")
                click.echo("  " + ", ".join([done.question, *keys]) + f"\n    {done.problem}")
    names = ("tables", "passed", "differ", "refused by us", "mixed up by Hudi")
    names += ("queries refused by Hudi", "steps refused by Hudi")
    click.echo(f"{release}, seed {seed}, from {numbers.start}: {', '.join(f'{counts[n]} {n}' for n in names)}")
    return int(bool(counts["differ"] + counts["refused by us"]))


def _outcome(recorded: Recorded, done: Check) -> tuple[str, list[str]]:
    """Return what became of a question, and the keys whose rows Hudi mixed up."""
    if not done.problem:
        return "passed", []
    if done.is_refusal:
        return "refused by us", []
    keys = [] if done.problem.startswith("failed: ") else keys_mixed_up(recorded, done.question)
    return ("mixed up by Hudi" if keys else "differ"), keys


if __name__ == "__main__":
    main()
