"""Plans and batches drawn by a seed and a number: of every release, payload, ordering, operation and table type."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import random
from typing import TYPE_CHECKING, Any, Final

from bridge import Batch, MergePlan
from payloads import builtin_payloads

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Row = tuple[Any, ...]
RELEASES: Final = ("0.12", "0.13", "0.14", "0.15", "1.0", "1.1", "1.2")
_MODES: Final = (
    *("EVENT_TIME_ORDERING", "COMMIT_TIME_ORDERING"),
    *(f"tests.support.user_mergers:{name}" for name in ("LaterEvent", "LastArrival", "AddsToOlder")),
)
_OWN: Final = tuple(
    f"tests.support.user_payloads:{name}" for name in ("Newest", "Counts", "KeepsLongestName", "RaisesForNameBoom")
)
_UTC: Final = datetime.timezone.utc
_DAY: Final = datetime.datetime(2024, 3, 10, 6, 59, 59, 999999, _UTC)  # an hour is missing in New York then
_ORDERED: Final[dict[str, tuple[Any, ...]]] = {
    "int": (-1, 0, 1, 2),
    "bigint": (-1, 0, 1, 2**40),
    "string": ("", "a", "I", "i", "\u0130", "\U0001f600", "\uffff"),
    "double": (-0.0, 0.0, 1.5, float("nan"), float("-inf")),
    "date": (datetime.date(1500, 2, 28), datetime.date(1582, 10, 15), datetime.date(2011, 12, 30)),
    "timestamp": tuple(_DAY + datetime.timedelta(seconds=s, days=d) for s in (-3600, 0, 1) for d in (0, -50_000)),
    "decimal(8,2)": tuple(map(decimal.Decimal, ("-1.50", "0.00", "7.25"))),
}
_PARTITIONS: Final[dict[str, tuple[Any, ...]]] = {
    "string": ("p", "I", "\u0131", None, ""),
    "date": (datetime.date(2011, 12, 30), datetime.date(1582, 10, 15), None),
    "timestamp": (_DAY, _DAY + datetime.timedelta(hours=1)),
    "int": (1, 2, None),
}
_KEYS: Final[dict[str, tuple[Any, ...]]] = {
    "string": ("a", "b", "I", "i", "\u0131", "c:d", "e,f", "_", "\U0001f600"),
    "bigint": tuple(range(-2, 7)),
    "timestamp": tuple(_DAY + datetime.timedelta(minutes=30 * n) for n in range(6)),
    "date": tuple(datetime.date(2011, 12, 28) + datetime.timedelta(days=n) for n in range(6)),
    "decimal(8,2)": tuple(decimal.Decimal(n) / 4 for n in range(6)),
}
_OPERATIONS: Final = ("upsert", "upsert", "upsert", "insert", "bulk_insert", "delete", "insert_overwrite")


@dataclasses.dataclass(frozen=True)
class Drawn:
    """What one number draws.

    Attributes:
        settings: of the plan, as `MergePlan` takes them; the engine is left to who runs it.
        columns: the names of the columns with their types in SQL.
        batches: the operation of each batch and its rows.
        compact_after: the batches after which a log is compacted.
    """

    settings: dict[str, Any]
    columns: dict[str, str]
    batches: tuple[tuple[str, tuple[Row, ...]], ...]
    compact_after: tuple[int, ...]

    def plan(self, **more: Any) -> MergePlan:
        """Return the plan; `more` comes before what is drawn."""
        return MergePlan(**{**self.settings, **more})

    def frames(self, spark: SparkSession, slices: int) -> list[Batch]:
        """Return the batches as frames of so many partitions, in which rows keep their order."""
        ddl = ", ".join(f"{name} {kind}" for name, kind in self.columns.items())
        return [Batch(frame_of(spark, rows, ddl, slices), operation) for operation, rows in self.batches]


def frame_of(spark: SparkSession, rows: tuple[Row, ...], ddl: str, slices: int) -> DataFrame:
    """Return rows as a frame of so many partitions."""
    return spark.createDataFrame(spark.sparkContext.parallelize(rows, slices), ddl)


def draw(seed: int, number: int) -> Drawn:
    """Draw a plan with its batches; a seed and a number draw the same ones everywhere."""
    source = random.Random(f"{seed} {number}")  # noqa: S311 (no secret)
    release = source.choice(RELEASES)
    named = sorted(one.__name__ for one in builtin_payloads(release))
    merges = source.choice([*named, *named, *_OWN, *(_MODES if release >= "1.1" else ())])
    is_mode = merges in _MODES
    key, part, order = (source.choice(sorted(one)) for one in (_KEYS, _PARTITIONS, _ORDERED))
    has_parts = source.random() < 0.6
    columns = {"id": key, "k": "int", "part": part, "ts": order, "name": "string", "n": "int"}
    columns |= {"_hoodie_is_deleted": "boolean"}
    values = {"id": _KEYS[key], "k": (1, 1, 2), "part": _PARTITIONS[part], "ts": _ORDERED[order]}
    values |= {"name": ("x", "yy", "boom", None), "n": (0, 1, None), "_hoodie_is_deleted": (None, False, False, True)}
    ordering = "ts"
    if "Debezium" in merges:
        ordering = "_event_lsn" if "Postgres" in merges else "_event_seq"
        columns |= {ordering: "bigint" if "Postgres" in merges else "string", "_change_operation_type": "string"}
        values |= {ordering: (1, 2, 3) if "Postgres" in merges else ("1.2", "1.10", "2.1")}
        columns |= {"_event_bin_file": "string", "_event_pos": "bigint"}
        values |= {"_change_operation_type": ("c", "u", "d", None)}
        values |= {"_event_bin_file": ("bin.000001", "bin.000010", "bin.000002"), "_event_pos": (1, 2, 10)}
    elif "Dms" in merges:
        columns |= {"Op": "string"}
        values |= {"Op": ("I", "U", "D", "d")}
    settings: dict[str, Any] = {"merger" if is_mode else "payload": merges, "release": release}
    settings |= {"table_type": source.choice(("cow", "mor")), "key": source.choice((("id",), ("id", "k")))}
    settings |= {"ordering": () if source.random() < 0.1 else (ordering,), "on_error": "quarantine"}
    settings |= {"partition": ("part",)} if has_parts else {}
    settings |= {"global_index": True} if has_parts and source.random() < 0.2 else {}
    if source.random() < 0.15:
        settings["props"] = {"hoodie.payload.delete.field": "name", "hoodie.payload.delete.marker": "x"}
    nulls = 0.1 * source.randrange(2)
    operations = ["upsert", *(source.choice(_OPERATIONS) for _ in range(source.randrange(1, 4)))]
    if source.random() < 0.5:
        operations = ["upsert"] * len(operations)
    batches = []
    for operation in operations:
        rows = [
            tuple(
                None if name not in {"id", "k"} and source.random() < nulls else source.choice(values[name])
                for name in columns
            )
            for _ in range(source.randrange(0 if batches else 1, 16))
        ]
        batches.append((operation, tuple(rows)))
    compact = source.choice(((), (1,), (2,), (1, 2)))
    chosen = tuple(n for n in compact if n <= len(batches)) if settings["table_type"] == "mor" else ()
    return Drawn(settings, columns, tuple(batches), chosen)
