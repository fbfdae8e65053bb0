"""Times of the cases in turns, and their ratios as a table, as JSON and as a chart."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, NamedTuple

import jinja2

from tests.benchmarks.cases import SHUFFLE, WINDOW

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tests.benchmarks.cases import Case
    from tests.benchmarks.data import Data, Shape

_CHART = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string("""\
<svg xmlns="http://www.w3.org/2000/svg" width="860" height="{{ 46 + 22 * rows | length }}" \
font-family="system-ui, sans-serif" font-size="12" role="img" aria-label="{{ title }}">
  <text x="8" y="20" font-size="14">{{ title }}</text>
  {% for name, kind, ratio in rows %}
  {% set y = 36 + 22 * loop.index0 %}
  <text x="300" y="{{ y + 12 }}" text-anchor="end">{{ name }}</text>
  <rect x="308" y="{{ y }}" width="{{ (ratio * scale) | round(1) }}" height="16" \
fill="{{ {"floor": "#9aa5b1", "by hand": "#d9a441"}.get(kind, "#2f6f9f") }}"/>
  <text x="{{ (314 + ratio * scale) | round(1) }}" y="{{ y + 12 }}">{{ "%.2f" | format(ratio) }}</text>
  {% endfor %}
</svg>
""")
_WIDEST = 490


class Timed(NamedTuple):
    """A case and the seconds of its best run."""

    case: Case
    seconds: float


class Table(NamedTuple):
    """The times of one shape of data."""

    shape: Shape
    times: list[Timed]

    def seconds_of(self, name: str) -> float:
        """Return the time of a case."""
        return next(timed.seconds for timed in self.times if timed.case.name == name)

    def lines(self) -> Iterator[str]:
        """Give the table as text: seconds, times the bare shuffle, times the window, goal."""
        shuffle, window = self.seconds_of(SHUFFLE), self.seconds_of(WINDOW)
        yield f"{self.shape.rows:,} rows: {self.shape.label}"
        yield f"{'':44} {'seconds':>8} {'x shuffle':>10} {'x window':>9} {'goal':>6}"
        for case, seconds in self.times:
            goal = "" if case.goal is None else f"{case.goal:.2f}"
            yield f"{case.name:44} {seconds:8.2f} {seconds / shuffle:10.2f} {seconds / window:9.2f} {goal:>6}"

    def as_json(self) -> dict[str, object]:
        """Return shape and times as plain data."""
        shuffle, window = self.seconds_of(SHUFFLE), self.seconds_of(WINDOW)
        return {
            **self.shape._asdict(),
            "cases": [
                {
                    "name": case.name,
                    "kind": case.kind,
                    "seconds": round(seconds, 3),
                    "times_shuffle": round(seconds / shuffle, 3),
                    "times_window": round(seconds / window, 3),
                    "goal_times_window": case.goal,
                }
                for case, seconds in self.times
            ],
        }

    def chart(self) -> str:
        """Return the ratios to the window as an SVG."""
        window = self.seconds_of(WINDOW)
        rows = [(case.name, case.kind, seconds / window) for case, seconds in self.times]
        scale = _WIDEST / max(ratio for *_, ratio in rows)
        title = f"Time of a merge, the row_number window = 1: {self.shape.rows:,} rows, {self.shape.label}"
        return _CHART.render(rows=rows, scale=scale, title=title)


def timed(data: Data, cases: Sequence[Case], runs: int) -> Table:
    """Run the cases in turns, so that all see the same machine; the first turn warms up."""
    best = dict.fromkeys(range(len(cases)), float("inf"))
    for turn in range(runs + 1):
        for number, case in enumerate(cases):
            start = time.perf_counter()
            frame = case.job(data)
            if case.writes:
                frame.write.mode("overwrite").parquet(str(data.folder / "written"))
            else:
                frame.write.format("noop").mode("overwrite").save()
            if turn:
                best[number] = min(best[number], time.perf_counter() - start)
    return Table(data.shape, [Timed(case, best[number]) for number, case in enumerate(cases)])


def save(tables: Sequence[Table], folder: Path) -> None:
    """Write `ratios.json`, and a chart of each table."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ratios.json").write_text(json.dumps([table.as_json() for table in tables], indent=1) + "\n", "utf-8")
    for number, table in enumerate(tables, start=1):
        (folder / f"ratios-{number}.svg").write_text(table.chart(), "utf-8")
