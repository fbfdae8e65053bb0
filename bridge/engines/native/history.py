"""A copy-on-write table over time: the commits of a key, folded from one combined version to the next.

Each commit has one combined version of a key; those of all commits are gathered in an array, no longer than there are
commits. The fold goes by their numbers: it keeps which of them is the stored row, since when, and the rows before it.
"""

from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING

from pyspark.sql import functions as sf
from pyspark.sql import types as spark_types

from bridge.engines.control_columns import ACTION, ADDED_TYPES, COMMIT, FIRST, LAST, NEWER, PREFIX, STATUSES
from bridge.engines.native.size import is_few
from bridge.engines.native.stored_join import held_values, outlasts
from bridge.engines.native.versioned import let
from bridge.engines.native.versions import DEAD, RESET, Versions
from bridge.merge import Action
from bridge.spark import functions, quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import Column, DataFrame

    from bridge.engines.job import Job

_ITEMS, _FOLDED, _SPAN, _PLACE = (f"{PREFIX}{name}" for name in ("items", "folded", "span", "place"))
_NONE = -1
_SPANS = "array<struct<item:int,first:bigint,last:bigint>>"
_STATUSES = tuple(ADDED_TYPES[STATUSES].fieldNames())  # type: ignore[attr-defined]  # it is a struct
_STATE = f"struct<at:int,held:int,first:bigint,spans:{_SPANS},statuses:{ADDED_TYPES[STATUSES].simpleString()}>"
"""Next combined version and stored row by number (or -1), since when that is visible, the rows before, statuses."""


def through_commits(versions: Versions, sides: list[DataFrame], job: Job) -> DataFrame:
    """Return the outcomes of `simulate` on a copy-on-write table: each visible row with its first and last commit.

    A key that never has a row is one outcome without commits.
    """
    combined = versions.combined(sides[0], counted=job.row_counts, in_one=is_few(sides[0]))
    items = sf.array_sort(sf.collect_list(_item(versions, job)))
    gathered = combined.groupBy(*map(quoted, versions.identity)).agg(items.alias(_ITEMS))
    row = sf.col(_ITEMS)[0]["row"]
    key = [row[versions.new[name]].alias(versions.new[name]) for name in job.plan.identity]
    folded = gathered.select(_ITEMS, *key).select(_ITEMS, _Fold(versions, job).folded().alias(_FOLDED))
    spans = sf.posexplode_outer(sf.col(_FOLDED)["spans"]).alias(_PLACE, _SPAN)
    each = folded.select(_ITEMS, _FOLDED, spans)
    shown, is_first = (
        functions.get(sf.col(_ITEMS), sf.col(_SPAN)["item"])["row"],
        sf.coalesce(sf.col(_PLACE), sf.lit(0)) == 0,
    )
    statuses = sf.when(is_first, sf.col(_FOLDED)["statuses"]).alias(STATUSES)
    return each.select(
        *(shown[new].alias(name) for name, new in versions.new.items()),
        sf.lit(int(Action.KEEP)).cast("tinyint").alias(ACTION),
        sf.col(_SPAN)["first"].alias(FIRST),
        sf.col(_SPAN)["last"].alias(LAST),
        *([statuses] if job.row_counts else []),
    )


def _item(versions: Versions, job: Job) -> Column:
    """Return a commit's combined version: what it compares by, when it is newer and once it is stored, and its row."""
    rule = versions.rule
    held = held_values(versions, lambda name: sf.col(versions.new[name])) if rule.compares else []
    return sf.struct(
        sf.col(COMMIT).cast("bigint").alias("commit"),  # by which an array of them is sorted
        sf.col(DEAD).alias("dead"),
        (sf.col(RESET) if rule.ordering else sf.lit(False)).alias("reset"),
        (sf.col(NEWER) if job.row_counts else sf.lit(0)).cast("bigint").alias("rows"),
        *(sf.col(name).alias(f"newer_{number}") for number, name in enumerate(versions.values)),
        *(value.alias(f"held_{number}") for number, value in enumerate(held)),
        sf.struct(*map(sf.col, versions.new.values())).alias("row"),
    )


class _Fold:
    """The fold of the combined versions of one key."""

    def __init__(self, versions: Versions, job: Job) -> None:
        self._versions, self._job = versions, job
        self._items = sf.col(_ITEMS)

    def folded(self) -> Column:
        """Return the state after the last commit, the row that is visible then among its spans."""
        none = sf.lit(0).cast("bigint")
        start = sf.struct(sf.lit(0), sf.lit(_NONE), none, sf.array().cast(_SPANS), no_statuses())
        return sf.aggregate(self._items, start.cast(_STATE), self._after, self._ended)

    def _after(self, state: Column, item: Column) -> Column:
        """Return the state after a commit."""
        stays = sf.coalesce(self._stays(state, item), sf.lit(False))
        return let(stays, lambda one: self._next(state, item, one))

    def _stays(self, state: Column, item: Column) -> Column:
        """Whether the stored row has the greater ordering value."""
        rule = self._versions.rule
        if not rule.compares:
            return sf.lit(False)
        held = functions.get(self._items, state["held"])
        numbers = range(len(self._versions.values))
        older, newer = ([side[f"{name}_{one}"] for one in numbers] for name, side in (("held", held), ("newer", item)))
        outranks = outlasts(self._versions, older, newer, self._versions.failures)
        replaces = item["dead"] if rule.deletes_first else item["reset"]
        return sf.when((state["held"] != _NONE) & ~replaces, outranks)

    def _next(self, state: Column, item: Column, stays: Column) -> Column:
        ends = ~stays & (state["held"] != _NONE)
        return sf.struct(
            state["at"] + 1,
            sf.when(stays, state["held"]).when(item["dead"], _NONE).otherwise(state["at"]),
            sf.when(stays, state["first"]).otherwise(item["commit"]),
            sf.when(ends, _with_span(state, item["commit"] - 1)).otherwise(state["spans"]),
            self._counted(state, item, stays) if self._job.row_counts else state["statuses"],
        ).cast(_STATE)

    def _ended(self, state: Column) -> Column:
        is_visible = state["held"] != _NONE
        last = sf.lit(self._job.arguments["commits"]).cast("bigint")
        return state.withField("spans", sf.when(is_visible, _with_span(state, last)).otherwise(state["spans"]))

    def _counted(self, state: Column, item: Column, stays: Column) -> Column:
        """Return the statuses of the rows until a commit; see `CommitStatuses`."""
        held = functions.get(self._items, state["held"])["row"]
        is_new, is_dead = state["held"] == _NONE, item["dead"]
        is_ignored = stays | (is_new & is_dead) | (~is_new & ~is_dead & self._is_equal(held, item["row"]))
        rows, none, one = item["rows"], sf.lit(0).cast("bigint"), sf.lit(1).cast("bigint")
        shown = statuses(one, rows - 1, none, none)
        more = sf.when(is_ignored, statuses(none, none, none, rows)).when(is_dead, statuses(none, none, rows, none))
        return added(state["statuses"], more.otherwise(shown))

    def _is_equal(self, one: Column, other: Column) -> Column:
        """Whether two rows have the same values; NaN is none, as in Python."""
        return is_equal(one, other, {self._versions.new[name]: kind for name, kind in self._versions.types.items()})


def _with_span(state: Column, last: Column) -> Column:
    """Return the spans of a state with the row that is visible until the commit `last`."""
    return sf.concat(state["spans"], sf.array(sf.struct(state["held"], state["first"], last)).cast(_SPANS))


def statuses(*numbers: Column) -> Column:
    """Return how many rows of a key have each status."""
    return sf.struct(*(number.alias(name) for number, name in zip(numbers, _STATUSES, strict=True)))


def no_statuses() -> Column:
    """Return the statuses of no rows."""
    return statuses(*(sf.lit(0).cast("bigint") for _ in _STATUSES))


def added(before: Column, now: Column) -> Column:
    """Return the statuses of more rows."""
    return let(now, lambda one: statuses(*(before[name] + one[name] for name in _STATUSES)))


def is_equal(one: Column, other: Column, types: Mapping[str, spark_types.DataType]) -> Column:
    """Whether two rows of some columns have the same values; NaN is none, as in Python."""
    nans = [found for name, kind in types.items() if (found := _has_nan(one[name], kind)) is not None]
    return functools.reduce(lambda so_far, nan: so_far & ~nan, nans, one.eqNullSafe(other))


def _has_nan(value: Column, kind: spark_types.DataType) -> Column | None:
    """Whether NaN is in a value; None for a type that has none."""
    if isinstance(kind, spark_types.FloatType | spark_types.DoubleType):
        return sf.coalesce(sf.isnan(value), sf.lit(False))
    if isinstance(kind, spark_types.ArrayType):
        inner = kind.elementType
        if _has_nan(sf.lit(None), inner) is None:
            return None
        return sf.coalesce(sf.exists(value, lambda one: _has_nan(one, inner)), sf.lit(False))  # type: ignore[arg-type, return-value]
    if isinstance(kind, spark_types.StructType):
        parts = [_has_nan(value[field.name], field.dataType) for field in kind.fields]
        known = [part for part in parts if part is not None]
        return functools.reduce(operator.or_, known) if known else None
    return None
