"""Every path on Spark: the keys whose row depends on the path, and the smallest history that shows it."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NamedTuple

from pyspark.sql import Window
from pyspark.sql import functions as sf

from bridge.engines import ACTION, PATH
from bridge.pipeline.layout import join_rows, without_empty_partitions
from bridge.pipeline.run import run
from bridge.pipeline.simulate import commits_of
from bridge.plan import TableType
from bridge.programs import FEW, Action, Path, check_plan
from bridge.report import json_rows
from bridge.spark import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyspark.sql import DataFrame

    from bridge.plan import MergePlan

PATH_TYPE = (
    "struct<number:int,of:int,is_complete:boolean,table_type:string,commits:array<int>,compact_after:array<int>,"
    "batches:array<int>,error:string>"
)
"""The type of `_pb_path`.

The answer is `number` of `of`, that of the nearest path first; whether every state was followed; the path, as in
`bridge.programs.path_walk.Path`; the number of the batch of each version of the key; why the path ends before.
"""
HAS_ROW = "_pb_has_row"
CANDIDATES = 1000
"""The number of keys among which the smallest history is searched, those with the fewest versions."""

_SIZE, _RANK = "_pb_size", "_pb_rank"


class Counts(NamedTuple):
    """Counts of rows and keys.

    Attributes:
        rows: the rows of all batches.
        keys: the keys in them.
        many: those with more than `FEW` versions.
        depending: those whose row depends on the path.
        incomplete: those of which not every state was followed, so that there may be more results.
    """

    rows: int
    keys: int
    many: int
    depending: int
    incomplete: int


class KeyAnswer(NamedTuple):
    """One result of a key, in JSON values.

    Attributes:
        key: the columns that identify the row.
        number: which answer of the key it is, from 1.
        path: the nearest path to it.
        batches: the number of the batch of each version of the key.
        row: what a query sees; None for no row.
        error: why the path ends before; None if it does not.
    """

    key: dict[str, Any]
    number: int
    path: Path
    batches: list[int]
    row: dict[str, Any] | None
    error: str | None


class SmallestFound(NamedTuple):
    """The smallest history that was found, in JSON values: its rows, and the answers of two paths a step apart."""

    versions: list[dict[str, Any]]
    left: KeyAnswer
    right: KeyAnswer


def all_paths(
    batches: Sequence[DataFrame], plan: MergePlan, *, table_types: Iterable[TableType] = tuple(TableType)
) -> DataFrame:
    """Run batches through every path; return the different results of the keys that have several.

    `bridge.key_paths` defines paths. One job; all versions of a key are in the memory of one task.

    Args:
        batches: the batches in order, as in `simulate`.
        plan: what merges, and how; its table type does not count. The small-file rule plays no part.
        table_types: the table types whose paths are tried.

    Returns:
        The data columns, `_pb_has_row boolean` (false: no row, so that every column but the key's is null) and
        `_pb_path` of the type `PATH_TYPE`. A key of which not every state could be followed is there in any case.

    Raises:
        PlanError: the plan runs a compiled class, has a global index, or fits no table.
        MergeFailedError, from Spark: every path of a key ends in an error.
    """
    return _run(batches, plan, table_types, "all_paths")


def _run(batches: Sequence[DataFrame], plan: MergePlan, table_types: Iterable[TableType], program: str) -> DataFrame:
    check_plan(plan)
    layout, sides = commits_of(batches, plan)
    arguments = {"table_types": tuple(one.value for one in table_types)}
    outcomes = run(sides, layout, plan, program=program, arguments=arguments)
    has_row = (sf.col(ACTION) == int(Action.KEEP)).alias(HAS_ROW)
    return outcomes.select(*map(quoted, layout.names), has_row, sf.from_json(PATH, PATH_TYPE).alias(PATH))


def counted(batches: Sequence[DataFrame], found: DataFrame, plan: MergePlan) -> Counts:
    """Count what is in `batches`, and in what `all_paths` found."""
    identity = list(map(quoted, plan.identity))
    stored = (batch.select(*identity) for batch in _stored(batches, plan))
    keys = functools.reduce(_union, stored).groupBy(*identity).count()
    size = sf.col("count")
    total = sf.coalesce(sf.sum(size), sf.lit(0))
    sizes = keys.agg(total, sf.count(sf.lit(1)), sf.count(sf.when(size > FEW, 1))).collect()[0]
    path = sf.col(PATH)
    several, incomplete = sf.when(path.of > 1, 1), sf.when(~path.is_complete, 1)
    answers = found.where(path.number == 1).agg(sf.count(several), sf.count(incomplete)).collect()[0]
    return Counts(*sizes, *answers)


def key_answers(found: DataFrame, plan: MergePlan, limit: int | None = None) -> list[KeyAnswer]:
    """Return the answers of the keys that have several, by key; those of `limit` keys."""
    identity = list(map(quoted, plan.identity))
    several = found.where(sf.col(PATH).of > 1)
    if limit is not None:
        first = several.where(sf.col(PATH).number == 1).orderBy(*identity).limit(limit).select(*identity)
        several = _of_keys(several, first, plan)
    return [_answer(row, plan) for row in json_rows(several.orderBy(*identity, sf.col(PATH).number))]


def smallest(
    batches: Sequence[DataFrame],
    found: DataFrame,
    plan: MergePlan,
    *,
    table_types: Iterable[TableType] = tuple(TableType),
) -> SmallestFound | None:
    """Return the smallest history of the keys in `found` that shows a dependence; None if there is none.

    It is searched among the `CANDIDATES` keys that have the fewest versions.
    """
    identity = list(map(quoted, plan.identity))
    path = sf.col(PATH)
    depending = found.where((path.number == 1) & (path.of > 1)).select(*identity, sf.size(path.batches).alias(_SIZE))
    keys = depending.orderBy(_SIZE, *identity).limit(CANDIDATES).select(*identity)
    chosen = [_of_keys(batch, keys, plan) for batch in _stored(batches, plan)]
    histories = _run(chosen, plan, table_types, "smallest_history")
    rank = sf.dense_rank().over(Window.orderBy(path.of, *identity)).alias(_RANK)
    first = histories.select("*", rank).where(sf.col(_RANK) == 1).drop(_RANK)
    rows = {row[PATH]["number"]: row for row in json_rows(first)}
    if not rows:
        return None
    left, right = _answer(rows.pop(0), plan), _answer(rows.pop(-1), plan)
    versions = [_data(rows[number]) for number in sorted(rows)]
    return SmallestFound(versions, left, right)


def _of_keys(frame: DataFrame, keys: DataFrame, plan: MergePlan) -> DataFrame:
    return join_rows(frame, sf.broadcast(keys), plan.identity, "leftsemi")


def _stored(batches: Sequence[DataFrame], plan: MergePlan) -> list[DataFrame]:
    """Return batches with their partitions as the answers have them: by the schema of the last."""
    fields = batches[-1].schema.fields
    return [without_empty_partitions(batch, plan, fields) for batch in batches]


def _answer(row: dict[str, Any], plan: MergePlan) -> KeyAnswer:
    found = row[PATH]
    path = Path(TableType(found["table_type"]), tuple(found["commits"]), tuple(found["compact_after"]))
    key = {name: row[name] for name in plan.identity}
    data = _data(row) if row[HAS_ROW] else None
    return KeyAnswer(key, found["number"], path, found["batches"], data, found["error"])


def _data(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in {PATH, HAS_ROW}}


def _union(one: DataFrame, other: DataFrame) -> DataFrame:
    return one.unionByName(other)
