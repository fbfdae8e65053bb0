"""A copy-on-write table over time, where each row is made by a merge: stated rules and mergers of columns.

As in `history`, each commit has one combined version of a key, and the fold goes by their numbers. It keeps the stored
row itself, as no version may have it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as sf
from pyspark.sql import types as spark_types

from bridge.engines.control_columns import ACTION, ADDED_TYPES, COMMIT, FIRST, LAST, NEWER, PREFIX, STATUSES
from bridge.engines.native.custom import ROW, action_of, folded_versions, merge_of
from bridge.engines.native.history import added, is_equal, no_statuses, statuses
from bridge.engines.native.versioned import let
from bridge.merge import Action

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from bridge.engines.job import Job
    from bridge.engines.native.merges import Merges
    from bridge.engines.native.versions import Versions

_ITEMS, _FOLDED, _SPAN, _PLACE = (f"{PREFIX}{name}" for name in ("items", "folded", "span", "place"))


def merged_through_commits(versions: Versions, sides: list[DataFrame], job: Job) -> DataFrame:
    """Return the outcomes of `simulate` on a copy-on-write table, as `through_commits` does."""
    (side,) = sides
    names = tuple(field.name for field in job.schema.fields)
    merge, kind = merge_of(versions, job, side, names)
    combined = folded_versions(versions, side, names, merge, by=(COMMIT,))
    item = sf.struct(
        sf.col(COMMIT).cast("bigint").alias("commit"), sf.col(NEWER).alias("rows"), sf.col(ROW).alias("version")
    )
    items = sf.array_sort(sf.collect_list(item), _by_commit).alias(_ITEMS)
    keys = [sf.first(name).alias(name) for name in combined.columns if name not in {*versions.identity, *_COMBINED}]
    gathered = combined.groupBy(*versions.identity).agg(items, *keys)
    folded = gathered.select(_Fold(versions, job, merge, kind).folded().alias(_FOLDED))
    spans = sf.posexplode_outer(sf.col(_FOLDED)["spans"]).alias(_PLACE, _SPAN)
    shown = folded.select(_FOLDED, spans)
    is_first = sf.coalesce(sf.col(_PLACE), sf.lit(0)) == 0
    noted = sf.when(is_first, sf.col(_FOLDED)["statuses"]).alias(STATUSES)
    return shown.select(
        *(sf.col(_SPAN)["row"][name].alias(name) for name in versions.names),
        sf.lit(int(Action.KEEP)).cast("tinyint").alias(ACTION),
        sf.col(_SPAN)["first"].alias(FIRST),
        sf.col(_SPAN)["last"].alias(LAST),
        *([noted] if job.row_counts else []),
    )


_COMBINED = (ROW, NEWER, COMMIT)


def _by_commit(one: Column, other: Column) -> Column:
    left, right = one["commit"], other["commit"]
    return sf.when(left < right, -1).when(left > right, 1).otherwise(0)


class _Fold:
    """The fold of the combined versions of one key.

    Its state has the stored row, or null, since when it is visible, the rows before it, and the statuses of rows.
    """

    def __init__(self, versions: Versions, job: Job, merge: Merges, kind: spark_types.StructType) -> None:
        self._versions, self._job, self._merge, self._kind = versions, job, merge, kind
        since = spark_types.StructType().add("row", kind).add("first", "long")
        self._spans = spark_types.ArrayType(spark_types.StructType([*since.fields]).add("last", "long"))
        self._type = since.add("spans", self._spans).add("statuses", ADDED_TYPES[STATUSES])

    def folded(self) -> Column:
        """Return the state after the last commit, the row that is visible then among its spans."""
        row, first = sf.lit(None).cast(self._kind), sf.lit(0).cast("bigint")
        start = sf.struct(row.alias("row"), first.alias("first"), sf.array().cast(self._spans).alias("spans"))
        start = start.withField("statuses", no_statuses())
        return sf.aggregate(sf.col(_ITEMS), start.cast(self._type), self._after, self._ended)

    def _after(self, state: Column, item: Column) -> Column:
        """Return the state after a commit."""
        row, version = state["row"], item["version"]
        left = sf.when(row.isNull(), self._merge.insert(version)).otherwise(self._merge.outcome(row, version))
        return let(left, lambda one: let(self._checked(one), lambda left: self._next(state, item, left)))

    def _checked(self, left: Column) -> Column:
        return left.withField("action", action_of(self._versions, self._job, left))

    def _next(self, state: Column, item: Column, left: Column) -> Column:
        is_written = left["action"].isin(int(Action.INSERT), int(Action.UPDATE))
        is_gone = left["action"] == int(Action.DELETE)
        ends = (is_written | is_gone) & state["row"].isNotNull()
        nothing = sf.lit(None).cast(self._kind)
        return sf.struct(
            sf.when(is_written, left["row"]).when(is_gone, nothing).otherwise(state["row"]),
            sf.when(is_written, item["commit"]).otherwise(state["first"]),
            sf.when(ends, self._with_span(state, item["commit"] - 1)).otherwise(state["spans"]),
            self._counted(state, item, left, is_written) if self._job.row_counts else state["statuses"],
        ).cast(self._type)

    def _ended(self, state: Column) -> Column:
        last = sf.lit(self._job.arguments["commits"]).cast("bigint")
        spans = sf.when(state["row"].isNotNull(), self._with_span(state, last)).otherwise(state["spans"])
        return state.withField("spans", spans)

    def _with_span(self, state: Column, last: Column) -> Column:
        """Return the spans of a state with the row that is visible until the commit `last`."""
        span = sf.struct(state["row"], state["first"], last)
        return sf.concat(state["spans"], sf.array(span).cast(self._spans))

    def _counted(self, state: Column, item: Column, left: Column, is_written: Column) -> Column:
        """Return the statuses of the rows until a commit; see `CommitStatuses`."""
        had, types = state["row"].isNotNull(), {field.name: field.dataType for field in self._kind}
        is_shown = is_written & ~(had & is_equal(state["row"], left["row"], types))
        is_deleted = (left["action"] == int(Action.DELETE)) & had
        rows, none = item["rows"], sf.lit(0).cast("bigint")
        kept = sf.when(left["made"], none).otherwise(sf.lit(1).cast("bigint"))
        now = (
            sf.when(is_shown, statuses(kept, rows - kept, none, none))
            .when(is_deleted, statuses(none, none, rows, none))
            .otherwise(statuses(none, none, none, rows))
        )
        return added(state["statuses"], now)
