"""The first screen of every path: how many keys depend on it, in which way, where, and on which paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from bridge.engines import PATH
from bridge.pipeline.partition_bars import chart_of, keys_by_partition, partition_name
from bridge.programs import Change, PathKind
from bridge.report import Bar, CauseLine, Chart, Figure, PathLine, View
from bridge.spark import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame

    from bridge.pipeline.all_paths import PathCounts
    from bridge.pipeline.path_groups import Disagreements, PathGroup
    from bridge.plan import MergePlan

_MOST_BARS = 6
_MEANING = {
    Change.TABLE_TYPE: "a copy-on-write and a merge-on-read table end differently after the same commits",
    Change.COMPACTION: "the same commits end differently if the log is compacted in between",
    Change.COMMITS: "the same versions end differently if some of them are split into two commits, or joined into one",
}


def overview(plan: MergePlan, counts: PathCounts, paths: Disagreements, charts: Sequence[Chart]) -> View:
    """Return the page without the list of keys."""
    keys = "1 key" if counts.keys == 1 else f"{counts.keys:,} keys"
    release = f"Hudi {plan.release}"
    if not counts.depending:
        return View(f"On {release}, no key of {keys} depends on how it is written")
    depend = "depends on how it is" if counts.depending == 1 else "depend on how they are"
    return View(
        headline=f"On {release}, {counts.depending:,} of {keys} {depend} written",
        figures=[Figure(f"{number:,}", kind.title) for kind, number in paths.kinds.items()],
        legend=[kind.title for kind in PathKind],
        charts=charts,
        causes=_changes(paths),
        cause_title="What changes the row",
        cause_note="the smallest difference from the batches as given",
        paths=[_line(plan, group) for group in paths.groups],
    )


def _changes(paths: Disagreements) -> list[CauseLine]:
    ordered = sorted(paths.changes.items(), key=lambda item: -item[1])
    return [CauseLine(one.id, one.title, _MEANING[one], number) for one, number in ordered if number]


def _line(plan: MergePlan, group: PathGroup) -> PathLine:
    paths = [(one.words, ", ".join(point.value for point in one.points(plan))) for one in group.paths]
    return PathLine(group.name, paths, group.differing)


def by_partition(answers: DataFrame, versions: DataFrame, plan: MergePlan) -> list[Chart]:
    """Count the keys that depend on the path in each partition, by kind; nothing where there are no partitions."""
    if not plan.partition:
        return []
    path = sf.col(PATH)
    kinds = [sf.count(sf.when(path.kind == kind.id, 1)) for kind in PathKind]
    depending = answers.where((path.number == 1) & (path.of > 1))
    rows = depending.groupBy(*map(quoted, plan.partition)).agg(*kinds).collect()
    written = keys_by_partition(versions, plan)
    bars = []
    for row in rows:
        name = partition_name(plan, row[: len(plan.partition)])
        bars.append(Bar(name, row[len(plan.partition) :], written.get(name), ("partition", name)))
    bars.sort(key=lambda bar: (-bar.total, bar.label))
    return [chart_of("By partition", bars, bars[:_MOST_BARS])]
