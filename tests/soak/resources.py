"""Memory, handles and threads of the driver, its Java and its Python workers over time, and whether they grow."""

from __future__ import annotations

import collections
import contextlib
import gc
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pyspark.sql import SparkSession

BOUNDS: Final = {"MiB": 64.0, "handles": 30.0, "threads": 15.0}
"""A leak is what grows faster an hour in each half of a run, by three standard errors of the slope at least."""
ERRORS: Final = 3.0
WARM_UP: Final = 1 / 3
"""The part of a run that is left out: Java compiles and loads, archives are unpacked, caches fill."""
FEWEST: Final = 20
"""Fewer measurements are judged by nobody."""
_HEAP: Final = ("java, live after a collection", "MiB")
_JUDGED_BY_HEAP: Final = ("java", "MiB")
"""Java keeps what its heap once took, up to its limit: whether that leaks is told by what is live in it."""

Series = tuple[str, str]


class Slope(NamedTuple):
    """A line through measurements, by least squares.

    Attributes:
        each_hour: its slope.
        error: the standard error of that.
    """

    each_hour: float
    error: float

    def leaks(self, unit: str) -> bool:
        """Whether it is steeper than the bound for sure."""
        return self.each_hour - ERRORS * self.error > BOUNDS[unit]


def slope_of(hours: Sequence[float], values: Sequence[float]) -> Slope:
    """Fit a line."""
    count = len(hours)
    x, y = sum(hours) / count, sum(values) / count
    spread = sum((one - x) ** 2 for one in hours)
    slope = sum((a - x) * (b - y) for a, b in zip(hours, values, strict=True)) / spread
    left = sum((b - y - slope * (a - x)) ** 2 for a, b in zip(hours, values, strict=True))
    return Slope(slope, (left / (count - 2) / spread) ** 0.5)


class Resources:
    """Measurements since the start."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._hours: list[float] = []
        self._series: dict[Series, list[float]] = collections.defaultdict(list)

    def measure(self, spark: SparkSession) -> None:
        """Measure all processes, after collections of garbage."""
        gc.collect()
        java: Any = spark._jvm
        java.System.gc()
        heap = java.Runtime.getRuntime()
        found: collections.Counter[Series] = collections.Counter(
            {_HEAP: (heap.totalMemory() - heap.freeMemory()) / (1 << 20)}
        )
        for whose, process in _processes():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                fields = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
                measured = {
                    "MiB": int(fields.get("VmRSS", "0 kB").split()[0]) / 1024,
                    "handles": len(list((process / "fd").iterdir())),
                    "threads": int(fields["Threads"]),
                }
                found.update({(whose, unit): number for unit, number in measured.items()})
        self.note((time.monotonic() - self._began) / 3600, found)

    def note(self, hours: float, found: Mapping[Series, float]) -> None:
        """Note what was measured then; a process that is not there has nothing."""
        for series in {*found} - {*self._series}:
            self._series[series] = [0.0] * len(self._hours)
        self._hours.append(hours)
        for series, values in self._series.items():
            values.append(found.get(series, 0.0))

    def leaks(self) -> list[str]:
        """Return what clearly leaks: it grows in both halves of the run, where what is loaded or cached grows once."""
        parts = (tuple, lambda one: one[: len(one) // 2], lambda one: one[len(one) // 2 :])
        halves = [dict(self._slopes(part)) for part in parts]
        grows = [series for series in halves[0] if all(one[series].leaks(series[1]) for one in halves)]
        return [f"{whose}: {unit} grow" for whose, unit in grows if (whose, unit) != _JUDGED_BY_HEAP]

    def _slopes(self, part: Callable[[Sequence[float]], Sequence[float]] = tuple) -> Iterator[tuple[Series, Slope]]:
        first = next((at for at, hour in enumerate(self._hours) if hour >= self._hours[-1] * WARM_UP), 0)
        if len(hours := self._hours[first:]) >= FEWEST:
            yield from (
                (series, slope_of(part(hours), part(values[first:]))) for series, values in self._series.items()
            )

    def table(self) -> str:
        """Write a line a series: now, at most, and the slope."""
        slopes = dict(self._slopes())
        lines = ["| process | unit | now | at most | an hour |", "|---|---|---:|---:|---:|"]
        for (whose, unit), values in sorted(self._series.items()):
            told = "" if not slopes else "{:+.1f} ± {:.1f}".format(*slopes[whose, unit])
            lines.append(f"| {whose} | {unit} | {values[-1]:.0f} | {max(values):.0f} | {told} |")
        return "\n".join(lines)


def _processes() -> Iterator[tuple[str, Path]]:
    """Give this process and those below it: its Java, and the workers that Java starts."""
    children = collections.defaultdict(list)
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            parent = (path / "stat").read_text().rpartition(")")[2].split()[1]
            children[parent].append(path)
    yield "driver", Path("/proc", str(os.getpid()))
    left = list(children[str(os.getpid())])
    while left:
        path = left.pop()
        left += children[path.name]
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            name = (path / "comm").read_text().strip()
            yield ("java" if name == "java" else "workers"), path
