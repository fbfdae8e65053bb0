"""The corpus of users' classes against what real Hudi answered, as recorded: `python -m tests.corpus` asks it anew."""

from __future__ import annotations

import dataclasses
import tarfile
from typing import TYPE_CHECKING

import pytest

from tests.corpus.__main__ import RECORDED, RELEASES, labels
from tests.corpus.compared import DIFFERS, FINE, compared, load
from tests.corpus.jars import jars_for
from tests.corpus.shapes import BUILDS, SHAPES, TYPES, drawn
from tests.support.archives import unpack

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pyspark.sql import SparkSession

    from payloads import HudiRelease
    from tests.corpus.jars import ShapeJars
    from tests.jvm.java_compiler import JavaCompiler

IN_CI = ("0.15.0", "1.2.0")
"""The releases whose tables a lane compares; the ones between differ from them in few classes.

Of a class it takes one type in each, of the next class the other one. `python -m tests.corpus --recorded` takes all.
"""
with tarfile.open(RECORDED) as names:
    THERE = {name.rpartition("/")[0] for name in names.getnames()}
IN_LANE = {
    label
    for turn, release in enumerate(IN_CI)
    for number, name in enumerate(SHAPES)
    for label in labels(release, (name,), (TYPES[(number + turn) % len(TYPES)],))
}
TABLES = [
    pytest.param(label, marks=() if label in IN_LANE else pytest.mark.long)
    for release in RELEASES
    for label in labels(release, tuple(SHAPES), TYPES)
    if label in THERE
]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    with tarfile.open(RECORDED) as archive:
        unpack(archive, folder)
    return folder


@pytest.fixture(scope="module")
def jars(java_compiler: JavaCompiler) -> Mapping[HudiRelease, ShapeJars]:
    return {build: jars_for(java_compiler, build) for build in BUILDS}


@pytest.mark.parametrize("label", TABLES)
def test_a_users_class_gives_the_rows_of_real_hudi(
    recorded: Path, jars: Mapping[HudiRelease, ShapeJars], spark: SparkSession, label: str
) -> None:
    (table,) = load(recorded, [label])
    answer = compared(spark, table, jars)
    assert answer.verdict in FINE, str(answer)
    assert answer.snapshots == len(table.history.commits)


def test_every_class_is_recorded() -> None:
    assert {label for release in IN_CI for label in labels(release, tuple(SHAPES), TYPES)} <= THERE


def test_another_row_is_a_difference(
    recorded: Path, jars: Mapping[HudiRelease, ShapeJars], spark: SparkSession
) -> None:
    (table,) = load(recorded, ["0.15.0/FillsStored-cow"])
    first, *others = table.history.commits
    row, *rows = first.snapshot
    commit = dataclasses.replace(first, snapshot=({**row, "city": "Rome"}, *rows[:-1]))
    answer = compared(
        spark, table._replace(history=dataclasses.replace(table.history, commits=(commit, *others))), jars
    )
    assert answer.verdict == DIFFERS
    assert answer.differences == 2
    assert answer.told[0].startswith(f"after commit 1, key {row['id']}: city=")
    assert answer.told[1].endswith(", 0 in Hudi: []") or "1 rows here, 0 in Hudi" in answer.told[1]


@pytest.mark.parametrize("name", SHAPES)
def test_batches_have_what_real_ones_have(name: str) -> None:
    batches = drawn(SHAPES[name], 0)
    assert batches == drawn(SHAPES[name], 0) != drawn(SHAPES[name], 1)
    last: dict[str, int] = {}
    late = ties = twice = 0
    for batch in batches:
        keys = [row["id"] for row in batch]
        twice += len(keys) - len({*keys})
        for row in batch:
            before = last.get(row["id"])
            late += before is not None and row["ts"] < before
            ties += before is not None and row["ts"] == before
        for row in batch:
            last[row["id"]] = max(last.get(row["id"], 0), row["ts"])
    assert min(late, ties, twice) > 5
