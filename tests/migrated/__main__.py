"""Real Hudi merges by the mergers in Java that `migrate` writes: their rows beside those of the classes.

A class of the corpus is asked for its rule, the merger is written, compiled and run by the real Hudi of a release, on
the batches on which that Hudi ran the class itself (`tests/data/corpus.tar.xz`; what that lacks, and all with another
`--seed`, it runs by the class, too). Every snapshot of tables of both types is compared. A table takes some 10 seconds.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from bridge.spark import local_session
from mergers.rules.source import NotStatedError
from payloads import HudiRelease
from tests.corpus.__main__ import RECORDED, SEED
from tests.corpus.compared import differences_of, load
from tests.corpus.jars import jars_for
from tests.corpus.shapes import SHAPES, TYPES, build_of
from tests.jvm.java_compiler import JavaCompiler
from tests.migrated.generated import CLASSES, EDITS_ITS_OWN, jar_of, merger_for
from tests.support.archives import unpack

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyspark.sql import SparkSession

RELEASES: Final = ("1.0.2", "1.1.1", "1.2.0")
_SHOWN: Final = 5
_BESIDE: Final = " to those of the class in a copy-on-write table"


@click.command(help=__doc__)
@click.option("--release", "releases", multiple=True, type=click.Choice(RELEASES), default=RELEASES)
@click.option("--class", "names", multiple=True, type=click.Choice([*SHAPES]), default=CLASSES)
@click.option("--table-type", "types", multiple=True, type=click.Choice(TYPES), default=TYPES)
@click.option("--seed", default=SEED, show_default=True, help="Of the batches.")
@click.option("--keep", type=click.Path(path_type=Path), help="Keep mergers, jars and answers here.")
def main(*, releases: Sequence[str], names: Sequence[str], types: Sequence[str], seed: int, keep: Path | None) -> None:
    """Run the tables; exit 1 where a row differs or a table is missing."""
    with tempfile.TemporaryDirectory(prefix="migrated-") as work:
        folder = keep or Path(work)
        spark = local_session(cores=2)
        (folder / "jars").mkdir(parents=True, exist_ok=True)
        compiler = JavaCompiler(spark, folder / "jars")
        answers = [*run(spark, compiler, folder, releases, names, types, seed)]
        spark.stop()
    wrong = [one for one in answers if not one.removesuffix(_BESIDE).endswith(": equal")]
    click.echo(f"{len(answers)} tables, {len(answers) - len(wrong)} equal")
    sys.exit(int(bool(wrong) or not answers))


def run(  # noqa: PLR0913, PLR0917 (what is run)
    spark: SparkSession,
    compiler: JavaCompiler,
    folder: Path,
    releases: Sequence[str],
    names: Sequence[str],
    types: Sequence[str],
    seed: int = SEED,
) -> Iterator[str]:
    """Give a line a table: equal, or what is not."""
    if seed == SEED:
        with tarfile.open(RECORDED) as archive:
            unpack(archive, folder / "class")
    for release in releases:
        asked, refused = _asked(spark, compiler, release, names, types, seed)
        yield from _echoed(refused)
        # Answers of the class that are not recorded are asked for.
        of_classes = _of_classes(compiler, release, names, types, seed)
        told = folder / "class" / release
        new = [one for one in of_classes if not (told / f"{one['class']}-{one['type']}" / "history.json").exists()]
        _write(release, new, folder / "class")
        _write(release, asked, folder / "merger")
        yield from _echoed(_compared(folder, release, one) for one in asked)


def _echoed(lines: Any) -> Iterator[str]:
    for line in lines:
        click.echo(line)
        yield line


def _asked(  # noqa: PLR0913, PLR0917 (what is run)
    spark: SparkSession,
    compiler: JavaCompiler,
    release: str,
    names: Sequence[str],
    types: Sequence[str],
    seed: int,
) -> tuple[list[dict[str, Any]], list[str]]:
    """Write and compile the mergers of a release; return the tables, and why others have none."""
    found, refused = [], []
    line = HudiRelease.parse(release)
    for name in names:
        try:
            merger = merger_for(compiler, spark, name, line)
        except NotStatedError as error:
            refused.append(f"{release}/{name}: no merger: {error}")
            continue
        jars = [jar_of(compiler, merger, line), *(jars_for(compiler, build_of(line)) if merger.calls else ())]
        jar = ",".join(map(str, jars))
        own = {key: getattr(merger.shape, key) for key in ("package", "java", "strategy", "options")}
        loses = (merger.rules.edited is not None or name in EDITS_ITS_OWN) and line >= HudiRelease.V1_1
        found += [
            {"class": name, "type": one, "jar": jar, "seed": seed, "shape": own, "loses": loses and one == "mor"}
            for one in types
        ]
    return found, refused


def _of_classes(
    compiler: JavaCompiler, release: str, names: Sequence[str], types: Sequence[str], seed: int
) -> list[dict[str, Any]]:
    jar = ",".join(map(str, jars_for(compiler, build_of(HudiRelease.parse(release)))))
    return [{"class": name, "type": one, "jar": jar, "seed": seed, "shape": {}} for name in names for one in types]


def _write(release: str, tables: list[dict[str, Any]], folder: Path) -> None:
    """Let the real Hudi of a release write tables, in a process of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    if tables:
        listed = folder / f"{release}.json"
        listed.write_text(json.dumps(tables), encoding="utf-8")
        command = [sys.executable, "-m", "tests.migrated.real", release, str(listed), str(folder)]
        subprocess.run(command, check=False, stdout=sys.stderr)


def _compared(folder: Path, release: str, table: dict[str, Any]) -> str:
    """Hold every snapshot of a merger's table against that of the class."""
    label = f"{release}/{table['class']}-{table['type']}"
    beside = f"{release}/{table['class']}-cow" if table["loses"] else label
    (ours, hudis) = ([*load(folder / side, [one])] for side, one in (("merger", label), ("class", beside)))
    if not ours or not hudis:
        return f"{label}: no answer of {'the merger' if not ours else 'the class'}"
    (merger,), (own,) = ours, hudis
    if merger.error or own.error:
        return f"{label}: refused: {merger.error or 'the class alone'}: {own.error}"
    both = merger.history.snapshots, own.history.snapshots
    told = [one for number in both[1] for one in differences_of(number, both[1][number], both[0].get(number, []))]
    rows = sum(map(len, both[1].values()))
    answer = "equal" if not told else "\n    ".join((f"{len(told)} differ", *told[:_SHOWN]))
    return f"{label}: {len(both[1])} snapshots, {rows} rows: {answer}{_BESIDE * table['loses']}"


if __name__ == "__main__":
    main()
