"""The row counts of a run: how many rows came in on each side, and what became of each of them at which merge point.

An engine hands over the text of `_pb_row_counts` once a task: a JSON object of counts, by the names that `entry` makes,
and `made`, the rows that merges made. Spark collects these texts while it writes the outcomes.
"""

from __future__ import annotations

import collections
import dataclasses
import json
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as sf

from bridge.engines.control_columns import ACTION, ADDED_TYPES, NEWER, ROW_COUNTS, STATUSES, is_visible
from bridge.engines.control_columns import MADE as IS_MADE
from bridge.errors import RowCountsError
from bridge.merge import Action, MergePoint
from bridge.programs import Origin
from bridge.spark import functions
from payloads.backports import StrEnum

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pyspark.sql import Column, DataFrame

    from bridge.plan import MergePlan

MADE = "made"
"""The count of rows of the result that are none of the input: a merge made them, or a log has a stored row again."""

READ, LEFT = "read", "left"
"""The counts of stored rows that tasks have read themselves, and of rows that are left of what they merged."""

SIDES = tuple(origin.name.lower() for origin in Origin)
"""The sides of a merge, by the number of their origin."""

_UNBALANCED = "the row counts don't balance: {}; rows were lost or duplicated, so nothing is written: please report it"
_READS = ("compact", "snapshot")
_BESIDE = "append"  # stored rows stay as they are
_VISIBLE, _INSERTED = "visible", "inserted"


class RowStatus(StrEnum):
    """What happened to an input row.

    Every row has one status. KEPT: it is in the result unchanged. MERGED: another row took its place, which replaced it
    or was merged from it. DELETED: a delete removed its key. IGNORED: it changed nothing. QUARANTINED: its key can't be
    merged.
    """

    MERGED = "merged"
    KEPT = "kept"
    DELETED = "deleted"
    IGNORED = "ignored"
    QUARANTINED = "quarantined"


def entry(point: str, side: str, status: str) -> str:
    """Return the name of a count: of the rows of a side, what became of them, and at which merge point."""
    return f"{point} {side} {status}"


def _parts(name: str) -> tuple[str, str, RowStatus]:
    point, side, status = name.split(" ")
    return point, side, RowStatus(status)


def final_point(program: str) -> str:
    """Return the merge point of an operation's result, as its users name it."""
    return program.removesuffix("_global_index").replace("_", "-")


@dataclasses.dataclass(frozen=True)
class RowCounts:
    """Row counts of a run.

    Attributes:
        rows_in: how many rows each input (stored, log, incoming) had when it was read.
        counts: row counts by merge point, input and outcome; they add up to `rows_in`.
        made: how many rows of the result were created by a merge, and are therefore not in the input.
        rows_out: how many rows the result has, for `append` including log entries.
        inserted: how many keys had no row before.
    """

    rows_in: Mapping[str, int]
    counts: Mapping[tuple[str, str, RowStatus], int]
    made: int
    rows_out: int
    inserted: int

    @classmethod
    def of_run(cls, rows_in: Mapping[str, int], observed: Mapping[str, Any]) -> RowCounts:
        """Make the row counts of what Spark observed as `columns` asks."""
        found = cls.of_observed(rows_in, observed)
        return dataclasses.replace(
            found,
            made=found.made + int(observed.get(MADE) or 0),
            rows_out=int(observed[_VISIBLE]),
            inserted=int(observed[_INSERTED]),
        )

    @classmethod
    def of_observed(cls, rows_in: Mapping[str, int], observed: Mapping[str, Any]) -> RowCounts:
        """Make the row counts of what Spark observed as `statuses_of` asks; nothing is known of the result then."""
        found = cls.of_texts(rows_in, str(observed.get(ROW_COUNTS) or "").splitlines())
        counted = {_parts(name): int(number or 0) for name, number in observed.items() if " " in name}
        return dataclasses.replace(found, counts={**found.counts, **counted})

    @classmethod
    def of_texts(cls, rows_in: Mapping[str, int], texts: Iterable[str]) -> RowCounts:
        """Add up the texts of `_pb_row_counts`; only tasks that read the stored rows count those of the result."""
        totals: collections.Counter[str] = collections.Counter()
        for text in texts:
            totals.update(json.loads(text))
        made = totals.pop(MADE, 0)
        if READ in totals:
            rows_in = {**rows_in, SIDES[Origin.STORED]: totals.pop(READ)}
        left = totals.pop(LEFT, 0)
        return cls(rows_in, {_parts(name): number for name, number in totals.items()}, made, left, 0)

    def total(self, status: RowStatus, sides: Iterable[str] = SIDES) -> int:
        """Return how many rows of the inputs had a status."""
        return sum(number for (_, side, one), number in self.counts.items() if one is status and side in sides)

    def with_incoming(self, point: str, statuses: Mapping[RowStatus, int], *, are_in: bool) -> RowCounts:
        """Return the row counts with incoming rows of no key; `are_in`: `rows_in` already has them."""
        counts = collections.Counter(self.counts)
        counts.update({(point, SIDES[Origin.INCOMING], status): number for status, number in statuses.items()})
        more = 0 if are_in else sum(statuses.values())
        incoming = {SIDES[Origin.INCOMING]: self.rows_in.get(SIDES[Origin.INCOMING], 0) + more}
        return dataclasses.replace(self, rows_in={**self.rows_in, **incoming}, counts=counts)

    def check(self) -> None:
        """Compare the input rows with their outcomes, and the number of result rows with the expected one.

        Raises:
            RowCountsError: they differ.
        """
        self.check_sides()
        kept = self.total(RowStatus.KEPT)
        if kept + self.made != self.rows_out:
            msg = f"the result has {self.rows_out} rows, but {kept} were kept and {self.made} made"
            raise RowCountsError(_UNBALANCED.format(msg))

    def check_sides(self) -> None:
        """Compare the rows of each input with their outcomes.

        Raises:
            RowCountsError: they differ.
        """
        for side, number in self.rows_in.items():
            found = {status: self.total(status, [side]) for status in RowStatus}
            if sum(found.values()) != number:
                told = ", ".join(f"{count} {status}" for status, count in found.items())
                raise RowCountsError(_UNBALANCED.format(f"of {number} {side} input rows, {told}"))

    def lines(self) -> list[dict[str, Any]]:
        """Return the counts as a list: one line per merge point and input, without empty ones."""
        found: dict[tuple[str, str], dict[str, int]] = {}
        for (point, side, status), number in self.counts.items():
            if number:
                found.setdefault((point, side), dict.fromkeys(RowStatus, 0))[status] = number
        ordered = sorted(found.items(), key=lambda line: (SIDES.index(line[0][1]), line[0][0]))
        return [{"merge_point": point, "side": side, **counts} for (point, side), counts in ordered]


def columns(outcomes: DataFrame, point: str, plan: MergePlan) -> list[Column]:
    """Return what Spark observes of outcomes that were made with row counts."""
    found = [
        functions.count_if(is_visible()).alias(_VISIBLE),
        functions.count_if(_is(Action.INSERT)).alias(_INSERTED),
    ]
    if ROW_COUNTS in outcomes.columns:
        return [*found, *statuses_of(outcomes)]
    return [*found, *_of_columns(point, plan)]


def statuses_of(outcomes: DataFrame) -> list[Column]:
    """Return what Spark observes of outcomes with `_pb_row_counts`, or with the `_pb_statuses` of keys over time."""
    if ROW_COUNTS in outcomes.columns:
        return [sf.array_join(sf.collect_list(ROW_COUNTS), "\n").alias(ROW_COUNTS)]
    point, side, statuses = MergePoint.SNAPSHOT.value, SIDES[Origin.INCOMING], sf.col(STATUSES)
    names = ADDED_TYPES[STATUSES].fieldNames()  # type: ignore[attr-defined]  # it is a struct
    return [sf.sum(statuses[name]).alias(entry(point, side, name)) for name in names]


def _of_columns(point: str, plan: MergePlan) -> Iterator[Column]:
    """Count rows by action, by number of newer versions and by whether a merge made the row."""
    stored, newer = SIDES[Origin.STORED], SIDES[Origin.LOG if point in _READS else Origin.INCOMING]
    has_newer, made = sf.col(NEWER) > 0, sf.coalesce(sf.col(IS_MADE), sf.lit(False))
    is_written = _is(Action.INSERT, Action.UPDATE)
    yield functions.count_if(is_written & made).alias(MADE)
    yield functions.count_if(_is(Action.KEEP)).alias(entry(point, stored, RowStatus.KEPT))
    if point != _BESIDE:
        yield functions.count_if(_is(Action.UPDATE)).alias(entry(point, stored, RowStatus.MERGED))
        yield functions.count_if(_is(Action.DELETE)).alias(entry(point, stored, RowStatus.DELETED))
    yield functions.count_if(is_written & ~made).alias(entry(point, newer, RowStatus.KEPT))
    yield functions.count_if(_is(Action.DELETE)).alias(entry(point, newer, RowStatus.DELETED))
    yield functions.count_if(_is(Action.SKIP) | (_is(Action.KEEP) & has_newer)).alias(
        entry(point, newer, RowStatus.IGNORED)
    )
    folded = sf.sum(sf.greatest(sf.col(NEWER) - 1, sf.lit(0)))
    merged = {entry(point, newer, RowStatus.MERGED): functions.count_if(is_written & made)}
    fold = entry(fold_point(plan, Origin[newer.upper()]) or point, newer, RowStatus.MERGED)
    merged[fold] = merged[fold] + folded if fold in merged else folded
    for name, number in merged.items():
        yield number.alias(name)


def fold_point(plan: MergePlan, side: Origin) -> str | None:
    """Return where the newer versions of a key become one; None if they do not, or for stored rows."""
    if side is Origin.LOG:
        return MergePoint.LOG_FOLD.value
    return MergePoint.COMBINE_INPUT.value if side is Origin.INCOMING and plan.combine_before_upsert else None


def _is(*actions: Action) -> Column:
    return sf.col(ACTION).isin(*map(int, actions))
