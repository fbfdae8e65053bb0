"""Decisions over rows of a table: which tests, in order, tell apart the rows for which one choice or another is right.

Rows are the bits of an integer. A test that can't be made for a row (a comparison that fails) neither holds nor fails.
"""

from __future__ import annotations

import functools
import itertools
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from payloads.rules import AllOf, AnyOf, Not

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from payloads.rules import Test

_MOST_JOINED: Final = 4
_MOST_TRIED: Final = 60
_FOLLOWED: Final = {2: 40, 3: 8, 4: 4}
"""How many first steps are followed, by depth."""
_COST_OF_STEP: Final = 2


def mask(bits: Iterable[bool]) -> int:
    """Return the rows for which something holds."""
    return int("".join("1" if one else "0" for one in bits)[::-1] or "0", 2)


class Tested(NamedTuple):
    """A test, with the rows for which it holds and those for which it fails."""

    test: Test
    holds: int
    fails: int

    @property
    def opposite(self) -> Tested:
        """The test that holds where this one fails."""
        turned = self.test.test if isinstance(self.test, Not) else Not(self.test)
        return Tested(turned, self.fails, self.holds)


class Choice(NamedTuple):
    """Something that may be right, with the rows for which it is."""

    what: Any
    right: int


class Step(NamedTuple):
    """A test, and what is chosen where it holds."""

    test: Test
    what: Any


class Decision(NamedTuple):
    """Steps in order, and what is chosen where no test holds."""

    steps: tuple[Step, ...]
    otherwise: Any

    @property
    def cost(self) -> int:
        """How long it is."""
        return sum(1 + size(step.test) for step in self.steps)


def size(test: Test) -> int:
    """Return the number of nodes of a test."""
    match test:
        case AllOf(tests) | AnyOf(tests):
            return 2 + sum(map(size, tests))
        case Not(inner):
            return 1 + size(inner)
        case _:
            return 1


def decided(rows: int, tests: Sequence[Tested], choices: Sequence[Choice], depth: int) -> Decision | None:
    """Return the shortest decision that is right for all rows; None if it takes more than `depth` tests in a row.

    Args:
        rows: those that count.
        tests: the tests, the simplest first.
        choices: the choices, the preferred first.
        depth: how many steps it may have.
    """
    both = [one for test in tests for one in (test, test.opposite)]
    best: Decision | None = None
    for most in range(depth + 1):
        if best is not None and best.cost <= _COST_OF_STEP * most:
            break
        found = _decided(rows, both, choices, most)
        if found is not None and (best is None or found.cost < best.cost):
            best = found
    return best


def _useful(rows: int, choices: Sequence[Choice]) -> list[Choice]:
    """Return the choices that are right for rows for which no preferred one is."""
    found: list[Choice] = []
    for one in choices:
        right = one.right & rows
        if right and not any(not right & ~other.right for other in found):
            found.append(Choice(one.what, right))
    return found


def _decided(rows: int, tests: Sequence[Tested], choices: Sequence[Choice], depth: int) -> Decision | None:
    choices = _useful(rows, choices)
    possible = functools.reduce(lambda right, one: right | one.right, choices, 0)
    if rows & ~possible:
        return None
    if depth == 0:
        return next((Decision((), one.what) for one in choices if not rows & ~one.right), None)
    if depth == 1:
        return _in_one(rows, tests, choices)
    best: Decision | None = None
    for test, one in itertools.islice(_first_steps(rows, tests, choices), _FOLLOWED.get(depth, 6)):
        rest = _decided(rows & test.fails, test_restricted(tests, rows & test.fails), choices, depth - 1)
        if rest is not None:
            found = Decision((Step(test.test, one.what), *rest.steps), rest.otherwise)
            best = found if best is None or found.cost < best.cost else best
    return best


def test_restricted(tests: Sequence[Tested], rows: int) -> Sequence[Tested]:
    """Return the tests that tell some of the rows apart, of equal ones the first."""
    seen: dict[tuple[int, int], Tested] = {}
    for one in tests:
        holds = one.holds & rows
        if holds and holds != rows and not rows & ~(one.holds | one.fails):
            seen.setdefault((holds, one.fails & rows), one)
    return [*seen.values()]


def _first_steps(rows: int, tests: Sequence[Tested], choices: Sequence[Choice]) -> Iterator[tuple[Tested, Choice]]:
    """Give the tests that decide for some of the rows, those that leave the fewest first."""
    found: list[tuple[int, int, int, Tested, Choice]] = []
    for test in test_restricted(tests, rows):
        holds = test.holds & rows
        for one in choices:
            if not holds & ~one.right:
                found.append((size(test.test), -holds.bit_count(), len(found), test, one))
                break
    found.sort(key=lambda entry: (entry[1], entry[0], entry[2]))
    for *_, test, one in found:
        yield test, one


def _in_one(rows: int, tests: Sequence[Tested], choices: Sequence[Choice]) -> Decision | None:
    best: Decision | None = None
    usable = test_restricted(tests, rows)
    for first, last in itertools.permutations(choices, 2):
        need, may = rows & ~last.right, rows & first.right
        if not need or need & ~may:
            continue
        test = between(need, may, rows, usable)
        if test is not None:
            found = Decision((Step(test, first.what),), last.what)
            best = found if best is None or found.cost < best.cost else best
    return best


def between(need: int, may: int, rows: int, tests: Sequence[Tested]) -> Test | None:
    """Return the simplest test that holds for all rows that need it, and for none but those that may have it."""
    single = [one for one in tests if not need & ~one.holds and not one.holds & rows & ~may]
    if single:
        return min(single, key=lambda one: size(one.test)).test
    above = [one for one in tests if not need & ~one.holds]
    below = [one for one in tests if not one.holds & rows & ~may]
    all_of = _joined(rows & ~may, [(one, rows & ~one.holds) for one in above])
    any_of = _joined(need, [(one, need & one.holds) for one in below])
    found: list[Test] = []
    if all_of is not None:
        found.append(AllOf(all_of))
    if any_of is not None:
        found.append(AnyOf(any_of))
    return min(found, key=size, default=None)


def _joined(rows: int, covering: list[tuple[Tested, int]]) -> tuple[Test, ...] | None:
    """Return the fewest tests that cover all rows together."""
    useful = [(one, covered & rows) for one, covered in covering if covered & rows]
    for left, right in itertools.combinations(useful[:_MOST_TRIED], 2):
        if not rows & ~(left[1] | right[1]):
            return left[0].test, right[0].test
    chosen: list[Test] = []
    while rows and len(chosen) < _MOST_JOINED and useful:
        one, covered = max(useful, key=lambda entry: (entry[1] & rows).bit_count())
        if not covered & rows:
            return None
        chosen.append(one.test)
        rows &= ~covered
    return None if rows or len(chosen) < 2 else tuple(chosen)  # noqa: PLR2004 (one test alone is no join)
