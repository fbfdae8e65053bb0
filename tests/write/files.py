"""Merged rows are written as files and as new tables, and read back: python -m tests.write.files.

The rows have an added and a promoted column. Tables of each version that a release writes are read by that Hudi, by
hudi-rs, by `HudiTable` and, file by file, by Spark; meta columns must be equal. Files with meta columns are read by
Spark, and then take the place of the base files of a table of real Hudi, which Hudi and hudi-rs must read as they are.
With --command the tables are those of `payload-bridge snapshot --out-table-format hudi`. Each release runs in a process
of its own. Needs network or a filled Ivy cache for Hudi's bundles.
"""

from __future__ import annotations

import importlib
import itertools
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bridge import HudiTable, MergePlan, upsert, write_files, write_table
from bridge.errors import EngineError
from bridge.spark import META_COLUMNS
from bridge.spark.small_input import INTERPRETED, JAVA_OPTIONS
from payloads.avro import read_container
from tests.conformance.record_table import session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pyspark.sql import DataFrame, SparkSession

_VERSIONS = {"0.15.0": (None, 6), "1.0.2": (None, 6, 8), "1.2.0": (None, 6, 8, 9)}
"""The table versions that a release writes; None is its own."""
_OWN = {"0.15.0": 6, "1.0.2": 8, "1.2.0": 9}
_WRITER = {
    "hoodie.metadata.enable": "false",
    "hoodie.embed.timeline.server": "false",
    "hoodie.bulkinsert.shuffle.parallelism": "1",
}
_NAMES = ("id", "part", "ts", "qty", "city", "paid")


@click.command(help=__doc__)
@click.option("--release", "releases", multiple=True, type=click.Choice(list(_VERSIONS)), default=tuple(_VERSIONS))
@click.option("--command", "by_command", is_flag=True, help="Run the command line for each table.")
def main(releases: tuple[str, ...], *, by_command: bool) -> None:
    """Exit 1 where a reader shows other rows."""
    if len(releases) > 1:
        command = [sys.executable, "-m", "tests.write.files", *(["--command"] if by_command else [])]
        codes = [subprocess.call([*command, f"--release={one}"]) for one in releases]
        sys.exit(int(any(codes)))
    (release,) = releases
    spark = session(release, {**INTERPRETED, "spark.driver.extraJavaOptions": JAVA_OPTIONS})
    wrong, checks = [], 0
    with tempfile.TemporaryDirectory(prefix="files-") as folder:
        for what, problems in (_by_command if by_command else _checks)(spark, release, Path(folder)):
            click.echo(f"{release} {what}: {'WRONG' if problems else 'read alike'}")
            checks += 1
            wrong += [f"{what}: {problem}" for problem in problems]
    for problem in wrong:
        click.echo(f"  WRONG {problem}")
    click.echo(f"{release}: {checks} outputs, {len(wrong)} wrong")
    sys.exit(int(bool(wrong)))


def _checks(spark: SparkSession, release: str, folder: Path) -> Iterator[tuple[str, list[str]]]:
    for table_type, partitioned in itertools.product(("cow", "mor"), (True, False)):
        plan = _plan(table_type, partitioned=partitioned)
        rows = upsert(_stored(spark), _incoming(spark), plan).persist()
        expected = _texts(rows, _NAMES)
        for version in _VERSIONS[release]:
            name = f"{table_type}-{'parts' if partitioned else 'plain'}-{version or 'own'}"
            found = write_table(rows, str(folder / name), plan, table_version=version, write_options=_WRITER)
            stored = int(found.properties["hoodie.table.version"])
            problems = [] if stored == (version or _OWN[release]) else [f"it has table version {stored}"]
            yield name, problems + _differing(spark, folder / name, expected, None)
        if table_type == "cow":
            name = f"files-{'parts' if partitioned else 'plain'}"
            yield name, _of_files(spark, rows, plan, folder / name, expected)
    yield "a version that is too new", _refused(spark, release, folder)


def _plan(table_type: str, *, partitioned: bool) -> MergePlan:
    return MergePlan(
        payload="OverwriteNonDefaultsWithLatestAvroPayload",
        release="0.15",
        key=("id",),
        partition=("part",) if partitioned else (),
        ordering=("ts",),
        table_type=table_type,
    )


def _by_command(spark: SparkSession, release: str, folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Load the rows of a table into new ones by the command line."""
    turns = itertools.cycle(itertools.product(("cow", "mor"), (True, False)))
    bundle = f"org.apache.hudi:hudi-spark3.5-bundle_2.12:{release}"
    for version, (table_type, partitioned) in zip(_VERSIONS[release], turns, strict=False):
        plan = _plan(table_type, partitioned=partitioned)
        name = f"{table_type}-{'parts' if partitioned else 'plain'}-{version or 'own'}"
        rows = upsert(_stored(spark), _incoming(spark), plan).persist()
        write_table(rows, str(folder / f"{name}-before"), plan, write_options=_WRITER)
        words = ["snapshot", str(folder / f"{name}-before"), "--release", release.rpartition(".")[0]]
        words += ["--out", str(folder / name), "--out-table-format", "hudi", "--bundle", bundle]
        words += [] if version is None else ["--table-version", str(version)]
        words += [word for pair in _WRITER.items() for word in ("--write-option", "=".join(pair))]
        ran = subprocess.run(
            [sys.executable, "-c", "from bridge.cli import main; main()", *words],
            capture_output=True,
            text=True,
            check=False,
        )
        if ran.returncode:
            yield name, [f"the command ended with {ran.returncode}: {ran.stderr[-1500:]}"]
            continue
        stored = HudiTable(spark, str(folder / name)).properties
        wrong = int(stored["hoodie.table.version"]) != (version or _OWN[release])
        wrong |= stored["hoodie.table.type"] != plan.table_type.name
        problems = [f"it has {stored}"] if wrong else []
        yield name, problems + _differing(spark, folder / name, _texts(rows, _NAMES), None)


def _stored(spark: SparkSession) -> DataFrame:
    rows = [(f"k{n}", f"p{n % 2}", n, n * 10, f"city {n}") for n in range(8)]
    return spark.createDataFrame(rows, "id string, part string, ts bigint, qty int, city string").coalesce(1)


def _incoming(spark: SparkSession) -> DataFrame:
    """Return a batch with a column more, and one of a wider type."""
    rows = [(f"k{n}", f"p{n % 2}", n + 1, n * 10_000_000_000, None, f"{n}.25") for n in range(5, 12)]
    ddl = "id string, part string, ts bigint, qty bigint, city string, paid string"
    return spark.createDataFrame(rows, ddl).selectExpr(*_NAMES[:-1], "cast(paid as decimal(10,2)) paid").coalesce(1)


def _of_files(
    spark: SparkSession, rows: DataFrame, plan: MergePlan, folder: Path, expected: list[tuple[str, ...]]
) -> list[str]:
    """Write files, and let them take the place of the base files of a table."""
    names = (*META_COLUMNS, *_NAMES)
    write_files(rows, f"{folder}-parquet", plan, instant="20240101000000000")
    parquet = spark.read.option("recursiveFileLookup", "true").parquet(f"{folder}-parquet")
    meta = _texts(parquet, names)
    shown = sorted(row[len(META_COLUMNS) :] for row in meta)
    problems = [] if shown == expected else [f"Spark reads {shown} instead of {expected}"]
    problems += _wrong_meta(meta, plan, Path(f"{folder}-parquet"))
    written = write_files(rows, f"{folder}-avro", plan, out_format="avro", instant="20240101000000000")
    records = [record for file in written for record in _records(Path(f"{folder}-avro", file))]
    told = sorted(tuple(str(record[name]) for name in ("id", "part", "qty")) for record in records)
    wanted = sorted((row[0], row[1], row[3]) for row in expected)
    problems += [] if told == wanted else [f"Avro has {told}"]
    write_table(rows.coalesce(1), f"{folder}-table", plan, write_options=_WRITER)
    replaced = _replace(Path(f"{folder}-table"), Path(f"{folder}-parquet"))
    problems += [] if replaced else ["no base file was replaced"]
    return problems + _differing(spark, Path(f"{folder}-table"), expected, meta)


def _wrong_meta(meta: list[tuple[str, ...]], plan: MergePlan, folder: Path) -> list[str]:
    files = {path.name: path.parent.relative_to(folder).as_posix() for path in folder.rglob("*.parquet")}
    wrong = []
    for commit, sequence, key, path, file, *data in meta:
        where = data[1] if plan.partition else ""
        if (commit, key, path, files.get(file)) != ("20240101000000000", data[0], where, where or "."):
            wrong.append(f"meta columns {commit} {key} {path} {file} of {data}")
        if not sequence.startswith("20240101000000000_"):
            wrong.append(f"sequence number {sequence}")
    if len({row[1] for row in meta}) != len(meta):
        wrong.append("a sequence number comes twice")
    return wrong


def _replace(table: Path, files: Path) -> int:
    """Replace the one base file of each partition by the one that was written."""
    count = 0
    for path in table.rglob("*.parquet"):
        if ".hoodie" not in path.parts:
            (ours,) = (files / path.parent.relative_to(table)).glob("*.parquet")
            shutil.copy(ours, path)
            path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
            count += 1
    return count


def _records(path: Path) -> list[dict[str, Any]]:
    with path.open("rb") as stream:
        return list(read_container(stream)[1])


def _differing(
    spark: SparkSession, table: Path, expected: list[tuple[str, ...]], meta: list[tuple[str, ...]] | None
) -> list[str]:
    """Return the readers that show other rows, or other meta columns than the files have."""
    names = (*META_COLUMNS, *_NAMES)
    files = [str(path) for path in table.rglob("*.parquet") if ".hoodie" not in path.parts]
    by_spark = _texts(spark.read.parquet(*files), names)
    raw = meta or by_spark
    readers: dict[str, Callable[[], list[tuple[str, ...]]]] = {
        "Hudi": lambda: _texts(spark.read.format("hudi").load(str(table)), names),
        "HudiTable": lambda: _texts(HudiTable(spark, str(table)).snapshot(), names),
        "hudi-rs": lambda: _by_hudi_rs(table, names),
        "Spark": lambda: by_spark,
    }
    problems = []
    for reader, read in readers.items():
        shown = read()
        if shown != raw:
            problems.append(f"{reader} shows {shown} instead of {raw}")
        if sorted(row[len(META_COLUMNS) :] for row in shown) != expected:
            problems.append(f"{reader} shows {shown} instead of the rows {expected}")
    if any(value == "None" for row in raw for value in row[: len(META_COLUMNS)]):
        problems.append(f"a meta column has no value: {raw}")
    return problems


def _refused(spark: SparkSession, release: str, folder: Path) -> list[str]:
    if release == "1.2.0":
        return []
    plan = MergePlan(payload="OverwriteWithLatestAvroPayload", release="0.15", key=("id",))
    try:
        write_table(_stored(spark), str(folder / "new"), plan, table_version=9)
    except EngineError as error:
        there = list(folder.glob("new*"))
        return [str(there)] if there or "not 9" not in str(error) else []
    return ["version 9 is not refused"]


def _texts(frame: DataFrame, names: Iterable[str]) -> list[tuple[str, ...]]:
    return sorted(tuple(map(str, row)) for row in frame.select(*names).collect())


def _by_hudi_rs(table: Path, names: Iterable[str]) -> list[tuple[str, ...]]:
    hudi = importlib.import_module("hudi")
    found = [row for batch in hudi.HudiTable(str(table)).read_stream() for row in batch.to_pylist()]
    return sorted(tuple(str(row[name]) for name in names) for row in found)


if __name__ == "__main__":
    main()
