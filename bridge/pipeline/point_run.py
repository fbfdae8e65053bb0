"""PointRun: one merge point on frames, with the row counts of the run and the quarantined rows, from one pass."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from bridge.engines import NEWER, PREFIX, QUARANTINE, Choice, RowCounts, RowStatus, row_count_columns, visible
from bridge.errors import InputError, ParameterError, RowCountsError
from bridge.pipeline.layout import data_fields
from bridge.pipeline.merge_points import (
    append_outcomes,
    appended,
    combine_outcomes,
    combined_rows,
    read_outcomes,
    upsert_outcomes,
)
from bridge.pipeline.run import choice_of
from bridge.programs import EngineName
from bridge.spark import ObservedFrame, can_observe, quoted

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from pyspark.sql import DataFrame

    from bridge.engines.trusted import Evidence
    from bridge.plan import MergePlan

POINTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "combine-input": (("incoming",), ()),
    "upsert": (("stored", "incoming"), ()),
    "append": (("stored", "incoming"), ("log",)),
    "compact": (("stored", "log"), ()),
    "snapshot": (("stored", "log"), ()),
}
"""The sides that each merge point needs, and those that it may have."""

_ROWS = f"{PREFIX}rows"
_STORED_TWICE = (
    "the stored side has more than one row for some keys, so that newer rows were merged more than once and nothing is "
    "kept; deduplicate it or check the key columns (the python engine names the first such key)"
)


class PointRun:
    """One merge point on frames.

    Attributes:
        point: its name, as on the command line.
        plan: how versions merge.
        outcomes: the outcomes, which one action must compute before `row_counts` are read.
        evidence: how the rules were checked that run in place of a class; None for any other run.
    """

    def __init__(self, point: str, frames: Mapping[str, DataFrame], plan: MergePlan) -> None:
        """Set up the run; nothing is computed.

        Raises:
            ParameterError: as in `check_sides`.
        """
        check_sides(point, frames)
        needed, _ = POINTS[point]
        self.point, self.plan = point, plan
        self._frames = dict(frames)
        # The log of an append tells a global index where rows are; no row of it is merged.
        counted = [name for name in needed if name in frames]
        if "log" in frames and plan.global_index:
            counted = [*dict.fromkeys((*counted, "log"))]
        self._sides = {name: ObservedFrame(frames[name], sf.count(sf.lit(1)).alias("rows")) for name in counted}
        evidence: list[Evidence] = []
        outcomes = self._outcomes({**frames, **{name: side.frame for name, side in self._sides.items()}}, evidence)
        self.evidence = evidence[0] if evidence else None
        self._row_counts = ObservedFrame(outcomes, *row_count_columns(outcomes, point, plan))
        self.outcomes = self._row_counts.frame

    def _outcomes(self, frames: Mapping[str, DataFrame], evidence: list[Evidence]) -> DataFrame:
        plan = self.plan
        match self.point:
            case "combine-input":
                return combine_outcomes(frames["incoming"], plan, row_counts=True)
            case "upsert":
                return upsert_outcomes(frames["stored"], frames["incoming"], plan, row_counts=True, evidence=evidence)
            case "append":
                return append_outcomes(frames["stored"], frames["incoming"], plan, frames.get("log"), row_counts=True)
            case _:
                sides = frames["stored"], frames["log"]
                return read_outcomes(*sides, plan, program=self.point, row_counts=True, evidence=evidence)

    @functools.cached_property
    def choice(self) -> Choice:
        """Which engine runs it, and why."""
        if self.evidence is not None:
            return Choice(EngineName.NATIVE, self.evidence.sentence)
        newer = self._frames["log" if self.point in {"snapshot", "compact"} else "incoming"]
        is_global = self.plan.global_index and self.point in {"upsert", "append"}
        program = self.point.replace("-", "_") + ("_global_index" if is_global else "")
        stored = [self._frames["stored"]] if "stored" in self._frames else []
        return choice_of(program, self.plan, newer, *stored)

    @property
    def has_one_result(self) -> bool:
        """Whether the rows are all that there is, and Spark tells what becomes of them while it writes them."""
        can_tell = can_observe(self.outcomes.sparkSession)
        return self.point != "append" and self.plan.on_error == "fail" and can_tell

    def row_counts(self, computed: DataFrame) -> RowCounts:
        """Return what became of the rows; an action must have computed the outcomes: `computed`, or the result.

        Raises:
            RowCountsError: they do not balance.
        """
        rows_in = {name: int(side.counts()["rows"]) for name, side in self._sides.items()}
        observed = self._row_counts.counts(computed)
        found = RowCounts.of_run(rows_in, observed)
        try:
            found.check()
        except RowCountsError:
            # Spark counts a task twice that it runs again, after an executor was lost: ask the inputs themselves.
            counted = {name: self._frames[name].count() for name in rows_in}
            found = RowCounts.of_run(counted, observed)
            if self._meets_rows_twice(found) and self._stores_a_key_twice():
                raise InputError(_STORED_TWICE) from None
            found.check()
        return found

    def _meets_rows_twice(self, row_counts: RowCounts) -> bool:
        """Whether newer rows alone were counted too often: natively they meet every stored row of their key."""
        if NEWER not in self.outcomes.columns or "stored" not in row_counts.rows_in:
            return False
        told = {side: sum(row_counts.total(status, [side]) for status in RowStatus) for side in row_counts.rows_in}
        more = {side for side, number in row_counts.rows_in.items() if told[side] > number}
        return bool(more) and told["stored"] == row_counts.rows_in["stored"]

    def _stores_a_key_twice(self) -> bool:
        """Count the stored rows of each key: a task that ran again makes newer rows too many, too."""
        # As texts, of which those of 0.0 and -0.0 are two.
        keys = [quoted(name).cast("string") for name in self.plan.within_partitions().identity]
        found = self._frames["stored"].groupBy(*keys).agg(sf.count(sf.lit(1)).alias(_ROWS))
        return not found.where(sf.col(_ROWS) > 1).isEmpty()

    def split(self, outcomes: DataFrame) -> dict[str, DataFrame]:
        """Return the results among outcomes: `rows`, or `stored` and `log` of an append; and `quarantine`, if asked."""
        if self.point == "append":
            stored, log = appended(outcomes, self._frames.get("log"))
            found = {"stored": stored, "log": log}
        else:
            found = {"rows": combined_rows(outcomes) if self.point == "combine-input" else visible(outcomes)}
        if self.plan.on_error == "quarantine":
            found["quarantine"] = quarantine_of(outcomes)
        return found


def check_sides(point: str, given: Collection[str]) -> None:
    """Refuse sides that a merge point does not have.

    Raises:
        ParameterError: the point does not exist, or a side is missing or too many.
    """
    if point not in POINTS:
        msg = f"unknown merge point {point!r}; choose one of {', '.join(POINTS)}"
        raise ParameterError(msg)
    needed, optional = POINTS[point]
    missing = [f"`{name}`" for name in needed if name not in given]
    extra = [f"`{name}`" for name in given if name not in {*needed, *optional}]
    if missing:
        msg = f"{point} needs {' and '.join(missing)}"
        raise ParameterError(msg)
    if extra:
        msg = f"{point} does not take {' and '.join(extra)}; leave {'it' if len(extra) == 1 else 'them'} out"
        raise ParameterError(msg)


def has_quarantine(outcomes: DataFrame) -> bool:
    """Whether versions of keys that failed are among outcomes."""
    return QUARANTINE in outcomes.columns


def quarantine_of(outcomes: DataFrame) -> DataFrame:
    """Return the versions of the keys that failed: data columns, and why they are there.

    `_pb_reason`, `_pb_merge_point` and `_pb_side` (stored, log, incoming) are texts, `_pb_commit` is the number of the
    batch or log block, `_pb_kind` is data or delete, and `_pb_ordering` what a delete entry of a log has.
    """
    told = outcomes.schema[QUARANTINE].dataType
    control = [sf.col(QUARANTINE)[name].alias(f"{PREFIX}{name}") for name in told.fieldNames()]  # type: ignore[attr-defined]
    data = [quoted(field.name) for field in data_fields(outcomes)]
    return outcomes.where(sf.col(QUARANTINE).isNotNull()).select(*data, *control)
