"""Times of the cases in turns, and their ratios as a table, as JSON and as a chart."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, NamedTuple

from tests.benchmarks.cases import SHUFFLE, WINDOW
from tests.benchmarks.comparisons import comparisons
from tests.benchmarks.processes import cell, processor_seconds, ratio

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from tests.benchmarks.cases import Case
    from tests.benchmarks.data import Data, Shape


class Timed(NamedTuple):
    """A case, the seconds of its best run, and the fewest CPU seconds of one."""

    case: Case
    seconds: float
    processor: float


class Table(NamedTuple):
    """The times of one shape of data."""

    shape: Shape
    times: list[Timed]

    @property
    def by_name(self) -> dict[str, Timed]:
        """The times of each case."""
        return {one.case.name: one for one in self.times}

    @property
    def title(self) -> str:
        """The data in words."""
        return f"{self.shape.rows:,} rows, {self.shape.label}"

    def lines(self) -> Iterator[str]:
        """Give the table as text: seconds, times the bare shuffle, times the window, the same of the processor."""
        shuffle, window = self.by_name[SHUFFLE], self.by_name[WINDOW]
        heads = ("seconds", "x shuffle", "x window", "cpu s", "x window", "goal")
        yield f"{self.title:50}" + "".join(f"{head:>10}" for head in heads)
        for case, seconds, processor in self.times:
            of_clock = seconds, seconds / shuffle.seconds, seconds / window.seconds
            figures = (*of_clock, processor or None, ratio(processor, window.processor))
            goal = "" if case.goal is None else f"{case.goal:.2f}"
            yield f"{case.name:50}" + "".join(map(cell, figures)) + f"{goal:>10}"
        for one in comparisons({name: timed.seconds for name, timed in self.by_name.items()}):
            goal = "" if one.goal is None else f"{one.goal:.2f}"
            yield f"{one.text:135}{one.ratio:10.2f}{goal:>10}"

    def as_json(self) -> dict[str, object]:
        """Return shape and times as plain data."""
        shuffle, window = self.by_name[SHUFFLE], self.by_name[WINDOW]
        return {
            **self.shape._asdict(),
            "cases": [
                {
                    "name": case.name,
                    "kind": case.kind,
                    "seconds": round(seconds, 3),
                    "times_shuffle": round(seconds / shuffle.seconds, 3),
                    "times_window": round(seconds / window.seconds, 3),
                    "processor_seconds": round(processor, 2) or None,
                    "processor_times_window": _rounded(ratio(processor, window.processor)),
                    "goal_times_window": case.goal,
                }
                for case, seconds, processor in self.times
            ],
        }


def _rounded(figure: float | None) -> float | None:
    return None if figure is None else round(figure, 3)


def timed(data: Data, cases: Sequence[Case], runs: int) -> Table:
    """Run the cases in turns, so that all see the same machine; the first turn warms up."""
    seconds: dict[str, list[float]] = {case.name: [] for case in cases}
    processor: dict[str, list[float]] = {case.name: [] for case in cases}
    for turn in range(runs + 1):
        for case in cases:
            if case.before is not None:
                case.before(data)
            used, start = processor_seconds(), time.perf_counter()
            _run(case, data)
            if turn:
                seconds[case.name].append(time.perf_counter() - start)
                processor[case.name].append(processor_seconds() - used)
    return Table(data.shape, [Timed(case, min(seconds[case.name]), min(processor[case.name])) for case in cases])


def _run(case: Case, data: Data) -> None:
    frame = case.job(data)
    if frame is None:  # it has written a table of its own
        return
    if case.writes:
        frame.write.mode("overwrite").parquet(str(data.folder / "written"))
    else:
        frame.write.format("noop").mode("overwrite").save()


def save(tables: Sequence[Table], growth: Sequence[Mapping[str, object]], folder: Path) -> None:
    """Write `ratios.json`, and a chart of each table."""
    from tests.benchmarks.chart import draw  # noqa: PLC0415 (the extra `benchmarks`, for charts alone)

    folder.mkdir(parents=True, exist_ok=True)
    found = {"tables": [table.as_json() for table in tables], "growth": list(growth)}
    (folder / "ratios.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    for number, table in enumerate(tables, start=1):
        window = table.by_name[WINDOW].seconds
        bars = [(case.name, case.kind, seconds / window) for case, seconds, _ in table.times]
        draw(table.title, bars, folder / f"ratios-{number}.svg")
