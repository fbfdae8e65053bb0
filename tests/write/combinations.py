"""Which tables are written: all combinations of bundle, class, table type and layout, or few that hold every pair."""

from __future__ import annotations

import collections
import itertools
from typing import TYPE_CHECKING, Any

from tests.write.tables import Case

if TYPE_CHECKING:
    from collections.abc import Sequence

TABLE_TYPES = {"cow": "COPY_ON_WRITE", "mor": "MERGE_ON_READ"}
LAYOUTS = ("parts", "plain")
MORE_LAYOUTS = (*LAYOUTS, "deep")


def covering(choices: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """Return few combinations in which each two values of different choices meet, and as evenly as may be."""
    left = {one: {*itertools.combinations(enumerate(one), 2)} for one in itertools.product(*choices)}
    missing, met, chosen = set[Any]().union(*left.values()), collections.Counter[Any](), list[tuple[str, ...]]()
    while missing:
        best = max(left, key=lambda one: (len(left[one] & missing), -sum(met[pair] for pair in left[one])))
        chosen.append(best)
        met.update(left[best])
        missing -= left.pop(best)
    return chosen


def selected(
    releases: Sequence[str], models: Sequence[str], kinds: Sequence[str], layouts: Sequence[str], *, pairs: bool
) -> list[Case]:
    """Return the tables of a run, those of a release together: all, or those that hold every pair of settings."""
    choices = (releases, models, kinds, layouts)
    found = covering(choices) if pairs else list(itertools.product(*choices))
    found.sort(key=lambda one: releases.index(one[0]))
    return [Case(model, TABLE_TYPES[kind], layout, release) for release, model, kind, layout in found]
