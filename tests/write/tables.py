"""A table that real Hudi creates, random batches for it, and every reader's rows next to those of the model."""

from __future__ import annotations

import dataclasses
import importlib
import random
from typing import TYPE_CHECKING, Any

from bridge import HudiTable, MergePlan
from payloads import PayloadRef
from tests.write.payloads import DELETED, MODELS

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from tests.write.payloads import Row

FLAG = "_hoodie_is_deleted"
GLOBAL = {
    "GLOBAL_SIMPLE": "hoodie.simple.index.update.partition.path",
    "GLOBAL_BLOOM": "hoodie.bloom.index.update.partition.path",
}
"""Global indexes, and the option of each that says whether it moves rows."""
_PARTITION = "_hoodie_partition_path"
_KEYS = 12
_NULL = "__HIVE_DEFAULT_PARTITION__"
_COLUMNS = {"id": "string", "part": "string", "ts": "bigint", "name": "string", "qty": "int", "Op": "string"}


@dataclasses.dataclass(frozen=True)
class Case:
    """A table and its writer.

    Attributes:
        model: a name of MODELS.
        table_type: `COPY_ON_WRITE` or `MERGE_ON_READ`.
        layout: `plain`; `parts`, by `part`; or `deep`, by `part` and `area`, which may be null, with a key of two
            fields.
        release: the Hudi of this process, in full.
        version: the table version; None for the release's own.
        jar: of the compiled classes.
        index: the type of its index; None for the default one.
        moves: whether a global index moves rows.
    """

    model: str
    table_type: str
    layout: str
    release: str
    version: str | None = None
    jar: str | None = None
    index: str | None = None
    moves: bool = True

    @property
    def name(self) -> str:
        """What tells it from others of its release."""
        kind = "mor" if self.is_merge_on_read else "cow"
        name = f"{self.model}-{kind}-{self.layout}"
        name = name if self.version is None else f"{name}-version-{self.version}"
        name = name if self.index is None else f"{name}-{self.index.lower()}"
        return name if self.moves else f"{name}-stays"

    @property
    def writer(self) -> dict[str, str]:
        """Options of every write."""
        if self.index is None:
            return WRITER
        found = WRITER | {"hoodie.index.type": self.index} | (_BUCKETS if self.index == "BUCKET" else {})
        return found if self.moves else found | {GLOBAL[self.index]: "false"}

    @property
    def label(self) -> str:
        """What tells it from others."""
        return f"{self.release}/{self.name}"

    @property
    def is_compiled(self) -> bool:
        """Whether its class comes from a jar."""
        return MODELS[self.model].is_compiled

    def with_jar(self, jar: str | None) -> Case:
        """Return the case with the jar of the compiled classes."""
        return dataclasses.replace(self, jar=jar)

    @property
    def has_modes(self) -> bool:
        """Whether its release has merge modes."""
        return not self.release.startswith("0.")

    @property
    def is_merge_on_read(self) -> bool:
        """Whether the table has logs."""
        return self.table_type.startswith("MERGE")

    @property
    def columns(self) -> dict[str, str]:
        """Spark types by name."""
        own = {"seq": "int", "area": "bigint"} if self.layout == "deep" else {}
        return _COLUMNS | own | ({FLAG: "boolean"} if MODELS[self.model].has_flag else {})

    @property
    def key(self) -> tuple[str, ...]:
        """The key fields."""
        return ("id", "seq") if self.layout == "deep" else ("id",)

    @property
    def partition(self) -> tuple[str, ...]:
        """The partition columns."""
        return {"plain": (), "parts": ("part",), "deep": ("part", "area")}[self.layout]

    @property
    def plan(self) -> MergePlan:
        """What merges: Hudi 0.15 as a table of 0.15 would."""
        model = MODELS[self.model]
        payload = PayloadRef(model.payload, jar=self.jar) if self.is_compiled else model.payload
        return MergePlan(payload=payload, release="0.15", key=self.key, partition=self.partition, ordering=("ts",))

    @property
    def identity(self) -> tuple[str, ...]:
        """The columns that identify a row."""
        return self.key if self.is_global else (*self.partition, *self.key)

    @property
    def is_global(self) -> bool:
        """Whether a key has one row in all partitions."""
        return bool(self.partition) and self.index in GLOBAL


WRITER = {
    "hoodie.parquet.small.file.limit": "0",
    "hoodie.metadata.enable": "false",
    "hoodie.embed.timeline.server": "false",
    "hoodie.write.markers.type": "DIRECT",
    "hoodie.rollback.using.markers": "false",
    "hoodie.upsert.shuffle.parallelism": "1",
    "hoodie.insert.shuffle.parallelism": "1",
    "hoodie.clean.commits.retained": "2",
    "hoodie.keep.min.commits": "3",
    "hoodie.keep.max.commits": "4",
}
"""Options of every write: the timeline is archived after a few commits.

A commit that a test undoes has no markers any more, by which Hudi would roll it back.
"""
COMPACTING = {"hoodie.compact.inline": "true", "hoodie.compact.inline.max.delta.commits": "3"}
"""More options, for merge-on-read tables: logs are compacted after a few commits."""

_BUCKETS = {"hoodie.bucket.index.num.buckets": "3"}

_BY_MODE = {
    "hoodie.record.merge.mode": "COMMIT_TIME_ORDERING",
    "hoodie.write.record.merge.mode": "COMMIT_TIME_ORDERING",
}
_BY_CLASS = {
    "hoodie.datasource.write.payload.class": "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload",
    "hoodie.datasource.write.precombine.field": "",  # else 0.15 takes the column `ts`
    "hoodie.combine.before.upsert": "false",  # by that field, which it then has to find
}


def create(spark: SparkSession, case: Case, table: Path) -> dict[tuple[Any, ...], Row]:
    """Let real Hudi create the table with two rows; return them as the model has them."""
    source = random.Random(case.name)  # noqa: S311 (seeded on purpose)
    rows = [{**_row(source, case), "id": f"k{at}", "seq": 0, FLAG: False} for at in range(2)]
    rows = [{name: row[name] for name in case.columns} for row in rows]
    own = {
        "hoodie.table.name": "written",
        "hoodie.datasource.write.table.type": case.table_type,
        "hoodie.datasource.write.recordkey.field": ",".join(case.key),
        "hoodie.datasource.write.partitionpath.field": ",".join(case.partition),
    }
    own |= _BY_MODE if case.has_modes else _BY_CLASS
    if case.has_modes and case.model in {"default", "dms"}:  # an ordering field decides nothing in this mode
        own["hoodie.datasource.write.precombine.field"] = "ts"
    if case.partition:
        own["hoodie.datasource.write.hive_style_partitioning"] = "true"
    if case.version is not None:
        own |= {"hoodie.write.table.version": case.version, "hoodie.write.auto.upgrade": "false"}
    frame_of(spark, case, rows).write.format("hudi").options(**case.writer, **own).mode("append").save(str(table))
    return {_key(case, row): row for row in rows}


def batch_of(case: Case, source: random.Random) -> list[Row]:
    """Return a random batch: of few keys, some of them several times."""
    return [_row(source, case) for _ in range(source.randint(1, 8))]


def _row(source: random.Random, case: Case) -> Row:
    number = source.randrange(_KEYS)
    row: Row = {
        "id": f"k{number}",
        "part": f"p{number % 3}" if source.random() < 0.9 else "p9",
        "ts": source.randrange(6),
        # Where rows move, 0.15 fails on a payload that ignores a row, or merges what it keeps with itself.
        "name": source.choice(["a", "b", None, "c" if case.is_global and case.moves else "skip"]),
        "qty": source.randint(-4, 4),
        "Op": source.choice(["I", "U", "U", "D"]),
        FLAG: source.random() < 0.25,
    }
    if case.is_global:
        row["part"] = source.choice(["p0", "p1", "p9"])
    if case.layout == "deep":
        row |= {"id": f"k{number // 2}", "seq": number % 2, "area": source.choice([1, 2, None])}
        row["part"] = source.choice(["p0", None])
    return {name: row[name] for name in case.columns}


def merged(case: Case, stored: dict[tuple[Any, ...], Row], batch: list[Row]) -> dict[tuple[Any, ...], Row]:
    """Return the rows of the table after a batch, by the model."""
    found = dict(stored)
    by_key: dict[tuple[Any, ...], list[Row]] = {}
    for row in batch:
        by_key.setdefault(_key(case, row), []).append(row)
    for key, versions in by_key.items():
        merge, old = MODELS[case.model].merge, stored.get(key)
        row = merge(old, versions)
        if row == DELETED or row is None:
            found.pop(key, None)
        else:
            found[key] = row  # type: ignore[assignment]
            # A row stays, too, if the payload would not insert the batch, or the stored row, alone.
            alone = old is not None and all(isinstance(merge(None, one), dict) for one in (versions, [old]))
            if case.is_global and old is not None and not (case.moves and alone):
                found[key] |= {name: old[name] for name in case.partition}
    return found


def frame_of(spark: SparkSession, case: Case, rows: Iterable[Row]) -> DataFrame:
    """Return rows as a frame."""
    ddl = ", ".join(f"`{name}` {kind}" for name, kind in case.columns.items())
    return spark.createDataFrame([tuple(row[name] for name in case.columns) for row in rows], ddl).coalesce(1)


def readers_that_differ(spark: SparkSession, case: Case, table: Path, rows: Iterable[Row]) -> list[str]:
    """Return the readers that show other rows than the model."""
    names = [name for name in case.columns if name != FLAG]
    rows = [*rows]
    expected = [[row[name] for name in names] for row in rows]
    if case.partition:
        expected = [[*values, _path(case, row)] for values, row in zip(expected, rows, strict=True)]
        names.append(_PARTITION)
    expected = _sorted(expected)
    found = {
        f"Hudi {case.release}": spark.read.format("hudi").load(str(table)),
        "HudiTable": HudiTable(spark, str(table)).snapshot(),
    }
    shown = {reader: _sorted(map(list, frame.select(*names).collect())) for reader, frame in found.items()}
    shown["hudi-rs"] = _sorted(_by_hudi_rs(table, names))
    return [f"{reader}: {rows} instead of {expected}" for reader, rows in shown.items() if rows != expected]


def _path(case: Case, row: Row) -> str:
    return "/".join(f"{name}={_NULL if row[name] is None else row[name]}" for name in case.partition)


def _by_hudi_rs(table: Path, names: list[str]) -> list[list[Any]]:
    hudi = importlib.import_module("hudi")
    found = [row for batch in hudi.HudiTable(str(table)).read_stream() for row in batch.to_pylist()]
    return [[row[name] for name in names] for row in found]


def _sorted(rows: Iterable[list[Any]]) -> list[list[Any]]:
    return sorted(rows, key=repr)


def _key(case: Case, row: Row) -> tuple[Any, ...]:
    return tuple(row[name] for name in case.identity)
