"""Paths in plain words: how a path writes the versions of a key, and what the step between two paths means."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from bridge.programs import Path, as_given

if TYPE_CHECKING:
    from collections.abc import Sequence


def path_words(path: Path, batches: Sequence[int]) -> str:
    """Describe a path of a key whose versions came in `batches`.

    `v1, v2 | v3` writes the first two versions in one commit, and the third in another.
    """
    commits = "batches as given" if path.commits == as_given(batches) else commits_words(path)
    compacted = compaction_words(path, batches)
    parts = (path.table_type.long_name, commits, compacted and f"compacted {compacted}")
    return ", ".join(filter(None, parts))


def commits_words(path: Path) -> str:
    """Name the versions of each commit."""
    return " | ".join(map(_versions, _ranges(path.commits)))


def compaction_words(path: Path, batches: Sequence[int]) -> str:
    """Say when the log is compacted; empty if it is not."""
    compacted = " and ".join(_commit(path, number, batches) for number in path.compact_after)
    return compacted and f"after {compacted}"


def step_words(left: Path, right: Path, batches: Sequence[int]) -> str:
    """Say what the one step between two paths changes.

    Raises:
        ValueError: the paths are not one step apart.
    """
    if left.table_type is not right.table_type and left.commits == right.commits:
        return "A copy-on-write and a merge-on-read table differ after the same commits, without a compaction."
    ends = set(itertools.accumulate(left.commits)) ^ set(itertools.accumulate(right.commits))
    if left.table_type is right.table_type and len(ends) == 1:
        (end,) = ends
        longer = max(left, right, key=lambda path: len(path.commits))
        pair = [versions for versions in _ranges(longer.commits) if end in {versions[0] - 1, versions[1]}]
        first, second = map(_versions, pair)
        return f"Writing {first} and {second} in one commit or in two changes the row."
    compacted = set(left.compact_after) ^ set(right.compact_after)
    if left.table_type is right.table_type and left.commits == right.commits and len(compacted) == 1:
        return f"A compaction after {_commit(left, compacted.pop(), batches)} changes the row."
    msg = f"{left} and {right} are not one step apart"
    raise ValueError(msg)


def _ranges(sizes: Sequence[int]) -> list[tuple[int, int]]:
    """Return the first and last version of each commit, from 1."""
    ends = list(itertools.accumulate(sizes))
    return [(end - size + 1, end) for size, end in zip(sizes, ends, strict=True)]


def _versions(versions: tuple[int, int]) -> str:
    first, last = versions
    if last - first > 1:
        return f"v{first} to v{last}"
    return ", ".join(f"v{number}" for number in range(first, last + 1))


def _commit(path: Path, number: int, batches: Sequence[int]) -> str:
    last = _ranges(path.commits)[number - 1][1]
    return f"batch {batches[last - 1]}" if path.commits == as_given(batches) else f"v{last}"
