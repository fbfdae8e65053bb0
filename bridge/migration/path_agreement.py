"""Which paths through a table end alike, with a class and with what replaces it, on a user's batches."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, NamedTuple

from bridge.pipeline import all_paths
from bridge.programs import standard_paths
from bridge.report import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from bridge.pipeline import Batches, PathsReport
    from bridge.plan import MergePlan, TableType
    from bridge.programs import StandardPath
    from bridge.report import JsonObject

_MOST_NAMED = 3


class PathSide(NamedTuple):
    """What the class, or its replacement, does on every path.

    Attributes:
        depending: how many keys have a row that depends on the path.
        incomplete: of how many keys not every path was followed.
        groups: the name of the group of each standard path; every key ends alike on the paths of a group.
    """

    depending: int
    incomplete: int
    groups: Mapping[StandardPath, str]

    def agree(self, one: StandardPath, other: StandardPath) -> bool:
        """Whether every key ends alike on two paths."""
        return self.groups[one] == self.groups[other]


class PathAgreement(NamedTuple):
    """Paths that agree, before and after a migration.

    Attributes:
        keys: how many keys the batches have.
        before: the class in its old release.
        after: what replaces it.
    """

    keys: int
    before: PathSide
    after: PathSide

    @property
    def now(self) -> list[tuple[StandardPath, StandardPath]]:
        """The pairs of paths that agree, and did not before."""
        return [pair for pair in self._pairs() if self.after.agree(*pair) and not self.before.agree(*pair)]

    @property
    def no_longer(self) -> list[tuple[StandardPath, StandardPath]]:
        """The pairs of paths that agreed, and no longer do."""
        return [pair for pair in self._pairs() if self.before.agree(*pair) and not self.after.agree(*pair)]

    def _pairs(self) -> Iterator[tuple[StandardPath, StandardPath]]:
        return itertools.combinations(self.after.groups, 2)

    def told(self) -> Iterator[str | Table]:
        """Give what a report says of it."""
        counts = (f"{self.before.depending:,} with the class", f"{self.after.depending:,} with the replacement")
        yield f"Keys whose row depends on the path, of {self.keys:,}: {', '.join(counts)}. {self._told_pairs()}"
        rows = [(one.words, self.before.groups[one], self.after.groups[one]) for one in self.after.groups]
        title = "Paths that every key can take; paths with one letter give all keys the same rows"
        yield Table(("path", "the class", "the replacement"), rows, title)
        incomplete = max(self.before.incomplete, self.after.incomplete)
        if incomplete:
            yield f"Of {incomplete:,} keys not every path was followed; more may depend on it."

    def _told_pairs(self) -> str:
        parts = [
            f"{what}: {_named(pairs)}."
            for what, pairs in (
                ("These agree now and did not before", self.now),
                ("These agreed before and no longer do", self.no_longer),
            )
            if pairs
        ]
        return " ".join(parts) or "The same paths agree as before."

    def as_json(self) -> JsonObject:
        """Return it as JSON values."""
        return {
            "keys": self.keys,
            "paths": [
                {"path": one.words, "before": self.before.groups[one], "after": self.after.groups[one]}
                for one in self.after.groups
            ],
            "depending": {"before": self.before.depending, "after": self.after.depending},
            "agree_now": [[one.words for one in pair] for pair in self.now],
            "no_longer_agree": [[one.words for one in pair] for pair in self.no_longer],
        }


def path_agreement(left: MergePlan, right: MergePlan, batches: Batches, types: Sequence[TableType]) -> PathAgreement:
    """Write batches on every path, with a class and with what replaces it.

    Raises:
        PlanError: a plan can't be followed on every path; see `bridge.all_paths`.
    """
    sides = []
    for plan in (left, right):
        with all_paths(batches, plan, table_types=types) as found:
            sides.append(_side(found, types))
            keys = found.counts.keys
    return PathAgreement(keys, *sides)


def _side(found: PathsReport, types: Sequence[TableType]) -> PathSide:
    of = {path: group.name for group in found.disagreements.groups for path in group.paths}
    groups = {path: of[path] for path in standard_paths(types)}
    return PathSide(found.counts.depending, found.counts.incomplete, groups)


def _named(pairs: Sequence[tuple[StandardPath, StandardPath]]) -> str:
    named = "; ".join(f"{one.words} and {other.words}" for one, other in pairs[:_MOST_NAMED])
    return named + f"; and {len(pairs) - _MOST_NAMED} more pairs" * (len(pairs) > _MOST_NAMED)
