"""Every path on Spark: the keys whose row depends on the path, and the smallest history that shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import Window
from pyspark.sql import functions as sf

from bridge.engines import ACTION, PATH, with_strategy_id
from bridge.merge import Action
from bridge.pipeline.layout import data_fields, join_rows, without_empty_partitions
from bridge.pipeline.run import run
from bridge.pipeline.simulate import commits_of
from bridge.plan import TableType
from bridge.programs import FEW, Path, check_plan, check_writes
from bridge.redaction import shown_message
from bridge.report import json_rows
from bridge.spark import described, in_order, key_columns, quoted

if TYPE_CHECKING:
    from collections.abc import Collection

    from pyspark.sql import DataFrame

    from bridge.plan import MergePlan
    from bridge.report import JsonObject

PATH_TYPE = (
    "struct<number:int,of:int,is_complete:boolean,table_type:string,commits:array<int>,compact_after:array<int>,"
    "batches:array<int>,error:string,kind:string,change:string,standard:array<int>,"
    "seen:array<string>>"
)
"""The type of `_pb_path`.

The answer is `number` of `of`, that of the nearest path first; whether every state was followed; the path, as in
`bridge.programs.path_walk.Path`; the number of the batch of each version of the key; why the path ends before. The
first of several answers of a key says how they differ (`kind`), the least that has to change for the second one
(`change`), and of each of `bridge.programs.standard_paths` the number of the answer at its end, and whether a query
sees a row, nothing or an error there.
"""
HAS_ROW = "_pb_has_row"
CANDIDATES = 1000
"""The number of keys among which the smallest history is searched, those with the fewest versions."""

_SIZE, _RANK = "_pb_size", "_pb_rank"


class PathCounts(NamedTuple):
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
        kind: the id of how the answers of the key differ; the first answer has it, and what follows.
        change: the id of the least that has to change for the second answer.
        standard: the number of the answer at the end of each of the standard paths.
    """

    key: JsonObject
    number: int
    path: Path
    batches: list[int]
    row: JsonObject | None
    error: str | None
    kind: str | None = None
    change: str | None = None
    standard: list[int] | None = None


class SmallestFound(NamedTuple):
    """The smallest history that was found, in JSON values: its rows, and the answers of two paths a step apart."""

    versions: list[JsonObject]
    left: KeyAnswer
    right: KeyAnswer


def path_outcomes(versions: DataFrame, plan: MergePlan, table_types: Collection[TableType]) -> DataFrame:
    """Run batches through every path; return what `answers_of` and `row_counts_in` take apart."""
    return _outcomes("all_paths", versions, plan, table_types, row_counts=True)


def answers_of(outcomes: DataFrame) -> DataFrame:
    """Return the different results of the keys that have several."""
    has_row = (sf.col(ACTION) == int(Action.KEEP)).alias(HAS_ROW)
    data = [quoted(field.name) for field in data_fields(outcomes)]
    answers = outcomes.where(sf.col(ACTION).isNotNull())
    return answers.select(*data, has_row, sf.from_json(PATH, PATH_TYPE).alias(PATH))


def _outcomes(
    program: str, versions: DataFrame, plan: MergePlan, table_types: Collection[TableType], *, row_counts: bool = False
) -> DataFrame:
    check_plan(plan, table_types)
    plan = with_strategy_id(versions.sparkSession, plan)
    check_writes(plan, 2)
    layout, side = commits_of(versions, plan)
    arguments = {"table_types": tuple(one.value for one in table_types)}
    return run([side], layout, plan, program=program, arguments=arguments, row_counts=row_counts)


def counted(versions: DataFrame, found: DataFrame, plan: MergePlan) -> PathCounts:
    """Count what is in the batches, and among the answers."""
    stored = _stored(versions, plan)
    keys = stored.groupBy(*key_columns(stored, plan.identity)).count()
    size = sf.col("count")
    total = sf.coalesce(sf.sum(size), sf.lit(0))
    sizes = keys.agg(total, sf.count(sf.lit(1)), sf.count(sf.when(size > FEW, 1))).collect()[0]
    path = sf.col(PATH)
    several, incomplete = sf.when(path.of > 1, 1), sf.when(~path.is_complete, 1)
    with described(found.sparkSession, f"{plan.payload_name}, Hudi {plan.release}: every path of every key"):
        answers = found.where(path.number == 1).agg(sf.count(several), sf.count(incomplete)).collect()[0]
    return PathCounts(*sizes, *answers)


def key_answers(
    found: DataFrame, plan: MergePlan, limit: int | None = None, *, spread: bool = False
) -> list[KeyAnswer]:
    """Return the answers of the keys that have several, by key; see `PathsReport.collect`."""
    several = found.where(sf.col(PATH).of > 1)
    if limit is not None:
        several = _of_keys(several, some_keys(found, plan, limit, spread=spread), plan)
    return [_answer(row, plan) for row in json_rows(several.orderBy(*map(quoted, plan.identity), sf.col(PATH).number))]


def some_keys(found: DataFrame, plan: MergePlan, limit: int, *, spread: bool) -> DataFrame:
    """Return the identifying columns of `limit` keys that have several answers; see `PathsReport.collect`."""
    path, identity = sf.col(PATH), list(map(quoted, plan.identity))
    several = found.where((path.of > 1) & (path.number == 1))
    by = [sf.xxhash64(*identity), *identity] if spread else identity
    return several.orderBy(*by).limit(limit).select(*identity)


def smallest(
    versions: DataFrame, found: DataFrame, plan: MergePlan, table_types: Collection[TableType]
) -> SmallestFound | None:
    """Return the smallest history of the keys in `found` that shows a dependence; None if there is none.

    It is searched among the `CANDIDATES` keys that have the fewest versions.
    """
    identity = list(map(quoted, plan.identity))
    path = sf.col(PATH)
    depending = found.where((path.number == 1) & (path.of > 1)).select(*identity, sf.size(path.batches).alias(_SIZE))
    keys = depending.orderBy(_SIZE, *identity).limit(CANDIDATES).select(*identity)
    chosen = _of_keys(_stored(versions, plan), keys, plan)
    histories = answers_of(_outcomes("smallest_history", chosen, plan, table_types))
    by_key = [column for name in plan.identity for column in in_order(histories, name)]
    rank = sf.dense_rank().over(Window.orderBy(path.of, *by_key)).alias(_RANK)
    first = histories.select("*", rank).where(sf.col(_RANK) == 1).drop(_RANK)
    rows = {row[PATH]["number"]: row for row in json_rows(first)}
    if not rows:
        return None
    left, right = _answer(rows.pop(0), plan), _answer(rows.pop(-1), plan)
    versions_shown = [_data(rows[number]) for number in sorted(rows)]
    return SmallestFound(versions_shown, left, right)


def _of_keys(frame: DataFrame, keys: DataFrame, plan: MergePlan) -> DataFrame:
    return join_rows(frame, sf.broadcast(keys), plan.identity, "leftsemi")


def _stored(versions: DataFrame, plan: MergePlan) -> DataFrame:
    """Return batches with their partitions as the answers have them."""
    return without_empty_partitions(versions, plan, versions.schema.fields)


def _answer(row: JsonObject, plan: MergePlan) -> KeyAnswer:
    found = row[PATH]
    path = Path(TableType(found["table_type"]), tuple(found["commits"]), tuple(found["compact_after"]))
    key = {name: row[name] for name in plan.identity}
    data = _data(row) if row[HAS_ROW] else None
    error = found["error"] and shown_message(found["error"])
    more = (found["kind"], found["change"], found["standard"])
    return KeyAnswer(key, found["number"], path, found["batches"], data, error, *more)


def _data(row: JsonObject) -> JsonObject:
    return {name: value for name, value in row.items() if name not in {PATH, HAS_ROW}}
