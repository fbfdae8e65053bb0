"""Records histories: writes batches with real Hudi and notes its answers (`python -m tests.conformance.record --help`).

Needs network or a filled Ivy cache for Hudi's bundles. What it writes is what `tests.conformance.histories` reads; the
format, the commands and what is there: `tests/histories/FORMAT.md`.
"""

from __future__ import annotations

import dataclasses
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bridge.config.keys import INLINE_COMPACTION
from tests.conformance.record_cases import load_cases
from tests.conformance.record_stages import Stage, record_stages
from tests.conformance.record_table import history_of, save, session, write_on
from tests.conformance.record_upgrade import MODES, Upgrade, record_upgrades

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.conformance.record_cases import Case


@click.command()
@click.argument("cases", type=click.Path(exists=True, path_type=Path))
@click.argument("out", type=click.Path(file_okay=False, path_type=Path))
@click.option("--release", required=True, help="The Hudi release, in full: 1.2.0.")
@click.option("--like", help="With a folder: the release whose writer's options are taken.  [default: the same]")
@click.option("--case", "wanted", multiple=True, help="Only this case, with or without -cow or -mor; may be repeated.")
@click.option("--then", "then", multiple=True, help="Another release, which goes on with the tables; may be repeated.")
@click.option("--after", multiple=True, type=int, default=(3,), show_default=True, help="The last batch before each.")
@click.option("--inline", is_flag=True, help="Let writers compact by default: what is planned, after their commit.")
@click.option("--mode", "modes", multiple=True, type=click.Choice(MODES), default=MODES, show_default=True)
@click.option(
    "--pyspark", help="With one --then: a folder with the PySpark of RELEASE, which has no bundle for the other."
)
def main(  # noqa: PLR0913 (one parameter an option)
    *,
    cases: Path,
    out: Path,
    release: str,
    like: str | None,
    wanted: Sequence[str],
    then: Sequence[str],
    after: Sequence[int],
    inline: bool,
    modes: Sequence[str],
    pyspark: str | None,
) -> None:
    """Record CASES below OUT/RELEASE, or with --then below OUT/RELEASE-to-THEN-MODE.

    With several --then, each with its --after, the releases write in turn, below OUT/RELEASE-to-THEN-to-THEN; so does
    an older one, for which the table is downgraded. RELEASE@VERSION is a writer that names a table version.

    CASES is a folder of histories (RELEASE/CASE-TYPE/history.json.gz), whose cases are written again with another
    release, or a JSON file: `schema_ddl` with the columns id and part, `batches` (name: list of batches, each a list of
    rows), and `cases`, each with `case`, `payload_class`, `ordering`, `options`, `batches` (a name), `table_types`
    (cow, mor) and `compact_after` (numbers of batches, from 1); `releases` where not all of them are meant.
    """
    chosen = [
        case
        for case in load_cases(cases, release.partition("@")[0], like)
        if not wanted or {case.name, case.folder} & {*wanted}
    ]
    if inline:
        chosen = [dataclasses.replace(case, options={**case.options, INLINE_COMPACTION: None}) for case in chosen]
    if not chosen:
        message = f"{cases} has no such case for {like or release}"
        raise click.UsageError(message)
    with tempfile.TemporaryDirectory(prefix="recorded-") as work:
        if not then:
            _record(chosen, release, Path(work), out)
        elif len(then) == 1 and "@" not in release + then[0] and then[0] > release:
            record_upgrades(chosen, Upgrade(release, then[0], after[0], modes, pyspark), Path(work), out)
        else:
            stages = [Stage.parse(text, number) for text, number in zip((release, *then), (0, *after), strict=True)]
            record_stages(chosen, stages, Path(work), out)


def _record(cases: Sequence[Case], release: str, work: Path, out: Path) -> None:
    spark = session(release)
    try:
        for case in cases:
            history, table = history_of(case, release), work / case.folder
            all(write_on(spark, case, table, number + 1, history) for number in range(len(case.batches)))
            save(out / release / case.folder, history)
    finally:
        spark.stop()


if __name__ == "__main__":
    main()
