"""Merge-on-read tables that real Hudi wrote with compiled classes of users, and what the readers of releases show.

`python -m tests.corpus.tables write RELEASE DIR` lets a bundle write the tables of `TABLES` below DIR/RELEASE,
`read RELEASE DIR` lets one read all that are there, with the same jar, and `pack DIR` makes the archive. A process has
one bundle. Releases before 0.15 have none for Spark 3.5: run both with `--bundle COORDINATE` and an older PySpark then.
"""

from __future__ import annotations

import dataclasses
import io
import json
import lzma
import shutil
import tarfile
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from payloads import HudiRelease
from tests.conformance.record_table import history_of, session, write
from tests.corpus.real import FEW_FILES, SETTINGS, thrown
from tests.corpus.shapes import SHAPES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

RECORDED: Final = Path(__file__).parents[1] / "data/tables-compiled.tar.xz"
TABLES: Final = {
    "0.14.0": ("CountsMerges", "DeletesByHook", "FillsStored", "GoldenGate", "KeepsMarked", "SumsAmounts"),
    "0.15.0": (
        *("ConvertsCurrency", "CountsMerges", "DeletesByHook", "FillsStored", "GoldenGate", "KeepsFirstSeen"),
        *("MergesJson", "NeverReopens", "PatchesStoredPayload", "StampsIncoming", "StrictlyNewer", "SumsAmounts"),
    ),
}
"""The classes by the release that writes; those of one shape of table are alike."""
READERS: Final = ("0.14.0", "0.15.0", "1.0.2", "1.1.1", "1.2.0")
_COMPACT_AFTER: Final = (2,)
"""The later batches are in the log, above a base file that a merge of the class has made."""
_ANSWERS: Final = "answers.json"


class RecordedTable(NamedTuple):
    """A table, and what readers show of it.

    Attributes:
        folder: holds `table`.
        name: its shape.
        release: which wrote it.
        answers: by release the rows that its reader shows, with meta columns, or the exceptions that it threw.
    """

    folder: Path
    name: str
    release: str
    answers: dict[str, list[dict[str, Any]] | str]

    @property
    def path(self) -> str:
        """The base path."""
        return str(self.folder / "table")


def load(folder: Path) -> Iterator[RecordedTable]:
    """Give the tables below a folder, RELEASE/NAME."""
    for path in sorted(folder.glob(f"*/*/{_ANSWERS}")):
        yield RecordedTable(path.parent, path.parent.name, path.parent.parent.name, json.loads(path.read_bytes()))


@click.group(help=__doc__)
def main() -> None:
    """Take the step that is named."""


_of_bundle = (
    click.argument("release", type=click.Choice(READERS)),
    click.argument("folder", type=click.Path(path_type=Path)),
    click.option("--jars", required=True, help="Those of the classes, separated by commas."),
    click.option("--bundle", help="The coordinate of the bundle; that for Spark 3.5 without it."),
)


def _with_bundle(command: Any) -> Any:
    for option in reversed(_of_bundle):
        command = option(command)
    return command


def _session(release: str, jars: str, bundle: str | None) -> SparkSession:
    return session(release, SETTINGS | {"spark.jars": jars} | ({"spark.jars.packages": bundle} if bundle else {}))


@main.command("write")
@_with_bundle
@click.option("--class", "names", multiple=True, help="Only these; may be repeated.")
def write_tables(release: str, folder: Path, jars: str, bundle: str | None, names: tuple[str, ...]) -> None:
    """Write the tables of a release."""
    spark = _session(release, jars, bundle)
    for name in names or TABLES[release]:
        drawn = SHAPES[name].case("mor", HudiRelease.parse(release), 0)
        case = dataclasses.replace(drawn, compact_after=_COMPACT_AFTER)
        place = folder / release / name
        shutil.rmtree(place, ignore_errors=True)
        with tempfile.TemporaryDirectory(prefix="corpus-") as work:  # without the checksums of Hadoop's local files
            table = Path(work, "table")
            history = history_of(case, release)
            history["commits"] = [write(spark, case, table, n, FEW_FILES) for n in range(1, len(case.batches) + 1)]
            shutil.copytree(table, place / "table", ignore=shutil.ignore_patterns("*.crc"))
        (place / _ANSWERS).write_text("{}")
        click.echo(f"{release} {name}: {len(history['commits'])} commits")


@main.command("read")
@_with_bundle
def read_tables(release: str, folder: Path, jars: str, bundle: str | None) -> None:
    """Note what the reader of a release shows of all tables."""
    spark = _session(release, jars, bundle)
    for one in load(folder):
        try:
            found = spark.read.format("hudi").load(one.path).collect()
            answer: Any = sorted((row.asDict() for row in found), key=lambda row: row["_hoodie_record_key"])
        except Exception as error:  # noqa: BLE001 (whatever Hudi refuses is an answer)
            answer = thrown(str(error)) or f"{type(error).__name__}: {error}"
        answers = {**one.answers, release: answer}
        text = json.dumps(dict(sorted(answers.items())), ensure_ascii=False)
        (one.folder / _ANSWERS).write_text(text, encoding="utf-8")
        told = answer if isinstance(answer, str) else f"{len(answer)} rows"
        click.echo(f"{release} reads {one.release} {one.name}: {told}")


@main.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
def pack(folder: Path) -> None:
    """Make the archive of the tables below FOLDER, with nothing of when and where it was made."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(folder.glob("[0-9]*/**/*")):
            found = tarfile.TarInfo(str(path.relative_to(folder)))
            found.mode, found.type = (0o755, tarfile.DIRTYPE) if path.is_dir() else (0o644, tarfile.REGTYPE)
            data = b"" if path.is_dir() else path.read_bytes()
            found.size = len(data)
            archive.addfile(found, io.BytesIO(data))
    RECORDED.write_bytes(lzma.compress(plain.getvalue(), preset=9 | lzma.PRESET_EXTREME))
    click.echo(f"{RECORDED}: {len(list(load(folder)))} tables, {RECORDED.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
