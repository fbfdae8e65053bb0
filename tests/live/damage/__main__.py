"""Recorded tables with one file or folder damaged, read by real Hudi and by this project; the answers are counted.

A mutation follows from the seed and its number (`--only`). Real Hudi runs in a process for each release, and this
project in one; one that does not answer in time is ended. An example takes real Hudi some two seconds for each release.
"""

from __future__ import annotations

import collections
import contextlib
import json
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tests.live.damage.mutations import draw
from tests.live.damage.outcomes import BOTH, EQUAL, LOST, UNANSWERED, VERSION, WARNED, WRONG, is_wrong, outcome
from tests.live.damage.readers import Reader
from tests.live.damage.tables import subjects

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.live.damage.mutations import Mutation
    from tests.live.damage.readers import Answer
    from tests.live.damage.tables import Subject


class _Hudi:
    """Real Hudi's answers: asked once, and kept in a file."""

    def __init__(self, readers: dict[str, Reader], kept: Path | None) -> None:
        self._readers, self._kept = readers, kept
        lines = kept.read_text().splitlines() if kept and kept.exists() else []
        self._known: dict[str, Answer] = dict(map(json.loads, lines))

    def ask(self, release: str, mutation: Mutation, done: str, folder: Path) -> Answer:
        """Return what a release makes of a mutation."""
        about = f"{release} {mutation.subject.label} {mutation.seed} {mutation.number} {done}"
        if about not in self._known:
            table = folder / "hudi" / "table"
            mutation.do(table)
            self._known[about] = self._readers[release].ask(table, release)
            shutil.rmtree(folder / "hudi")
            if self._kept:
                with self._kept.open("a") as stream:
                    stream.write(f"{json.dumps([about, self._known[about]])}\n")
        return self._known[about]


@click.command(help=__doc__)
@click.option("--examples", default=300, show_default=True, help="How many mutations.")
@click.option("--seed", default=0, show_default=True)
@click.option("--first", default=0, show_default=True, help="The number of the first mutation.")
@click.option("--only", multiple=True, type=int, help="The number of a mutation; may be repeated.")
@click.option("--seconds", default=0, help="Begin no example after so many seconds; 0 for no limit.")
@click.option("--limit", default=120, show_default=True, help="The seconds after which a reader counts as hanging.")
@click.option("--through-commands", is_flag=True, help="Ask `snapshot` and `inspect` on Spark, not their functions.")
@click.option("--answers", type=click.Path(path_type=Path), help="Keep what real Hudi answers in this file.")
@click.option("--keep", type=click.Path(path_type=Path), help="Keep the damaged tables here, SEED-NUMBER.")
def main(  # noqa: PLR0913 (one parameter an option)
    *,
    examples: int,
    seed: int,
    first: int,
    only: tuple[int, ...],
    seconds: int,
    limit: int,
    through_commands: bool,
    answers: Path | None,
    keep: Path | None,
) -> None:
    """Run the examples; exit 1 where one is refused here alone, shown in silence, hangs, or ends with a traceback."""
    numbers = only or range(first, first + examples)
    with tempfile.TemporaryDirectory() as temporary, contextlib.ExitStack() as stack:
        own = "commands" if through_commands else "functions"
        names = ("1.2.0", "0.15.0", own)
        readers = {name: stack.enter_context(Reader(name, limit)) for name in names}
        hudi = _Hudi(readers, answers)
        counts = _run(Path(temporary), numbers, seed, seconds, keep, hudi, readers[own])
    names = (EQUAL, BOTH, WARNED, LOST, VERSION, UNANSWERED, *WRONG)
    click.echo(f"seed {seed}: {', '.join(f'{counts[name]} {name}' for name in names)}")
    sys.exit(int(is_wrong(counts)))


def _run(  # noqa: PLR0913, PLR0917 (what the options say)
    folder: Path, numbers: Iterable[int], seed: int, seconds: int, keep: Path | None, hudi: _Hudi, ours: Reader
) -> collections.Counter[str]:
    began = time.monotonic()
    counts: collections.Counter[str] = collections.Counter()
    tables = subjects(folder)
    sound: dict[tuple[Subject, str], list[dict[str, Any]]] = {}
    for number in numbers:
        if seconds and time.monotonic() - began > seconds:
            break
        mutation = draw(seed, number, tables, folder / "drawn")
        for release in mutation.subject.releases:
            table = (keep or folder) / f"{seed}-{number}" / "table"
            shutil.rmtree(table.parent, ignore_errors=True)
            done = mutation.do(table)
            theirs = hudi.ask(release, mutation, done, folder)
            if (mutation.subject, release) not in sound:
                sound[mutation.subject, release] = ours.ask(mutation.subject.folder, release)["rows"]
            found, why = outcome(theirs, ours.ask(table, release), sound[mutation.subject, release])
            counts[found] += 1
            click.echo(f"{number} {release} {found}: {mutation.subject.label}, {mutation.kind}: {done}")
            if why:
                click.echo(f"    {why}")
            if keep is None:
                shutil.rmtree(table.parent)
    return counts


if __name__ == "__main__":
    main()
