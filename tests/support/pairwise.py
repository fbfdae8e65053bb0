"""Which cases of a comparison a lane runs: few, in which each two settings meet, or settings by turns."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

Case = TypeVar("Case")


def few(cases: Iterable[Case], facts: Callable[[Case], Iterable[Hashable]]) -> list[Case]:
    """Return few of the cases that have each fact of all of them, those with most of what is missing first."""
    left = [(case, {*facts(case)}) for case in cases]
    missing, chosen = set[Any]().union(*(own for _, own in left)), list[Case]()
    while missing:
        best = max(left, key=lambda one: len(one[1] & missing))
        left.remove(best)
        chosen.append(best[0])
        missing -= best[1]
    return chosen


def in_pairs(
    cases: Sequence[tuple[Any, ...]], settings: Callable[[tuple[Any, ...]], Sequence[object]] = lambda case: case
) -> list[tuple[tuple[Any, ...], Any]]:
    """Return each case with its marks: none for few in which each two settings meet, `long` for the others.

    `settings` gives those of a case, in one order; they count as equal if they print alike.
    """

    def pairs(number: int) -> Iterable[Hashable]:
        return itertools.combinations(enumerate(map(repr, settings(cases[number]))), 2)

    chosen = {*few(range(len(cases)), pairs)}
    return [(case, () if number in chosen else pytest.mark.long) for number, case in enumerate(cases)]


def by_turns(cases: Iterable[Any], settings: Sequence[Any], most: int = 1) -> list[Any]:
    """Return each case with each setting, of which the first few by turns are no `long` parameters."""
    found = []
    for number, case in enumerate(cases):
        chosen = {(number + turn) % len(settings) for turn in range(most)}
        found += [
            pytest.param(case, setting, marks=() if place in chosen else pytest.mark.long)
            for place, setting in enumerate(settings)
        ]
    return found
