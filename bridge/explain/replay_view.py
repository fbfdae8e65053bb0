"""The page of a replay: how many keys differ, where, why, and which, with the timeline of each that is listed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from bridge.compare import Grade, figures_of, kinds_of, row_of_page
from bridge.explain.traced_keys import MOST_TRACED, TracedKeys, name_of, trace_keys
from bridge.pipeline import KIND, KINDS, chart_of, keys_by_partition, partition_name
from bridge.report import PAGE_KEYS, Bar, CauseLine, Keys, ValueLine, View
from bridge.spark import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bridge.compare import Difference, OverRepresented, ReplayReport
    from bridge.explain.causes import Cause
    from bridge.report import Chart, Figure, JsonObject

_MOST_BARS = 8
_OF_SEVERAL = 5
"""How many bars a chart has at most, and where each table type has its own: the first screen shows them all."""


def replay_view(parts: Sequence[ReplayReport], limit: int = PAGE_KEYS) -> View:
    """Return the page of replays of the same batches and settings, one a table type.

    Args:
        parts: the replays, still open: some jobs run.
        limit: how many keys are listed at most, in all.
    """
    first = parts[0]
    names = first.comparison.names
    each = -(-min(limit, PAGE_KEYS) // len(parts))
    listed = [part.collect(each, spread=True) for part in parts]
    traced = [trace_keys(part, [one.key for one in keys]) for part, keys in zip(parts, listed, strict=True)]
    differing = [_last(part) for part in parts]
    written = keys_by_partition(first.versions, first.comparison.left)
    causes = cause_lines(traced, names)
    total, shown = sum(differing), sum(map(len, listed))
    note = "" if shown == total else f"{shown:,} of {total:,} keys, a sample of all; --out writes every one"
    rows = [
        listed_row(one, found, causes, name_of(one.key.values()), table)
        for table, (keys, found) in enumerate(zip(listed, traced, strict=True))
        for one in keys
    ]
    plan = first.comparison.left
    return View(
        headline=_headline(parts, differing, sum(written.values())),
        figures=_figures(parts),
        legend=tuple(kinds_of(names).values()) if total or not all(part.is_equal for part in parts) else (),
        charts=_charts(parts, written),
        causes=causes,
        cause_note=cause_note(traced, total),
        keys=Keys(
            rows,
            plan.identity,
            plan.partition,
            tuple(kinds_of(names).values()),
            [*map(_table_of, parts)],
            causes,
            total,
            note,
        ),
        notes=list(dict.fromkeys(found.untraced for found in traced if found.untraced)),
        values=[
            line
            for part in parts
            for line in value_lines(part.over_represented, _table_of(part) if len(parts) > 1 else "")
        ],
    )


# -- the first screen


def _headline(parts: Sequence[ReplayReport], differing: Sequence[int], written: int) -> str:
    one, other = parts[0].comparison.names
    refused = [part for part in parts if part.grade is Grade.REFUSED]
    if len(refused) == len(parts):
        return f"{other} refuses what {one} accepts"
    if refused:
        others = [_on(part, number, written) for part, number in zip(parts, differing, strict=True)]
        return f"{one} and {other}: {'; '.join(others)}"
    if not any(differing):
        before = "" if all(part.is_equal for part in parts) else " in the end, though not after every batch"
        return f"{one} and {other} agree on all {_keys(written)}{before}"
    if len(parts) == 1:
        return f"{one} and {other} disagree on {differing[0]:,} of {_keys(written)}"
    said = " and ".join(
        f"{number:,} ({part.comparison.left.table_type.long_name})"
        for part, number in zip(parts, differing, strict=True)
    )
    return f"{one} and {other} disagree on {said} of {_keys(written)}"


def _on(part: ReplayReport, number: int, written: int) -> str:
    table = part.comparison.left.table_type.long_name
    return f"{table} refused" if part.grade is Grade.REFUSED else f"{table} {number:,} of {_keys(written)} differ"


def _keys(number: int) -> str:
    return "1 key" if number == 1 else f"{number:,} keys"


def _figures(parts: Sequence[ReplayReport]) -> list[Figure]:
    last = [part.counts[-1] for part in parts if part.counts]
    numbers = [sum(one[at] for one in last) for at in range(1, len(KINDS) + 1)]
    return figures_of(numbers, parts[0].comparison.names) if last else []


def _charts(parts: Sequence[ReplayReport], written: dict[str, int]) -> list[Chart]:
    most = _MOST_BARS if len(parts) == 1 else _OF_SEVERAL
    charts = []
    plan = parts[0].comparison.left
    if plan.partition and any(map(_last, parts)):
        found: dict[str, list[int]] = {}
        for part in parts:
            _add_partitions(part, found)
        # Each table has all keys, so those of several are counted as often.
        of = {name: number * len(parts) for name, number in written.items()}
        bars = [Bar(name, numbers, of.get(name), ("partition", name)) for name, numbers in found.items()]
        bars.sort(key=lambda bar: (-bar.total, bar.label))
        charts.append(chart_of("By partition" if len(parts) == 1 else "By partition, both tables", bars, bars[:most]))
    for part in parts:
        if part.counts:
            table = f", {part.comparison.left.table_type.long_name}" if len(parts) > 1 else ""
            bars = [Bar(part.batches.names[counts.commit - 1], counts[1:]) for counts in part.counts]
            charts.append(chart_of(f"After each batch{table}", bars, _spaced(bars, most)))
    return charts


def _spaced(bars: Sequence[Bar], most: int) -> Sequence[Bar]:
    """Return at most so many bars of an order, the first and the last among them."""
    step = max(1, (len(bars) - 1) / (most - 1))
    return [bars[round(at * step)] for at in range(min(most, len(bars)))]


def _add_partitions(part: ReplayReport, found: dict[str, list[int]]) -> None:
    """Add how many keys differ after the last commit in each partition, by kind."""
    last = part.last_differences
    if last is None:
        return
    columns = map(quoted, part.comparison.left.partition)
    for *values, kind, number in last.groupBy(*columns, KIND).agg(sf.count(sf.lit(1))).collect():
        counts = found.setdefault(partition_name(part.comparison.left, values), [0] * len(KINDS))
        counts[KINDS.index(kind)] += number


# -- why


def cause_lines(traced: Sequence[TracedKeys], names: tuple[str, str]) -> list[CauseLine]:
    """Return the causes of what was traced, the most frequent first; `names` are those of the sides."""
    counts: dict[Cause, int] = {}
    for found in traced:
        for cause, number in found.causes.items():
            counts[cause] = counts.get(cause, 0) + number
    told: dict[Cause, JsonObject | None] = {}
    for found in traced:
        for cause, story in found.of_key.values():
            told.setdefault(cause, story)
    ordered = sorted(counts, key=lambda cause: (-counts[cause], cause.title))
    return [
        CauseLine(cause.id, cause.title, cause.text, counts[cause], _parting(told.get(cause), names))
        for cause in ordered
    ]


def _parting(story: JsonObject | None, names: tuple[str, str]) -> list[tuple[str, str]]:
    """Return what each side did where they part, in one of the timelines."""
    if story is None:
        return []
    pairs = zip(names, story["sides"], strict=True)
    rules = [(name, next((c["rule"] for c in side["calls"] if c["parts"]), side["error"])) for name, side in pairs]
    return [(name, rule or "does not merge there") for name, rule in rules]


def cause_note(traced: Sequence[TracedKeys], total: int, what: str = "key") -> str:
    """Say on how many of the `total` keys that differ the causes were counted."""
    number = sum(found.traced for found in traced)
    if not number:
        return ""
    if number == total:
        return f"counted on every {what} that differs ({total:,})"
    each = " a table" if len(traced) > 1 else ""
    return f"counted on {number:,} of the {total:,} {what}s that differ (at most {MOST_TRACED:,}{each} are)"


# -- which


def listed_row(
    one: Difference, found: TracedKeys, causes: Sequence[CauseLine], name: str, table: int = 0
) -> JsonObject:
    """Return a line of the list, with the cause and the timeline that were found under a name."""
    cause, story = found.of_key.get(name, (None, None))
    position = None if cause is None else [line.id for line in causes].index(cause.id)
    return row_of_page(one, table=table, cause=position, story=story)


def value_lines(found: Sequence[OverRepresented], table: str = "") -> list[ValueLine]:
    """Return over-represented values, of a table of several by its name."""
    named = f" ({table})" if table else ""
    return [ValueLine(f"{one.name}{named}", *one.words, one.value) for one in found]


def _table_of(part: ReplayReport) -> str:
    return part.comparison.left.table_type.long_name


def _last(part: ReplayReport) -> int:
    return part.counts[-1].total if part.counts else 0
