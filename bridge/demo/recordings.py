"""The demo: batches that real Hudi merged are merged again on Spark, and the results compared row by row.

The recordings are package data: one folder a release, payload class and table type, with the batches as they were
passed to Hudi's Spark writer, and what a snapshot query of that release returned after each commit. The batches of a
class are the same in all of them.
"""

from __future__ import annotations

import collections
import functools
import gzip
import importlib.resources
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from pyspark.sql import functions as sf

from bridge.compare import Comparison
from bridge.explain import ExplainReport, explain_sides
from bridge.pipeline import simulate_commits
from bridge.plan import MergePlan, TableType
from bridge.spark import avro_schema, in_one_task
from payloads import HudiRelease, PayloadRef

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession

    from payloads import Record

RECORDED = {"AWSDmsAvroPayload": "dms", "DefaultHoodieRecordPayload": "default"}
"""The payload classes with a recording, and its name."""

KEY, PARTITION = "id", "part"
OLD, NEW = "0.15.0", "1.2.0"
"""The releases with recordings."""

_SIDE = "_pb_side"

Row = dict[str, Any]
Rows = list[Row]


@dataclass(frozen=True)
class Recording:
    """The input and the output of real Hudi.

    Attributes:
        plan: the settings of the writer.
        ddl: the columns, as Spark DDL.
        batches: the rows of each commit in order of arrival.
        snapshots: the rows of real Hudi after each commit.
        compact_after: the commits after which Hudi compacted.
    """

    plan: MergePlan
    ddl: str
    batches: list[Rows]
    snapshots: list[Rows]
    compact_after: tuple[int, ...]

    def versions(self, identity: tuple[object, ...]) -> list[tuple[int, Record]]:
        """Return the rows of one partition and key with the number of their commit, by arrival."""
        batches = enumerate(self.batches, start=1)
        return [(commit, row) for commit, rows in batches for row in rows if identity_of(row) == identity]


class RealAnswer(NamedTuple):
    """One commit: our snapshot and real Hudi's."""

    commit: int
    rows: Rows
    expected: Rows

    @property
    def is_equal(self) -> bool:
        """Whether both have the same rows, by value and type, in any order."""
        return collections.Counter(map(_frozen, self.rows)) == collections.Counter(map(_frozen, self.expected))


def identity_of(row: Row) -> tuple[object, ...]:
    """Return partition and key of a row."""
    return row[PARTITION], row[KEY]


def read_recording(payload: str, table_type: TableType, release: str = OLD) -> Recording:
    """Read the recording of a payload class in `RECORDED` under one of the releases."""
    folder = f"{RECORDED[payload]}-{table_type.value}"
    file = importlib.resources.files("bridge.demo") / "data" / release / folder / "history.json.gz"
    raw = json.loads(gzip.decompress(file.read_bytes()))
    names = [column.split()[0] for column in raw["schema_ddl"].split(",")]
    plan = MergePlan(
        payload=PayloadRef(raw["payload_class"]),
        release=HudiRelease.parse(release),
        table_type=table_type,
        key=(KEY,),
        partition=(PARTITION,),
        ordering=tuple(raw["ordering"].split(",")),
        props=raw["options"],
    )
    commits = raw["commits"]
    return Recording(
        plan,
        raw["schema_ddl"],
        [[dict(zip(names, row, strict=True)) for row in commit["incoming"]] for commit in commits],
        [commit["snapshot"] for commit in commits],
        tuple(number for number, commit in enumerate(commits, start=1) if commit["compacted_inline"]),
    )


def run(spark: SparkSession, recordings: Sequence[Recording]) -> list[list[RealAnswer]]:
    """Merge the batches that several recordings share on Spark, in one job.

    Returns:
        for each recording, each commit's snapshot with the recorded one.
    """
    first, commits = recordings[0], len(recordings[0].batches)
    rows = [
        (*row.values(), commit, arrival)
        for commit, batch in enumerate(first.batches, start=1)
        for arrival, row in enumerate(batch)
    ]
    versions = spark.createDataFrame(rows, f"{first.ddl}, _pb_commit bigint, _pb_arrival bigint")
    simulated = (
        simulate_commits(versions, one.plan, commits=commits, compact_after=one.compact_after) for one in recordings
    )
    tagged = [frame.withColumn(_SIDE, sf.lit(side)) for side, frame in enumerate(simulated)]
    together = functools.reduce(lambda left, right: left.unionByName(right), tagged)
    found: dict[tuple[int, int], Rows] = collections.defaultdict(list)
    for row in (together.coalesce(1) if in_one_task(spark) else together).collect():
        values = row.asDict()
        found[values.pop(_SIDE), values.pop("_pb_commit")].append(values)
    return [
        [RealAnswer(number, found[side, number], real) for number, real in enumerate(recording.snapshots, start=1)]
        for side, recording in enumerate(recordings)
    ]


def disagreeing(left: Rows, right: Rows) -> list[tuple[Any, ...]]:
    """Return partition and key of the rows that two snapshots don't share, in order."""
    sides = [{identity_of(row): _frozen(row) for row in rows} for rows in (left, right)]
    return sorted(key for key in sides[0].keys() | sides[1].keys() if sides[0].get(key) != sides[1].get(key))


def smallest(recording: Recording, identities: list[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Return the identity with the fewest versions; of several the one that is complete first."""

    def size(identity: tuple[object, ...]) -> tuple[Any, ...]:
        versions = recording.versions(identity)
        return len(versions), versions[-1][0], identity

    return min(identities, key=size)


def explained(spark: SparkSession, old: Recording, new: Recording, identity: tuple[Any, ...]) -> ExplainReport:
    """Explain one key on both sides in this process; Spark only parses the schema."""
    schema = avro_schema(spark.createDataFrame([], old.ddl).schema, old.plan.release)
    sides = Comparison(old.plan, new.plan, len(old.batches), compact_after=old.compact_after)
    versions = old.versions(identity)
    row = dict(zip((PARTITION, KEY), identity, strict=True))
    explained = explain_sides(versions, schema, sides)
    return ExplainReport(row, versions, schema, sides.commits, explained, sides, sides.compact_after)


def _frozen(row: Row) -> tuple[tuple[str, str, str], ...]:
    """Return a form of a row that is equal where names, types and values are."""
    return tuple((name, type(row[name]).__name__, repr(row[name])) for name in sorted(row))
