"""The page of a replay, and that of a table that another release reads as it is: how many rows differ, why, which."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from bridge.compare import ReadersReplay, difference_of, figures_of, kinds_of, reader_name
from bridge.explain.replay_view import cause_lines, cause_note, listed_row, replay_view, value_lines
from bridge.explain.traced_keys import name_of
from bridge.explain.traced_rows import trace_rows
from bridge.pipeline import KIND, KINDS, LEFT, RIGHT, chart_of, partition_name
from bridge.report import PAGE_KEYS, Bar, Keys, View, counted, json_rows
from bridge.spark import META_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame

    from bridge.compare import Difference, ReadersReport, Replay
    from bridge.explain.traced_keys import TracedKeys
    from bridge.report import Chart

_MOST_BARS = 8
_PLACE = (META_COLUMNS[3], META_COLUMNS[2])


def view_of(found: Replay, limit: int = PAGE_KEYS) -> View:
    """Return the page of what `replay` finds, still open: some jobs run; `limit` keys are listed at most."""
    if isinstance(found, ReadersReplay):
        return readers_view(found.readers, limit)
    return replay_view(found.parts, limit)


def readers_view(found: ReadersReport, limit: int = PAGE_KEYS) -> View:
    """Return the page of a comparison with one other release.

    Args:
        found: the comparison, still open: some jobs run.
        limit: how many rows are listed at most.
    """
    (result,) = found.results
    names = _names(found)
    frame = found.differences(result.reader)
    if frame is None:
        return causes_view(found)
    listed = _listed(found, frame, min(limit, PAGE_KEYS))
    traced = trace_rows(found, result.reader, names, [place for place, _ in listed])
    why = _why(found, traced)
    causes = why.causes
    kinds = tuple(kinds_of(names).values())
    plan = found.table.plan()
    identity = tuple(listed[0][1].key) if listed else ()
    partition = tuple(name for name in plan.partition if name in identity)
    total = result.total
    return dataclasses.replace(
        why,
        figures=figures_of((result.only_left, result.only_right, result.changed), names),
        legend=kinds if total else (),
        charts=_by_partition(found, frame) if partition and partition == plan.partition else (),
        keys=Keys(
            [listed_row(one, traced, causes, name_of(place)) for place, one in listed],
            identity,
            partition,
            kinds,
            causes=causes,
            total=total,
            note="" if len(listed) == total else f"{len(listed):,} of {total:,} rows, a sample; --out writes all",
            title="Rows that differ",
            sides=names,
        ),
        values=value_lines(found.over_represented[result.reader]),
    )


def causes_view(found: ReadersReport) -> View:
    """Return what a text has of the page: the causes of the differences, without list and charts.

    The comparison is still open: a job traces the rows that differ.
    """
    (result,) = found.results
    return _why(found, trace_rows(found, result.reader, _names(found)))


def _why(found: ReadersReport, traced: TracedKeys) -> View:
    (result,) = found.results
    names, total = _names(found), result.total
    rows = counted(found.rows, "row")
    differ = f"show {total:,} of {rows} differently" if total else f"show the same {rows}"
    told = f"{' and '.join(names)} {differ}" if result.refused is None else f"{names[1]} can't read the table as it is"
    return View(
        told,
        causes=cause_lines([traced], names),
        cause_note=cause_note([traced], total, "row"),
        notes=[traced.untraced] if traced.untraced else [],
    )


def _names(found: ReadersReport) -> tuple[str, str]:
    (result,) = found.results
    return reader_name(found.reader), reader_name(result.reader)


def _listed(found: ReadersReport, frame: DataFrame, limit: int) -> list[tuple[tuple[str, str], Difference]]:
    """Return partition path and record key of the rows to list, a sample by their hash, and the rows, by partition."""
    chosen = frame.orderBy(sf.xxhash64(*_PLACE), *_PLACE, KIND).limit(limit).orderBy(*_PLACE, KIND)
    places = [(row[0], row[1]) for row in chosen.select(*_PLACE).collect()]  # JSON values may be redacted
    return list(zip(places, (difference_of(found.table, row) for row in json_rows(chosen)), strict=True))


def _by_partition(found: ReadersReport, frame: DataFrame) -> Sequence[Chart]:
    plan = found.table.plan()
    columns = [sf.coalesce(sf.col(LEFT)[name], sf.col(RIGHT)[name]).alias(name) for name in plan.partition]
    counts: dict[str, list[int]] = {}
    for *values, kind, number in frame.groupBy(*columns, KIND).count().collect():
        of_partition = counts.setdefault(partition_name(plan, values), [0] * len(KINDS))
        of_partition[KINDS.index(kind)] += number
    bars = [Bar(name, numbers, None, ("partition", name)) for name, numbers in counts.items()]
    bars.sort(key=lambda bar: (-bar.total, bar.label))
    return [chart_of("By partition", bars, bars[:_MOST_BARS])] if bars else []
