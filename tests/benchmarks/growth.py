"""How the time of a merge grows: with 1, 2, 4 and 8 times the rows, and from one core to two.

Each size runs in a process of its own that has no more cores: else Python's workers take another one beside Spark's.
"""

from __future__ import annotations

import itertools
import multiprocessing
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from bridge import local_session
from tests.benchmarks.cases import SHUFFLE, cases
from tests.benchmarks.data import Shape, written
from tests.benchmarks.ratios import timed

if TYPE_CHECKING:
    from collections.abc import Iterator

TIMES = (1, 2, 4, 8)
DOUBLED, SPED_UP = 2.1, 0.9
"""Goals: the time of twice the rows, and the speed-up of a second core as a share of the bare shuffle's own."""

_CORES = (1, 2)
_NAME = 34


def measure(rows: int, runs: int) -> tuple[list[str], list[dict[str, object]]]:
    """Return the report and plain data; `rows` are those of the middle size, which also runs on one core.

    Each size gets a turn less than `runs`, as it starts and warms up a process of its own.
    """
    most, runs = max(_CORES), max(1, runs - 1)
    sizes = [rows * times // 4 for times in TIMES]
    grown = {size: _in_new_process(size, most, runs) for size in sizes}
    by_cores = {cores: _in_new_process(rows, cores, runs) for cores in _CORES[:-1]} | {most: grown[rows]}
    data = [
        {"rows": size, "cores": cores, "seconds": found}
        for size, cores, found in [
            *((size, most, found) for size, found in grown.items()),
            *((rows, cores, by_cores[cores]) for cores in _CORES[:-1]),
        ]
    ]
    return [*_of_rows(grown), *_of_cores(rows, by_cores)], data


def _of_rows(grown: dict[int, dict[str, float]]) -> Iterator[str]:
    yield f"{'seconds by rows':{_NAME}}" + "".join(f"{size:>12,}" for size in grown) + f"   doubled, goal {DOUBLED}"
    for name in next(iter(grown.values())):
        seconds = [found[name] for found in grown.values()]
        ratios = [larger / smaller for smaller, larger in itertools.pairwise(seconds)]
        yield (
            f"{name:{_NAME}}"
            + "".join(f"{one:12.2f}" for one in seconds)
            + "   "
            + " ".join(f"{one:.2f}" for one in ratios)
        )


def _of_cores(rows: int, by_cores: dict[int, dict[str, float]]) -> Iterator[str]:
    yield (
        f"{f'{rows:,} rows, seconds by cores':{_NAME}}"
        + "".join(f"{cores:>12}" for cores in by_cores)
        + (f"   speed-up, of the shuffle's, goal {SPED_UP}")
    )
    first, *_, last = by_cores.values()
    floor = first[SHUFFLE] / last[SHUFFLE]
    for name in first:
        gain = first[name] / last[name]
        seconds = "".join(f"{found[name]:12.2f}" for found in by_cores.values())
        yield f"{name:{_NAME}}{seconds}   {gain:.2f} {gain / floor:.2f}"


def _in_new_process(rows: int, cores: int, runs: int) -> dict[str, float]:
    with multiprocessing.get_context("spawn").Pool(1) as process:
        return process.apply(_measured, (rows, cores, runs))


def _measured(rows: int, cores: int, runs: int) -> dict[str, float]:
    if hasattr(os, "sched_setaffinity"):  # Linux; what is started here inherits it
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
    spark = local_session(cores)
    with tempfile.TemporaryDirectory() as folder:
        chosen = [case for case in cases() if case.of_all_shapes]
        table = timed(written(spark, Path(folder, "data"), Shape(rows)), chosen, runs)
    spark.stop()
    return {one.case.name: one.seconds for one in table.times}
