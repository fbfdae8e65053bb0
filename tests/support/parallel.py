"""Which tests share a process where the whole suite runs in several, and in which order they start.

A file stays in one process, because its fixtures and caches are shared; files with a common cache stay together. What
takes longest starts first, so that all processes end at about the same time.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

import pytest

_MOST: Final = 4
"""Processes: each collects all tests and starts a Spark session of two cores."""

_DISTRIBUTED: Final = pytest.StashKey[bool]()
_IN_GROUPS: Final = "payload_bridge_in_groups"

_TOGETHER: Final = {
    "mergers/laws/test_matrix.py": "law matrix",
    "mergers/laws/test_tables.py": "law matrix",
}
"""Files that read one cache."""

_FIRST: Final = (
    "bridge/compare/test_replay.py",
    "bridge/pipeline/test_batches.py",
    "test_conformance_spark.py",
    "bridge/pipeline/test_scope.py",
    "bridge/pipeline/test_merge_points.py",
    "bridge/cli/test_redaction.py",
    "law matrix",
    "bridge/verify/test_columns.py",
    "bridge/cli/test_cli.py",
    "bridge/pipeline/test_operations.py",
    "bridge/spark/test_small_input.py",
    "bridge/spark/test_session.py",
    "bridge/cli/test_progress.py",
    "test_conformance_histories.py",
    "test_conformance_replays.py",
)
"""The longest groups, which start before the others, so that none of them ends last."""


def distribute(config: pytest.Config) -> None:
    """Let a run of the whole suite use every core; a run of some files, or one with `-n`, is left as it is."""
    options = config.option
    is_whole = config.args_source is config.ArgsSource.TESTPATHS
    can_distribute = config.pluginmanager.hasplugin("xdist") and not hasattr(config, "workerinput")
    if not is_whole or not can_distribute or options.usepdb or options.collectonly:
        return
    if options.numprocesses is None and (cores := len(os.sched_getaffinity(0))) > 1:
        options.numprocesses = min(cores, _MOST)
        options.dist = "loadscope"
        options.loadscopereorder = False  # the order is ours
        config.stash[_DISTRIBUTED] = True


def in_groups(config: pytest.Config) -> bool:
    """Whether tests run in the groups of this module, in the first process and in those that it starts."""
    given = getattr(config, "workerinput", {})
    return bool(given.get(_IN_GROUPS)) or config.stash.get(_DISTRIBUTED, False)


def tell(node: Any) -> None:
    """Say to a process that starts whether tests run in groups: it gets the options of the command line alone."""
    node.workerinput[_IN_GROUPS] = in_groups(node.config)


def scheduler(config: pytest.Config, log: Any) -> Any:
    """Return what gives groups to processes, or None for what pytest-xdist has."""
    if not in_groups(config):
        return None
    # pytest-xdist 3.8 has the marker `xdist_group`, which does nothing from pytest 9.2 on.
    from xdist.scheduler import LoadScopeScheduling  # noqa: PLC0415 (not every environment has it)

    class Groups(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            return _group_of(Path(nodeid.partition("::")[0]))

    return Groups(config, log)


def sort(items: list[pytest.Item]) -> None:
    """Sort tests by the order in which their groups start."""
    groups = {item: _group_of(Path(item.nodeid.partition("::")[0])) for item in items}
    with_spark = {groups[item] for item in items if item.get_closest_marker("spark")}
    items.sort(key=lambda item: _rank(groups[item], with_spark))


def _group_of(path: Path) -> str:
    """Return the group of a file, whose path is relative to the root."""
    path = path.relative_to("tests")
    return _TOGETHER.get(path.as_posix(), path.as_posix())


def _rank(name: str, with_spark: set[str]) -> int:
    """Return where a group starts: the longest first, then those with Spark, then all others."""
    return _FIRST.index(name) if name in _FIRST else len(_FIRST) + (name not in with_spark)
