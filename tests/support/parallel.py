"""Which tests share a process where the whole suite runs in several, and in which order they start.

A file stays in one process, because its fixtures and caches are shared; files with a common cache stay together. What
takes longest starts first, so that all processes end at about the same time.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from pathlib import Path

_MOST: Final = 4
"""Processes: each collects all tests and starts a Spark session of two cores."""

IN_GROUPS: Final = "payload_bridge_in_groups"
"""What the first process tells the others: whether tests run in groups."""

_TOGETHER: Final = {
    "mergers/laws/test_matrix.py": "law matrix",
    "mergers/laws/test_tables.py": "law matrix",
    "jvm": "java",
    "hudi": "hudi",
}
"""Files that read one cache, and folders whose tests share a Java compiler or unpacked tables."""

_FIRST: Final = ("java", "hudi")
"""Groups in the order in which they start; then files with Spark, then all others."""

_LONG: Final = (
    "mergers/laws/test_determinism.py",
    "mergers/laws/test_defects.py",
    "mergers/laws/test_paths.py",
    "mergers/laws/test_reach.py",
    "test_conformance_replays.py",
    "test_conformance_histories.py",
    "bridge/engines/test_python_engine.py",
    "bridge/engines/test_quarantine.py",
    "bridge/explain/test_explain.py",
    "mergers/laws/test_counterexamples.py",
    "mergers/laws/test_check.py",
    "law matrix",
)
"""The longest groups without Spark, which start before the others, so that none of them ends last."""


def distribute(config: pytest.Config) -> None:
    """Let a run of the whole suite use every core; a run of some files, or one with `-n`, is left as it is."""
    options = config.option
    if hasattr(config, "workerinput"):
        # pytest-xdist gives a process the options of the command line alone.
        options.loadgroup = config.workerinput[IN_GROUPS]
        return
    is_whole = config.args_source is config.ArgsSource.TESTPATHS
    can_distribute = config.pluginmanager.hasplugin("xdist")
    if not is_whole or not can_distribute or options.usepdb or options.collectonly:
        return
    if options.numprocesses is None and (cores := len(os.sched_getaffinity(0))) > 1:
        options.numprocesses = min(cores, _MOST)
        options.dist = "loadgroup"
        options.loadscopereorder = False  # the order is ours


def group(items: list[pytest.Item], folder: Path) -> None:
    """Name the group of each test, and sort tests by the order in which their groups start."""
    groups = {item: _group_of(item, folder) for item in items}
    with_spark = {groups[item] for item in items if item.get_closest_marker("spark")}
    for item, name in groups.items():
        item.add_marker(pytest.mark.xdist_group(name))
    items.sort(key=lambda item: _rank(groups[item], with_spark))


def _group_of(item: pytest.Item, folder: Path) -> str:
    path = item.path.relative_to(folder) if item.path.is_relative_to(folder) else item.path
    return _TOGETHER.get(path.parts[0]) or _TOGETHER.get(path.as_posix(), path.as_posix())


def _rank(name: str, with_spark: set[str]) -> tuple[int, int]:
    at = _LONG.index(name) if name in _LONG else len(_LONG)
    if name in _FIRST:
        return _FIRST.index(name), at
    return len(_FIRST) + (name not in with_spark), at
