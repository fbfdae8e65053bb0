"""Real Hudi runs the classes of the corpus, and so does this project, on the same batches: every snapshot is compared.

Each class is compiled for 0.15 and for 1.2, and runs in its build's releases, in tables of both types. Hudi's writers
and readers run in a process of their own for each release, because Java keeps its class path. A table takes some 10
seconds. Needs network or a filled Ivy cache for Hudi's bundles. `--recorded` holds this project against what was
recorded before, which takes a second or two a table. `--figures FILE` keeps what went well: a run that was stopped goes
on where it was.
"""

from __future__ import annotations

import collections
import contextlib
import itertools
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from payloads import HudiRelease
from tests.corpus.compared import BY_HUDI, FINE, FORETOLD, HERE, OTHERWISE, REFUSED_BY_BOTH, compared, load
from tests.corpus.jars import jars_for
from tests.corpus.shapes import SHAPES, TYPES, build_of
from tests.jvm.java_compiler import JavaCompiler
from tests.support.archives import unpack
from tests.support.few_rows import session_for_few_rows
from tests.support.figures import Figures
from tests.support.pairwise import few

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from tests.corpus.jars import ShapeJars

RELEASES: Final = ("0.15.0", "1.0.2", "1.1.1", "1.2.0")
RECORDED: Final = Path(__file__).parents[1] / "data/corpus.tar.xz"
SEED: Final = 0
"""Of the batches that were recorded."""
_SHORT: Final = ("PatchesStoredPayload", "CountsMerges")
_SHORT_RELEASES: Final = ("0.15.0", "1.2.0")


@click.command(help=__doc__)
@click.option("--release", "releases", multiple=True, default=RELEASES, show_default=True, help="In full: 1.2.0.")
@click.option("--class", "names", multiple=True, type=click.Choice([*SHAPES]), help="Only these; may be repeated.")
@click.option("--table-type", "types", multiple=True, type=click.Choice(TYPES), default=TYPES)
@click.option(
    "--short",
    is_flag=True,
    help=f"{' and '.join(_SHORT)}, in {' and '.join(_SHORT_RELEASES)}: each two of class, release and type in a table.",
)
@click.option("--examples", default=1, show_default=True, help="How often each table is written, with other batches.")
@click.option("--seed", default=SEED, show_default=True, help="Of the first example; each other has the next.")
@click.option("--recorded", is_flag=True, help="Ask no real Hudi, but what it answered before.")
@click.option("--keep", type=click.Path(path_type=Path), help="Keep jars here, and answers, SEED/RELEASE/CLASS-TYPE.")
@click.option("--figures", type=click.Path(path_type=Path), help="Where figures are kept, which are not made again.")
def main(  # noqa: PLR0913 (one parameter an option)
    *,
    releases: tuple[str, ...],
    names: tuple[str, ...],
    types: tuple[str, ...],
    short: bool,
    examples: int,
    seed: int,
    recorded: bool,
    keep: Path | None,
    figures: Path | None,
) -> None:
    """Run the tables; exit 1 where a row differs, or one of the two refuses alone."""
    if short:
        releases, names = _SHORT_RELEASES, _SHORT
    with contextlib.ExitStack() as closing:
        folder = keep or Path(closing.enter_context(tempfile.TemporaryDirectory(prefix="corpus-")))
        if recorded and keep is None:
            with tarfile.open(RECORDED) as archive:
                unpack(archive, folder / str(SEED))
        run = _Run(folder, figures or folder / "figures", asks=not recorded)
        wanted = {one: labels(one, names or tuple(SHAPES), types) for one in releases}
        if short:
            chosen = few([label for tables in wanted.values() for label in tables], _pairs)
            wanted = {release: [label for label in tables if label in chosen] for release, tables in wanted.items()}
        for number in range(seed, seed + examples):
            for release, tables in wanted.items():
                run.go(release, tables, number)
        run.spark.stop()
    click.echo(run)
    sys.exit(int(not run.is_fine))


def labels(release: str, names: Sequence[str], types: Sequence[str]) -> list[str]:
    """Return the tables of a release: RELEASE/CLASS-TYPE."""
    known = HudiRelease.parse(release)
    return [f"{release}/{name}-{one}" for name in names if SHAPES[name].runs_in(known) for one in types]


def _pairs(label: str) -> Iterable[Hashable]:
    """Return each two of release, class and type of a table."""
    return itertools.combinations(re.split("[/-]", label), 2)


class _Run:
    """What is asked and compared, and what has become of it."""

    def __init__(self, folder: Path, figures: Path, *, asks: bool) -> None:
        self.spark = session_for_few_rows()
        self._folder, self._figures, self._asks = folder, figures, asks
        (folder / "jars").mkdir(parents=True, exist_ok=True)
        self._compiler = JavaCompiler(self.spark, folder / "jars")
        self._jars: dict[HudiRelease, ShapeJars] = {}
        self._total: collections.Counter[str] = collections.Counter()

    def go(self, release: str, wanted: Sequence[str], seed: int) -> None:
        """Run tables of a release whose figures are not known, and count all of them."""
        kept = Figures(self._figures, seed=seed)
        left = [label for label in wanted if label not in kept.known(wanted, lambda told: told["verdict"] in FINE)]
        build, place = build_of(HudiRelease.parse(release)), self._folder / str(seed)
        if left and build not in self._jars:
            self._jars[build] = jars_for(self._compiler, build)
        if left and self._asks:
            _ask(release, left, place, self._jars[build], seed)
        for one in load(place, left):
            answer = compared(self.spark, one, self._jars)
            click.echo(answer)
            counts = {"snapshots": answer.snapshots, "rows": answer.rows, "differences": answer.differences}
            kept.add(f"{release}/{one.history.folder}", verdict=answer.verdict, **counts)
        told = kept.known(wanted, lambda _: True).values()
        for one in told:
            self._total.update({"tables": 1, one["verdict"]: 1})
            self._total.update({name: one[name] for name in ("snapshots", "rows", "differences")})
        self._total["missing"] += len(wanted) - len(told)

    @property
    def is_fine(self) -> bool:
        """Whether there are tables, and nothing is wrong with any."""
        fine = sum(self._total[verdict] for verdict in FINE)
        return 0 < fine == self._total["tables"] + self._total["missing"]

    def __str__(self) -> str:
        total = self._total
        return (
            f"{total['tables']} tables, {total['snapshots']:,} snapshots, {total['rows']:,} rows, "
            f"{total['differences']:,} differences; refused by both for one reason: {total[REFUSED_BY_BOTH]} tables, "
            f"for different reasons: {total[OTHERWISE]}, by Hudi alone: {total[BY_HUDI]}, by Hudi with a warning here: "
            f"{total[FORETOLD]}, here alone: {total[HERE]}; "
            f"without an answer: {total['missing']}"
        )


def _ask(release: str, tables: Sequence[str], folder: Path, jars: ShapeJars, seed: int) -> None:
    """Let the real Hudi of a release write tables, in a process of its own; it says how long each took."""
    command = [sys.executable, "-m", "tests.corpus.real", release, str(folder), f"--seed={seed}"]
    command += [f"--jars={jars.classes},{jars.library}", *(f"--table={one.partition('/')[2]}" for one in tables)]
    subprocess.run(command, check=False, stdout=sys.stderr)


if __name__ == "__main__":
    main()
