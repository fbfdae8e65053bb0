"""Real Hudi runs the classes of the corpus, and so does this project, on the same batches: every snapshot is compared.

Each class is compiled for 0.15 and for 1.2, and runs in its build's releases, in tables of both types. Hudi's writers
and readers run in a process of their own for each release, because Java keeps its class path. A table takes 10 to 20
seconds. Needs network or a filled Ivy cache for Hudi's bundles. `--recorded` holds this project against what was
recorded before, which takes a second or two a table. `--figures FILE` keeps what went well: a run that was stopped goes
on where it was.
"""

from __future__ import annotations

import collections
import contextlib
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from bridge.spark import local_session
from bridge.spark.small_input import INTERPRETED
from payloads import HudiRelease
from tests.corpus.compared import BY_HUDI, FINE, HERE, REFUSED_BY_BOTH, compared, load
from tests.corpus.jars import jars_for
from tests.corpus.shapes import SHAPES, TYPES, build_of
from tests.jvm.java_compiler import JavaCompiler
from tests.support.archives import unpack
from tests.support.figures import Figures

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.corpus.jars import ShapeJars

RELEASES: Final = ("0.15.0", "1.0.2", "1.1.1", "1.2.0")
RECORDED: Final = Path(__file__).parents[1] / "data/corpus.tar.xz"
_SHORT: Final = ("PatchesStoredPayload", "CountsMerges")
_SHORT_RELEASES: Final = ("0.15.0", "1.2.0")


@click.command(help=__doc__)
@click.option("--release", "releases", multiple=True, default=RELEASES, show_default=True, help="In full: 1.2.0.")
@click.option("--class", "names", multiple=True, type=click.Choice([*SHAPES]), help="Only these; may be repeated.")
@click.option("--table-type", "types", multiple=True, type=click.Choice(TYPES), default=TYPES)
@click.option("--short", is_flag=True, help=f"{' and '.join(_SHORT)}, in {' and '.join(_SHORT_RELEASES)}.")
@click.option("--examples", default=1, show_default=True, help="How often each table is written, with other batches.")
@click.option("--seed", default=0, show_default=True, help="Of the first example; each other has the next.")
@click.option("--recorded", is_flag=True, help="Ask no real Hudi.")
@click.option("--keep", type=click.Path(path_type=Path), help="Keep Hudi's answers here, SEED/RELEASE/CLASS-TYPE.")
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
        folder = Path(closing.enter_context(tempfile.TemporaryDirectory(prefix="corpus-")))
        spark = local_session(cores=2)
        for name, value in INTERPRETED.items():
            spark.conf.set(name, value)
        compiler = JavaCompiler(spark, folder)
        jars = {build: jars_for(compiler, build) for build in {build_of(HudiRelease.parse(one)) for one in releases}}
        answers = RECORDED if recorded else keep or folder
        if recorded:
            with tarfile.open(RECORDED) as archive:
                unpack(archive, folder)
            answers = folder
        total: collections.Counter[str] = collections.Counter()
        for number in range(seed, seed + examples):
            kept = Figures(figures or folder / "figures", seed=number, recorded=recorded)
            for release in releases:
                wanted = labels(release, names or tuple(SHAPES), types)
                known = kept.known(wanted, lambda told: told["verdict"] in FINE)
                left = [label for label in wanted if label not in known]
                place = answers if recorded else answers / str(number)
                if left and not recorded:
                    _ask(release, left, place, jars, number)
                for one in load(place, left):
                    answer = compared(spark, one, jars)
                    click.echo(answer)
                    counts = {"snapshots": answer.snapshots, "rows": answer.rows, "differences": answer.differences}
                    kept.add(f"{release}/{one.history.folder}", verdict=answer.verdict, **counts)
                for told in kept.known(wanted, lambda _: True).values():
                    total.update({"tables": 1, told["verdict"]: 1})
                    total.update({name: told[name] for name in ("snapshots", "rows", "differences")})
                total["unanswered"] += len(wanted) - len(kept.known(wanted, lambda _: True))
        spark.stop()
    click.echo(
        f"{total['tables']} tables, {total['snapshots']:,} snapshots, {total['rows']:,} rows, "
        f"{total['differences']:,} differences; {total[REFUSED_BY_BOTH]} tables refused by both, "
        f"{total[BY_HUDI]} by Hudi alone, {total[HERE]} here alone; {total['unanswered']} without an answer"
    )
    fine = sum(total[verdict] for verdict in FINE)
    sys.exit(int(not fine or fine < total["tables"] + total["unanswered"]))


def labels(release: str, names: Sequence[str], types: Sequence[str]) -> list[str]:
    """Return the tables of a release: RELEASE/CLASS-TYPE."""
    known = HudiRelease.parse(release)
    return [f"{release}/{name}-{one}" for name in names if SHAPES[name].runs_in(known) for one in types]


def _ask(release: str, tables: Sequence[str], folder: Path, jars: Mapping[HudiRelease, ShapeJars], seed: int) -> None:
    """Let the real Hudi of a release write tables, in a process of its own; it says how long each took."""
    own = jars[build_of(HudiRelease.parse(release))]
    command = [sys.executable, "-m", "tests.corpus.real", release, str(folder), f"--seed={seed}"]
    command += [f"--jars={own.classes},{own.library}", *(f"--table={label.partition('/')[2]}" for label in tables)]
    subprocess.run(command, check=False, stdout=sys.stderr)


if __name__ == "__main__":
    main()
