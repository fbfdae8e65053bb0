"""Log files of recorded tables with one byte changed or their end cut off, read by real Hudi and by this project.

`python -m tests.live.damage`: a table takes about two seconds. Where both give rows, they have to be the same; an error
is right in place of rows, because then nothing is shown that was not written, unless it takes the place of too many
answers (`--most-refused`). Record bytes carry no checksum, so that both may show what the damaged bytes say.
"""

from __future__ import annotations

import collections
import random
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from bridge.hudi import TableQueries
from payloads import PayloadBridgeError
from tests.conformance.record_table import reason, session
from tests.conformance.tables import Recorded, difference, load, rows_of, without_meta
from tests.live import written
from tests.support import TABLES
from tests.support.archives import unpack

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_RELEASES = ("1.2.0", "0.15.0")
_WRONG = ("other rows", "rows here alone")
_REFUSED = "refused here alone"


class Damage(NamedTuple):
    """One change to one log file.

    Attributes:
        recorded: the table.
        log: the path of the file below the table.
        place: the byte that changes, or the first that is cut off.
        mask: what the byte is combined with; None for a cut.
    """

    recorded: Recorded
    log: str
    place: int
    mask: int | None

    def __str__(self) -> str:
        """Say what was done."""
        done = f"cut at byte {self.place}" if self.mask is None else f"byte {self.place} ^ {self.mask:#04x}"
        return f"{self.recorded.label}, {self.log}: {done}"

    def do(self, folder: Path) -> Path:
        """Return a copy of the table with the damage."""
        copy = shutil.copytree(self.recorded.folder / "table", folder / "table")
        data = bytearray((copy / self.log).read_bytes())
        if self.mask is None:
            del data[self.place :]
        else:
            data[self.place] ^= self.mask
        (copy / self.log).write_bytes(data)
        return copy


def draw(tables: list[Recorded], chance: random.Random) -> Damage:
    """Choose a table, a log file that its snapshot reads, and what becomes of it: a cut in one of three."""
    while True:
        recorded = chance.choice(tables)
        found = TableQueries(str(recorded.folder / "table"), recorded.release).snapshot().slices
        logs = sorted(one.path_of(name) for one in found for name in one.data_logs)
        sizes = {log: (recorded.folder / "table" / log).stat().st_size for log in logs}
        if any(sizes.values()):
            log = chance.choice([log for log in logs if sizes[log]])
            place = chance.randrange(sizes[log])
            return Damage(recorded, log, place, chance.choice([None, 1 << chance.randrange(8), 0xFF]))


@click.command(help=__doc__)
@click.option("--release", "releases", multiple=True, default=_RELEASES, show_default=True, help="In full: 1.2.0.")
@click.option("--examples", default=50, show_default=True, help="How many damages to tables of each release.")
@click.option("--seed", default=0, show_default=True)
@click.option("--most-refused", default=0.4, show_default=True, help="The share of examples that may be so here alone.")
def main(*, releases: tuple[str, ...], examples: int, seed: int, most_refused: float) -> None:
    """Run the examples; exit 1 where rows differ or are shown here alone, or too many are refused here alone."""
    if len(releases) > 1:
        numbers = [f"--examples={examples}", f"--seed={seed}", f"--most-refused={most_refused}"]
        command = [sys.executable, "-m", "tests.live.damage", *numbers]
        sys.exit(max(subprocess.call([*command, f"--release={one}"]) for one in releases))
    with tempfile.TemporaryDirectory() as temporary, tarfile.open(TABLES) as archive:
        unpack(archive, temporary)
        counts = _run(releases[0], Path(temporary), examples, seed)
        sys.exit(int(is_wrong(counts, most_refused)))


def is_wrong(counts: collections.Counter[str], most_refused: float) -> bool:
    """Whether outcomes are more than damage explains; `most_refused` is the share that may be refused here alone."""
    return any(counts[name] for name in _WRONG) or counts[_REFUSED] > most_refused * counts.total()


def _run(release: str, folder: Path, examples: int, seed: int) -> collections.Counter[str]:
    spark = session(release)
    chance = random.Random(seed)  # noqa: S311 (seeded on purpose)
    tables = [one for one in load(folder, release) if one.folder.name.startswith("mor") and one.answers.get("snapshot")]
    counts: collections.Counter[str] = collections.Counter()
    for number in range(examples):
        damage = draw(tables, chance)
        place = folder / f"damaged-{number}"
        outcome, why = _compared(spark, damage.do(place), release)
        counts[outcome] += 1
        click.echo(f"{outcome}: {damage}")
        if why:
            click.echo(f"    {why}")
        shutil.rmtree(place)
    click.echo(f"{release}, seed {seed}: {', '.join(f'{number} {name}' for name, number in sorted(counts.items()))}")
    return counts


def _compared(spark: SparkSession, table: Path, release: str) -> tuple[str, str]:
    """Return how the two answers compare, and what says so."""
    try:
        theirs, refused = _asked(lambda: written.rows_of(spark.read.format("hudi").load(str(table))), table)
    except UnicodeDecodeError as error:
        return "bytes that are no text in Hudi's rows", str(error)
    ours, why = _asked(lambda: rows_of(TableQueries(str(table), release).snapshot()), table)
    if theirs is None or ours is None:
        if theirs is ours:
            return "both refuse", ""
        return (_REFUSED, why) if ours is None else ("rows here alone", refused)
    unlike = difference(*map(without_meta, (theirs, ours)))
    return ("other rows", unlike) if unlike else ("the same rows", "")


def _asked(ask: Any, table: Path) -> tuple[list[dict[str, Any]] | None, str]:
    try:
        return ask(), ""
    except PayloadBridgeError as error:
        return None, str(error).replace(str(table), "")
    except Exception as error:
        if "Java" not in f"{type(error)} {error}":
            raise
        return None, reason(error, table)


if __name__ == "__main__":
    main()
