"""The merges that other processes repeat, and repeating them under conditions that need no new process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from mergers.laws.algebra import Gathers
from mergers.laws.core import After, Again, Before, Expr, Operands
from mergers.laws.evaluate import Evaluator
from mergers.laws.nodes import turned
from payloads.errors import PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mergers.laws.algebra import Algebra
    from mergers.laws.conditions import Aspect, Conditions
    from mergers.laws.core import Law
    from mergers.laws.universe import Universe

Answers = list[list[Any]]
"""For each choice of operands, in each round, the result of each merge, or that it failed."""


class ElsewhereError(PayloadBridgeError, RuntimeError):
    """No other process could repeat the merges; the message says why."""


class Jobs(NamedTuple):
    """What is repeated.

    Attributes:
        expressions: the merges.
        operands: the stored rows and versions.
        rounds: how often each of them is merged.
    """

    expressions: tuple[Expr, ...]
    operands: tuple[Operands, ...]
    rounds: int = 1


class Elsewhere(Protocol):
    """What starts processes that repeat merges."""

    @property
    def aspects(self) -> Sequence[Aspect]:
        """What it can vary."""

    def answers(self, jobs: Jobs, conditions: Sequence[Conditions]) -> list[Answers | ElsewhereError]:
        """Return the results of a new process for each of the conditions, or why there are none."""


def jobs_of(law: Law, universe: Universe) -> Jobs:
    """Return the merges of a law over all pairs of versions, ties first and more than once: chance decides those."""
    rows, versions = universe.rows, list(enumerate(universe.incoming))
    operands = [
        (Operands(rows[(i + j) % len(rows)], (a, b)), a.ordering != b.ordering or a.record == b.record)
        for i, a in versions
        for j, b in versions
    ]
    operands.sort(key=lambda one: one[1])
    return jobs_on(law, [one for one, _ in operands])._replace(rounds=_ROUNDS)


def jobs_on(law: Law, operands: Sequence[Operands]) -> Jobs:
    """Return the merges of a law over operands."""
    expressions = (equation.left for equation in law.stated(law.sizes[1]))
    return Jobs(tuple(expr for expr in expressions if not isinstance(expr, Again | Before | After)), tuple(operands))


def answered(
    algebra: Algebra, jobs: Jobs, conditions: Conditions, before_each: Callable[[], None] = lambda: None
) -> Answers:
    """Run in this process, with the earlier calls and the order of map entries that the conditions set.

    `before_each` is called before the merges of each choice of operands.
    """
    operands = jobs.operands
    if conditions.maps:
        operands = tuple(map(_turned, operands))
    if conditions.calls == _REVERSED:
        # The last one comes first, and every merge was run often before.
        jobs = jobs._replace(operands=operands[::-1])
        for _ in range(0, _CALLS, len(jobs.expressions) * len(operands) * jobs.rounds):
            _answers(algebra, jobs, before_each)
        return _answers(algebra, jobs, before_each)[::-1]
    if conditions.calls == _ONE_MORE:
        _answers(algebra, Jobs(jobs.expressions[:1], operands[:1]), before_each)
    return _answers(algebra, jobs._replace(operands=operands), before_each)


_ROUNDS: Final = 4
"""How often each pair is merged: two processes decide a handful of ties alike by chance, but not four times as many."""
_REVERSED: Final = 2
_ONE_MORE: Final = 3
_CALLS: Final = 1_000


def _answers(algebra: Algebra, jobs: Jobs, before_each: Callable[[], None]) -> Answers:
    found = []
    for _ in range(jobs.rounds):
        # An evaluator remembers what it has merged; in each round chance decides anew.
        evaluator = Evaluator(algebra.again() if isinstance(algebra, Gathers) else algebra)
        if isinstance(algebra, Gathers):  # another makes each version where it is asked for, once
            evaluator.gather(jobs.expressions, [evaluator.bind(one) for one in jobs.operands])
        for one in jobs.operands:
            before_each()
            bound = evaluator.bind(one)
            found.append([evaluator.value(expr, bound).answer for expr in jobs.expressions])
    return found


def _turned(operands: Operands) -> Operands:
    versions = (version._replace(record=turned(version.record)) for version in operands.versions)
    return Operands(turned(operands.row), tuple(versions))
