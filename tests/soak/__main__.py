"""Rounds of random tables for as long as wanted, in one process with one session; nothing may differ, nothing may grow.

Plain frames, tables that pass to a later release, merges into tables of real Hudi beside another writer, recorded
tables and classes, and tables that real Hudi writes now, each held against a model in plain Python or against real
Hudi. What differs is shrunk and printed with its label, which `--round` repeats. Exits with 1 where rows differ, or
where memory, handles or threads grow faster an hour than 64 MiB, 30 and 15, by three standard errors, in each half of
what is left of the run without its first third.
"""

from __future__ import annotations

import collections
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from tests.soak.resources import Resources
from tests.soak.rounds import Found, Round, drawn, shrunk

if TYPE_CHECKING:
    from collections.abc import Callable

_BUNDLE: Final = "1.2.0"
_EVERY: Final = 20.0
_TOLD_EVERY: Final = 60.0
_SHRINKS_FOR: Final = 300.0


class Soak:
    """Runs rounds, and counts.

    Attributes:
        problems: what differs, a text each.
    """

    def __init__(self, world: Any, tell: Callable[[str], object] = click.echo) -> None:
        """Take what answers, and what is told of a difference."""
        self._world, self._tell = world, tell
        self.rounds: collections.Counter[str] = collections.Counter()
        self.rows = 0
        self.problems: list[str] = []

    def run(self, asked: Round) -> None:
        """Run a round; where it differs, shrink it and tell."""
        found = self._answer(asked)
        self.rounds[asked.kind] += 1
        self.rows += found.rows
        if not found.differences:
            return
        end = time.monotonic() + _SHRINKS_FOR
        small = shrunk(asked, lambda one: time.monotonic() < end and bool(self._answer(one).differences))
        told = "\n    ".join(self._answer(small).differences or found.differences)
        self.problems.append(f"--round {asked.label}: {small}\n    {told}")
        self._tell(self.problems[-1])

    def _answer(self, asked: Round) -> Found:
        try:
            return asked.run(self._world)
        except Exception:  # noqa: BLE001 (whatever ends a round is a difference)
            return Found(0, (traceback.format_exc()[-3000:],))

    def __str__(self) -> str:
        kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(self.rounds.items()))
        return f"{self.rounds.total()} rounds ({kinds}), {self.rows:,} rows compared, {len(self.problems)} differ"


@click.command(help=__doc__)
@click.option("--minutes", default=10.0, show_default=True, help="Begin no round after so many.")
@click.option("--seed", default=0, show_default=True)
@click.option("--round", "labels", multiple=True, help="Only the round of this label, SEED.NUMBER; may be repeated.")
@click.option("--kind", "only", multiple=True, help="Only rounds of this kind; may be repeated.")
@click.option("--bundle", default=_BUNDLE, show_default=True, help="Real Hudi in the session; empty for none.")
def main(*, minutes: float, seed: int, labels: tuple[str, ...], only: tuple[str, ...], bundle: str) -> None:
    """Run rounds; exit 1 where one differs, or something leaks."""
    from tests.soak.worlds import World  # noqa: PLC0415 (--help needs no Spark)

    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        world = World(Path(folder), bundle or None)
        kinds = {kind: weight for kind, weight in world.kinds.items() if not only or kind in only}
        soak, resources = Soak(world), Resources()
        for label in labels:
            soak.run(drawn(label, kinds))
        end = time.monotonic() + minutes * 60
        measured = told = 0.0
        number = 0
        while not labels and (now := time.monotonic()) < end:
            if now > measured + _EVERY:
                resources.measure(world.spark)
                measured = now
            if now > told + _TOLD_EVERY:
                click.echo(f"{soak}\n{resources.table()}", err=True)
                told = now
            soak.run(drawn(f"{seed}.{number}", kinds))
            number += 1
        resources.measure(world.spark)
        leaks = resources.leaks()
        click.echo("\n".join((f"{soak}\n{resources.table()}", *leaks)))
        world.spark.stop()
    sys.exit(int(bool(soak.problems or leaks)))


if __name__ == "__main__":
    main()
