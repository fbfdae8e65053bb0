"""The jobs that are timed: floors, what users would write by hand, and our merge points on each engine."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NamedTuple

from pyspark.sql import Window
from pyspark.sql import functions as sf

from bridge import MergePlan, append, combine_input, compact, snapshot, upsert
from tests.benchmarks import jvm_case
from tests.benchmarks.data import KEY

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import Column, DataFrame

    from tests.benchmarks.data import Data

FLOOR, BY_HAND, OURS, PEER = "floor", "by hand", "ours", "peer"
SHUFFLE, WINDOW = "shuffle by key", "row_number window"
"""The cases whose time the others are divided by."""
JOINED = ("dedup, full outer join (hash)", "dedup, full outer join (sort)")
QUERIES = (WINDOW, "max_by of a struct", *JOINED)
"""What is written by hand and compared with ours; none of them writes files."""
NATIVE = tuple(
    f"{what} time 1.2, native" for what in ("upsert, event", "upsert, commit", "snapshot, event", "snapshot, commit")
)
FEW = "upsert of few rows, event time 1.2, native"
"""The batch goes to the stored rows, which are not shuffled."""
SCANS = ("scan of stored rows", "scan of stored keys")
WRITTEN = tuple(
    f"upsert, {what}, written as Parquet" for what in ("event time 1.2, native", "Default 0.15, native", "Default 0.15")
)

_USER, _DEFAULT = "tests.benchmarks.user_payload:GreatestTs", "DefaultHoodieRecordPayload"
_PARTIAL, _NON_DEFAULTS = "PartialUpdateAvroPayload", "OverwriteNonDefaultsWithLatestAvroPayload"
_OF_ALL_SHAPES = {
    SHUFFLE,
    WINDOW,
    "upsert, event time 1.2, native",
    "upsert, Default 0.15",
    "upsert, user's class 0.15",
    "upsert, PartialUpdate 1.2",
    "snapshot, user's class 0.15",
}
_FIRST_IN_PYTHON = "upsert, event time 1.2, python"
_EVENT_TIME, _COMMIT_TIME = "EVENT_TIME_ORDERING", "COMMIT_TIME_ORDERING"


class Case(NamedTuple):
    """One line of the table.

    Attributes:
        name: says what runs.
        kind: `FLOOR`, `BY_HAND`, `OURS` or `PEER`.
        job: gives the frame that is computed, its rows thrown away; None where it writes a table itself.
        goal: the most that its time may be of the window's; None without one.
        writes: whether the frame is written as Parquet instead.
        before: is called before each run and not timed.
        of_all_shapes: whether every shape of data, and every size, runs it.
    """

    name: str
    kind: str
    job: Callable[[Data], DataFrame | None]
    goal: float | None = None
    writes: bool = False
    before: Callable[[Data], object] | None = None
    of_all_shapes: bool = False


def cases() -> list[Case]:
    """Return all cases but those of peers; ours need no jars but in the last ones, of the jvm engine."""
    found = [*_floors(), *_by_hand(), *_upserts(), *_reads(), *_others(), *_written(), *_compiled()]
    return [case._replace(of_all_shapes=case.name in _OF_ALL_SHAPES) for case in found]


def _floors() -> list[Case]:
    return [
        Case("scan", FLOOR, _union),
        Case(SHUFFLE, FLOOR, _shuffled),
        Case("shuffle and write Parquet", FLOOR, _shuffled, writes=True),
        Case(SCANS[0], FLOOR, lambda data: data.stored),
        Case(SCANS[1], FLOOR, lambda data: data.stored.select(*KEY)),
    ]


def _by_hand() -> list[Case]:
    jobs: list[Callable[[Data], DataFrame]] = [_window, _max_by]
    jobs += [functools.partial(_joined, strategy=strategy) for strategy in ("shuffle_hash", "merge")]
    return [
        *(Case(name, BY_HAND, job) for name, job in zip(QUERIES, jobs, strict=True)),
        Case("window, written as Parquet", BY_HAND, _window, writes=True),
    ]


def _upserts() -> list[Case]:
    plans = {
        "upsert, event time 1.2, native": (_mode(_EVENT_TIME, "native"), 0.7),
        "upsert, commit time 1.2, native": (_mode(_COMMIT_TIME, "native"), 0.7),
        "upsert, event time 1.2, python": (_mode(_EVENT_TIME, "python"), 0.9),
        "upsert, Default 0.15": (_payload(_DEFAULT, "0.15"), 0.9),
        "upsert, Default 1.2, python": (_payload(_DEFAULT, "1.2", engine="python"), 0.9),
        "upsert, Default 0.15, native": (_payload(_DEFAULT, "0.15", engine="native"), 0.7),
        "upsert, PartialUpdate 1.2, native": (_payload(_PARTIAL, "1.2", engine="native"), 0.8),
        "upsert, NonDefaults 1.2, native": (_payload(_NON_DEFAULTS, "1.2", engine="native"), 0.8),
        "upsert, user's class 0.15": (_payload(_USER, "0.15"), 1.1),
        "upsert, user's class 1.2": (_payload(_USER, "1.2"), 1.1),
        "upsert, user's class 0.15 by its rule, native": (
            _payload(_USER, "0.15", engine="native", trust_rule=True),
            0.8,
        ),
        "upsert, PartialUpdate 0.15": (_payload(_PARTIAL, "0.15"), 0.9),
        "upsert, PartialUpdate 1.2": (_payload(_PARTIAL, "1.2"), 0.9),
        "upsert, NonDefaults 0.15": (_payload(_NON_DEFAULTS, "0.15"), 0.9),
        "upsert, NonDefaults 1.2": (_payload(_NON_DEFAULTS, "1.2"), 0.9),
    }
    own = [Case(name, OURS, _merging(plan), goal) for name, (plan, goal) in plans.items()]
    own = [case._replace(before=_wake) if case.name == _FIRST_IN_PYTHON else case for case in own]
    few = Case(FEW, OURS, lambda data: upsert(data.stored, data.few, _mode(_EVENT_TIME, "native")))
    return [*own, few]


def _wake(data: Data) -> None:
    """Start Python's workers: Spark ends them after an idle minute, and the cases before take longer."""
    combine_input(data.few, _payload(_USER, "0.15")).write.format("noop").mode("overwrite").save()


def _reads() -> list[Case]:
    plans = {
        "snapshot, event time 1.2, native": (_mode(_EVENT_TIME, "native"), 0.7),
        "snapshot, commit time 1.2, native": (_mode(_COMMIT_TIME, "native"), 0.7),
        "snapshot, event time 1.2, python": (_mode(_EVENT_TIME, "python"), 0.9),
        "snapshot, Default 0.15": (_payload(_DEFAULT, "0.15"), 0.9),
        "snapshot, Default 0.15, native": (_payload(_DEFAULT, "0.15", engine="native"), 0.7),
        "snapshot, PartialUpdate 1.2, native": (_payload(_PARTIAL, "1.2", engine="native"), 0.8),
        "snapshot, user's class 0.15": (_payload(_USER, "0.15"), 1.1),
        "snapshot, user's class 1.2": (_payload(_USER, "1.2"), 1.1),
        "snapshot, PartialUpdate 1.2": (_payload(_PARTIAL, "1.2"), 0.9),
        "snapshot, NonDefaults 1.2": (_payload(_NON_DEFAULTS, "1.2"), 0.9),
    }
    return [Case(name, OURS, _reading(plan), goal) for name, (plan, goal) in plans.items()]


def _others() -> list[Case]:
    cases = []
    for name, plan, goal in (
        ("event time 1.2, native", _mode(_EVENT_TIME, "native"), 0.9),
        ("Default 0.15", _payload(_DEFAULT, "0.15"), 0.9),
        ("Default 0.15, native", _payload(_DEFAULT, "0.15", engine="native"), 0.9),
        ("user's class 0.15", _payload(_USER, "0.15"), 1.1),
        ("user's class 1.2", _payload(_USER, "1.2"), 1.1),
    ):
        cases += [
            Case(f"compact, {name}", OURS, _compacting(plan), goal),
            Case(f"append, {name}", OURS, _appending(plan), goal),
            Case(f"combine_input of all rows, {name}", OURS, _combining(plan), goal),
        ]
    return cases


def _written() -> list[Case]:
    plans = (
        _mode(_EVENT_TIME, "native"),
        _payload(_DEFAULT, "0.15", engine="native"),
        _payload(_DEFAULT, "0.15"),
    )
    return [Case(name, OURS, _merging(plan), writes=True) for name, plan in zip(WRITTEN, plans, strict=True)]


def _compiled() -> list[Case]:
    plan = _payload(jvm_case.PAYLOAD, "0.15", engine="jvm")
    jobs = {"upsert": _merging, "snapshot": _reading, "append": _appending}
    return [Case(jvm_case.NAME.format(point), OURS, job(plan), 0.9) for point, job in jobs.items()]


def _mode(mode: str, engine: str) -> MergePlan:
    return MergePlan(merger=mode, release="1.2", key="id", partition="part", ordering="ts", engine=engine)  # type: ignore[arg-type]


def _payload(payload: object, release: str, engine: str = "python", **more: Any) -> MergePlan:
    return MergePlan(payload=payload, release=release, key="id", partition="part", ordering="ts", engine=engine, **more)


def _merging(plan: MergePlan) -> Callable[[Data], DataFrame]:
    return lambda data: upsert(data.stored, data.incoming, plan)


def _reading(plan: MergePlan) -> Callable[[Data], DataFrame]:
    return lambda data: snapshot(data.stored, data.log, plan)


def _compacting(plan: MergePlan) -> Callable[[Data], DataFrame]:
    return lambda data: compact(data.stored, data.log, plan)


def _appending(plan: MergePlan) -> Callable[[Data], DataFrame]:
    return lambda data: append(data.stored, None, data.incoming, plan)[0]


def _combining(plan: MergePlan) -> Callable[[Data], DataFrame]:
    return lambda data: combine_input(_union(data), plan)


def _union(data: Data) -> DataFrame:
    return data.stored.unionByName(data.incoming)


def _shuffled(data: Data) -> DataFrame:
    return _union(data).repartition(*KEY)


def _versions(data: Data) -> DataFrame:
    return data.stored.withColumn("side", sf.lit(0)).unionByName(data.incoming.withColumn("side", sf.lit(1)))


def _window(data: Data) -> DataFrame:
    latest = Window.partitionBy(*KEY).orderBy(sf.desc("ts"), sf.desc("side"))
    return _versions(data).withColumn("rank", sf.row_number().over(latest)).where("rank = 1").drop("rank", "side")


def _max_by(data: Data) -> DataFrame:
    row = sf.struct(*data.stored.columns)
    winner = sf.max_by(row, sf.struct("ts", "side")).alias("row")
    return _versions(data).groupBy(*KEY).agg(winner).select("row.*")


def _joined(data: Data, strategy: str) -> DataFrame:
    """Let the winners of the batch meet the stored rows; columns stay flat."""
    latest = Window.partitionBy(*KEY).orderBy(sf.desc("ts"))
    ranked = data.incoming.withColumn("rank", sf.row_number().over(latest)).where("rank = 1").drop("rank")
    newer = ranked.select(*(sf.col(name).alias(f"new_{name}") for name in ranked.columns)).hint(strategy)
    same_key = [sf.col(name) == sf.col(f"new_{name}") for name in KEY]
    met = data.stored.join(newer, same_key, "full_outer")
    stays = sf.col("new_id").isNull() | sf.coalesce(sf.col("ts") > sf.col("new_ts"), sf.lit(False))
    return met.select(*(_chosen(name, stays) for name in data.stored.columns))


def _chosen(name: str, stays: Column) -> Column:
    return sf.when(stays, sf.col(name)).otherwise(sf.col(f"new_{name}")).alias(name)
