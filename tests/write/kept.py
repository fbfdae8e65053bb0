"""Whether Hudi without merge modes keeps what was written last: python -m tests.write.kept --release 0.15.0.

Real Hudi writes older, equal and negative ordering values, deletes and rows that come again, by
OverwriteWithLatestAvroPayload, and reads the table after each commit, with logs and compacted. Without an ordering
field the row that was written last must be there; with one, what is not kept is told.
"""

from __future__ import annotations

import itertools
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bridge.spark.small_input import INTERPRETED, JAVA_OPTIONS
from tests.conformance.record_table import session
from tests.write.combinations import TABLE_TYPES
from tests.write.tables import COMPACTING, WRITER

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_DDL = "id string, part string, ts {}, name string, _hoodie_is_deleted boolean"
_COMMITS: list[list[tuple[str, int, bool]]] = [
    [("a", 5, False), ("b", 5, False), ("c", 5, False), ("d", 5, False), ("e", 0, False)],
    [("a", 1, False), ("b", 1, True), ("c", 9, False), ("d", -1, True), ("e", -2, False)],
    [("a", 1, False), ("b", 0, False), ("c", 2, True), ("d", -5, False), ("e", -3, True)],
    [("a", -7, False), ("b", 0, True), ("c", 1, False), ("d", 9, True), ("e", -4, False), ("f", 3, False)],
    [("a", 8, True), ("b", -9, False), ("c", 0, True), ("d", 1, False), ("e", 7, False), ("f", 2, True)],
]
"""Key, ordering value and delete flag of each row of each commit."""


@click.command(help=__doc__)
@click.option("--release", default="0.15.0", show_default=True)
def main(release: str) -> None:
    """Print a line a table; exit 1 where a table without an ordering field shows other rows."""
    spark = session(release, {**INTERPRETED, "spark.driver.extraJavaOptions": JAVA_OPTIONS})
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="kept-") as folder:
        choices = itertools.product(TABLE_TYPES, ("", "ts"), ("int", "bigint"), (False, True))
        for kind, ordering, number, compacts in choices:
            if compacts and kind == "cow":
                continue
            name = f"{kind}-{ordering or 'none'}-{number}-{'compacted' if compacts else 'plain'}"
            lost = _lost(spark, Path(folder, name), TABLE_TYPES[kind], ordering, number, compacts=compacts)
            wrong += bool(lost and not ordering)
            click.echo(f"{release} {name}: {'; '.join(lost) or 'every commit is kept'}")
    click.echo(f"{release}: {wrong} tables without an ordering field do not keep what was written last")
    sys.exit(int(bool(wrong)))


def _lost(  # noqa: PLR0913 (what makes a table)
    spark: SparkSession, table: Path, table_type: str, ordering: str, number: str, *, compacts: bool
) -> list[str]:
    """Write the commits; return where a snapshot is not what was written last."""
    options = WRITER | {
        "hoodie.table.name": "kept",
        "hoodie.datasource.write.table.type": table_type,
        "hoodie.datasource.write.recordkey.field": "id",
        "hoodie.datasource.write.partitionpath.field": "part",
        "hoodie.datasource.write.precombine.field": ordering,
        "hoodie.datasource.write.payload.class": "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload",
        "hoodie.combine.before.upsert": "false",
    }
    options |= COMPACTING if compacts else {}
    rows: dict[str, tuple[Any, ...]] = {}
    lost = []
    for at, commit in enumerate(_COMMITS, start=1):
        written = [(key, "p", ordering_value, f"{key}{at}", deleted) for key, ordering_value, deleted in commit]
        for row in written:
            rows.pop(row[0], None)
            if not row[-1]:
                rows[row[0]] = row[:-1]
        frame = spark.createDataFrame(written, _DDL.format(number)).coalesce(1)
        frame.write.format("hudi").options(**options).mode("append").save(str(table))
        names = ("id", "part", "ts", "name")
        shown = {row[0]: tuple(row) for row in spark.read.format("hudi").load(str(table)).select(*names).collect()}
        other = sorted(key for key in rows.keys() | shown.keys() if rows.get(key) != shown.get(key))
        lost += [f"commit {at}: {key} is {shown.get(key)} and not {rows.get(key)}" for key in other]
    return lost


if __name__ == "__main__":
    main()
