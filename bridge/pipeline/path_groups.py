"""Which of the paths that all keys can take end alike, and on how many keys the others do not."""

from __future__ import annotations

import itertools
import string
from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import functions as sf

from bridge.engines import PATH
from bridge.programs import Change, PathEnding, PathKind, standard_paths
from bridge.report import Table
from bridge.spark import described

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pyspark.sql import Column, DataFrame

    from bridge.plan import MergePlan, TableType
    from bridge.programs import StandardPath
    from bridge.report import JsonObject

_Pair = tuple[int, int]
_Counts = tuple[int, ...]
"""Keys by kind, in the order of `PathKind`."""


class PathGroup(NamedTuple):
    """Paths on which every key ends alike.

    Attributes:
        name: a letter.
        positions: which of the standard paths they are, from 0.
        paths: these paths; the batches as they are, in the first table, are among those of group A.
        differing: on how many keys each of the groups, in order, ends differently, by kind; none for the group itself.
    """

    name: str
    positions: Sequence[int]
    paths: Sequence[StandardPath]
    differing: Sequence[_Counts]


class Disagreements(NamedTuple):
    """On how many keys paths disagree, and how.

    Attributes:
        groups: the standard paths, in groups that end alike.
        kinds: how many keys differ in each way.
        changes: how many keys each change is the least for to end differently.
    """

    groups: Sequence[PathGroup]
    kinds: dict[PathKind, int]
    changes: dict[Change, int]

    def groups_of(self, number: int, ends: Sequence[int]) -> list[str]:
        """Return the names of the groups that end with an answer; `ends` is `KeyAnswer.standard` of the key."""
        return [group.name for group in self.groups if ends[group.positions[0]] == number]

    def pairs_of(self, ends: Sequence[int]) -> list[str]:
        """Return the pairs of groups that end differently, as `A-B`."""
        pairs = itertools.combinations(self.groups, 2)
        return [f"{one.name}-{other.name}" for one, other in pairs if _end(one, ends) != _end(other, ends)]

    def as_json(self, plan: MergePlan) -> JsonObject:
        """Return statistics: groups with their paths, pairs of groups, kinds and changes."""
        return {
            "paths": [
                {
                    "group": group.name,
                    "path": one.words,
                    "table_type": one.table_type.value,
                    "compacted": one.compacts,
                    "commits": one.commits.value,
                    "merge_points": [point.value for point in one.points(plan)],
                }
                for group in self.groups
                for one in group.paths
            ],
            "disagreements": [
                {
                    "groups": [left.name, right.name],
                    "keys": sum(counts),
                    "kinds": {kind.id: number for kind, number in zip(PathKind, counts, strict=True)},
                }
                for left, right, counts in self._pairs()
            ],
            "kinds": {kind.id: number for kind, number in self.kinds.items()},
            "changes": {change.id: number for change, number in self.changes.items()},
        }

    def tables(self) -> Iterator[Table]:
        """Give the groups with their paths, and of more than two on how many keys each pair differs."""
        first = self.groups[0]
        lines = [
            (group.name, "\n".join(one.words for one in group.paths), f"{sum(counts):,}")
            for group, counts in zip(self.groups, first.differing, strict=True)
        ]
        title = "Paths of every key, and the keys that differ from A"
        yield Table(("", "paths", "keys"), lines, title, frozenset({"keys"}))
        if len(self.groups) > 2:  # noqa: PLR2004 (else the column above has it)
            names = [group.name for group in self.groups]
            rows = [
                (group.name, *(f"{sum(counts):,}" if any(counts) else "" for counts in group.differing))
                for group in self.groups
            ]
            yield Table(("", *names), rows, "Keys that end differently, by pairs of paths", frozenset(names))

    def _pairs(self) -> Iterator[tuple[PathGroup, PathGroup, _Counts]]:
        for (at, left), (other, right) in itertools.combinations(enumerate(self.groups), 2):
            yield left, right, self.groups[at].differing[other]


def _end(group: PathGroup, ends: Sequence[int]) -> int:
    return ends[group.positions[0]]


def agreed(table_types: Iterable[TableType]) -> Disagreements:
    """Return what is found where no key depends on the path."""
    paths = standard_paths(table_types)
    none = (0,) * len(PathKind)
    groups = _groups(paths, dict.fromkeys(itertools.combinations(range(len(paths)), 2), none))
    return Disagreements(groups, dict.fromkeys(PathKind, 0), dict.fromkeys(Change, 0))


def disagreements(found: DataFrame, table_types: Iterable[TableType]) -> Disagreements:
    """Count, in one job, what the answers of `answers_of` say about the standard paths."""
    paths = standard_paths(table_types)
    pairs = list(itertools.combinations(range(len(paths)), 2))
    path = sf.col(PATH)
    differ = [_count(one) for pair in pairs for one in _kinds(pair)]
    kinds = [_count(path.kind == kind.id) for kind in PathKind]
    changes = [_count(path.change == change.id) for change in Change]
    depending = found.where((path.number == 1) & (path.of > 1))
    with described(found.sparkSession, "every path: which of them disagree"):
        counts = iter(depending.agg(*differ, *kinds, *changes).collect()[0])
    keys = {pair: tuple(next(counts) for _ in PathKind) for pair in pairs}
    by_kind = {kind: next(counts) for kind in PathKind}
    return Disagreements(_groups(paths, keys), by_kind, {change: next(counts) for change in Change})


def _count(condition: Column) -> Column:
    return sf.count(sf.when(condition, 1))


def _kinds(pair: _Pair) -> list[Column]:
    """Return whether two paths end differently in each of the ways, in the order of `PathKind`."""
    one, other = pair
    ends, seen = sf.col(PATH).standard, sf.col(PATH).seen
    fails = (seen[one] == PathEnding.ERROR.value) | (seen[other] == PathEnding.ERROR.value)
    is_missing = (seen[one] == PathEnding.NOTHING.value) != (seen[other] == PathEnding.NOTHING.value)
    of_kind = {PathKind.MISSING: ~fails & is_missing, PathKind.FAILING: fails, PathKind.VALUES: ~fails & ~is_missing}
    return [(ends[one] != ends[other]) & of_kind[kind] for kind in PathKind]


def _groups(paths: Sequence[StandardPath], keys: Mapping[_Pair, _Counts]) -> list[PathGroup]:
    """Put paths that end alike on every key together."""
    members: dict[int, list[int]] = {}
    for at in range(len(paths)):
        same = next((one for one in members if not any(keys[one, at])), at)
        members.setdefault(same, []).append(at)
    of = {**keys, **{(other, one): counts for (one, other), counts in keys.items()}}
    none = (0,) * len(PathKind)
    return [
        PathGroup(name, mine, [paths[at] for at in mine], [of.get((one, other), none) for other in members])
        for name, (one, mine) in zip(string.ascii_uppercase, members.items(), strict=False)
    ]
