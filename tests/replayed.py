"""python -m tests.replayed [DIR] --release 0.14.0 --to 1.0: what `replay --table` says, and what the real reader shows.

DIR has tables with the answers of real Hudi, as `tests.conformance.tables` reads them; by default the archive of the
tests. Each is copied, and its timeline gets the times of its instants, which readers from 1.0 on take for those of
completion. One process of the bundle reads all copies. A table is as said if the rows of its own reader, changed by the
differences that `replay --table` finds, are those of the real reader; or if both refuse it. Needs network or a filled
Ivy cache.
"""

from __future__ import annotations

import collections
import contextlib
import functools
import random
import shutil
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
import pyarrow.parquet as pq

from bridge import HudiTable, compare_readers, local_session
from bridge.compare import bundle_of, reason_of, run_released
from bridge.errors import sentence_of
from bridge.pipeline import LEFT, RIGHT
from payloads import HudiRelease, PayloadBridgeError
from tests.conformance.tables import collected, json_rows, load, row_text, without_meta
from tests.rehearse import restore_times
from tests.support import TABLES
from tests.support.archives import unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import pyarrow as pa
    from pyspark.sql import DataFrame

_AS_SAID: Final = "as said"
_REFUSED: Final = "refused by both"
_NOT_AS_SAID: Final = "not as said"
_SCRIPT: Final = Path(__file__).with_name("support") / "read_by_bundle.py"


@click.command()
@click.argument("directory", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--release", "releases", multiple=True, default=["0.15.0"], show_default=True, help="Who wrote last.")
@click.option("--to", default="1.0", show_default=True, help="The release that reads.")
@click.option("--case", "cases", multiple=True, help="Only this folder; may be repeated.")
@click.option("--examples", type=int, help="How many tables of each release, drawn by the seed.  [default: all]")
@click.option("--seed", default=0, show_default=True)
def main(  # noqa: PLR0913 (one parameter an option)
    *, directory: Path | None, releases: Sequence[str], to: str, cases: Sequence[str], examples: int | None, seed: int
) -> None:
    """Print a line a table, and how many are as said; exit 1 where one is not."""
    spark = local_session(cores=2)
    counts: collections.Counter[str] = collections.Counter()
    with tempfile.TemporaryDirectory(prefix="replayed-") as name, contextlib.ExitStack() as closing:
        here = directory or Path(closing.enter_context(tempfile.TemporaryDirectory(prefix="replayed-")))
        if directory is None:
            with tarfile.open(TABLES) as tar:
                unpack(tar, here)
        chosen = []
        for release in releases:
            found = [one for one in load(here, release) if not cases or one.folder.name in cases]
            if examples is not None and examples < len(found):
                found = random.Random(seed).sample(found, examples)  # noqa: S311 (seeded on purpose)
            chosen += found
        if not chosen:
            msg = f"no table of {', '.join(releases)} is in {directory or TABLES}"
            raise click.UsageError(msg)
        places = [(str(Path(name, str(number))), str(Path(name, f"rows-{number}"))) for number in range(len(chosen))]
        for recorded, (copy, _) in zip(chosen, places, strict=True):
            shutil.copytree(recorded.folder / "table", copy)
            restore_times(Path(copy))
        bundle = bundle_of(HudiRelease.parse(to), spark, None)
        real = run_released(spark, bundle, _SCRIPT, {"tables": places}, way_out="take fewer --examples")
        for recorded, (copy, out), answer in zip(chosen, places, real, strict=True):
            ended, told = _judged(functools.partial(HudiTable, spark, copy, recorded.release), to, out, answer)
            counts[ended] += 1
            click.echo(f"{recorded.label}: {ended}: {told}")
    spark.stop()
    click.echo(f"{len(chosen)} tables: {', '.join(f'{number} {name}' for name, number in sorted(counts.items()))}")
    sys.exit(int(not set(counts) <= {_AS_SAID, _REFUSED}))


def _judged(open_table: Callable[[], HudiTable], to: str, out: str, real: dict[str, Any]) -> tuple[str, str]:
    """Return how a table ended, and the reason in words."""
    try:
        table = open_table()
        with compare_readers(table, [to]) as found:
            (result,) = found.results
            refusal = result.refused or result.not_run
            if refusal is None and "error" not in real:
                return _compared(table, found.differences(to), out)
    except PayloadBridgeError as error:
        refusal = sentence_of(error)
    if refusal is None:
        return _NOT_AS_SAID, f"only real Hudi refuses: {reason_of(real['error'])}"
    if "error" not in real:
        return _NOT_AS_SAID, f"real Hudi shows {real['rows']} rows, and here it is refused: {refusal}"
    return _REFUSED, f"{refusal}; real Hudi: {reason_of(real['error'])}"


def _compared(table: HudiTable, changes: DataFrame, out: str) -> tuple[str, str]:
    sides = (changes.where(f"{side} is not null").select(f"{side}.*") for side in (LEFT, RIGHT))
    removed, added = (_texts(collected(side)) for side in sides)
    said = _texts(collected(table.snapshot())) - removed + added
    shown = _texts(pq.read_table(out).to_batches())
    missing, many = sorted((shown - said).elements()), sorted((said - shown).elements())
    told = f"{shown.total()} rows, {max(removed.total(), added.total())} of them otherwise than before"
    if not missing and not many:
        return _AS_SAID, told
    return _NOT_AS_SAID, f"{told}; {len(missing)} missing, such as {missing[:1]}, {len(many)} too many: {many[:1]}"


def _texts(batches: Iterable[pa.RecordBatch]) -> collections.Counter[str]:
    return collections.Counter(map(row_text, without_meta(row for batch in batches for row in json_rows(batch))))


if __name__ == "__main__":
    main()
