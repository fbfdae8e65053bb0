"""Deciding a law by trying every choice of operands of a universe, the smallest first."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

from mergers.laws.core import Operands
from mergers.laws.equality import Failed
from mergers.laws.report import error_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mergers.laws.core import Equation, Expr, Law, Version
    from mergers.laws.evaluate import Bound, Evaluator
    from mergers.laws.nodes import Node
    from mergers.laws.report import Counterexample
    from mergers.laws.universe import Universe
    from payloads.avro import Record


class Enumerated:
    """The outcome of trying operands of a law.

    Attributes:
        cases: how many operands were tried.
        failed: on how many of them every side failed, so that they decide nothing.
        counterexample: the first on which the sides differ and one of them does not fail.
        errors: how often each error was met.
        unlike: the first on which both sides failed, in different ways.
    """

    def __init__(self) -> None:
        """Start without any operands."""
        self.cases = self.failed = 0
        self.counterexample: Counterexample | None = None
        self.unlike: Counterexample | None = None
        self.errors: Counter[str] = Counter()

    @property
    def mostly_fails(self) -> bool:
        """Whether more than half of the operands decide nothing."""
        return 2 * self.failed > self.cases

    @property
    def error(self) -> str:
        """The most frequent error."""
        return self.errors.most_common(1)[0][0] if self.errors else ""

    def note(self, sides: list[Node]) -> None:
        """Count operands, and whether all sides failed."""
        self.cases += 1
        if isinstance(sides[0].answer, Failed) and all(isinstance(side.answer, Failed) for side in sides):
            self.failed += 1
            self.errors[error_line(sides[0].answer.error)] += 1


class UnequalSides(NamedTuple):
    """What one choice of operands shows: the equation whose sides differ, and whether both of them fail."""

    equation: Equation
    both_fail: bool


def try_all(law: Law, evaluator: Evaluator, universe: Universe, tried: Enumerated, *, most: int) -> None:
    """Try stored rows and versions by number, up to `most` versions, and note what they show.

    The first counterexample has the fewest versions, and ends the trial.
    """
    versions = [(version, evaluator.incoming(version)) for version in universe.incoming]
    rows = [(row, evaluator.row(row)) for row in (universe.rows if law.has_row else (None,))]
    for size in range(law.sizes[0], most + 1):
        equations = law.stated(size)
        stated = grouped(equations, evaluator)
        for some in _batches(_choices(law, evaluator, rows, versions, size)):
            evaluator.gather(itertools.chain.from_iterable(equations), [bound for _, bound in some])
            for operands, bound in some:
                found = try_one(stated, evaluator, bound, tried)
                if found is None or (found.both_fail and tried.unlike is not None):
                    continue
                counterexample = evaluator.counterexample(found.equation, operands)
                if found.both_fail:
                    tried.unlike = counterexample
                else:
                    tried.counterexample = counterexample
                    return


def _choices(
    law: Law,
    evaluator: Evaluator,
    rows: Sequence[tuple[Record | None, Node]],
    versions: Sequence[tuple[Version, Node]],
    size: int,
) -> Iterator[tuple[Operands, Bound]]:
    """Yield the operands that a law applies to, in order, with their nodes."""
    for (row, row_node), chosen in itertools.product(rows, itertools.product(versions, repeat=size)):
        operands = Operands(row, tuple(version for version, _ in chosen))
        if law.applies(operands.versions, evaluator.algebra.order):
            yield operands, (row_node, *(node for _, node in chosen))


def _batches(choices: Iterator[tuple[Operands, Bound]]) -> Iterator[list[tuple[Operands, Bound]]]:
    while some := list(itertools.islice(choices, _AT_ONCE)):
        yield some


_AT_ONCE: Final = 2_000
"""How many operands an algebra that merges many pairs at once is told of: few where one of the first breaks a law."""


Stated = list[tuple["Callable[[Bound], Node]", list[tuple["Equation", "Callable[[Bound], Node]"]]]]


def try_one(stated: Stated, evaluator: Evaluator, bound: Bound, tried: Enumerated) -> UnequalSides | None:
    """Evaluate the equations; return one that does not hold, preferably one with a side that does not fail."""
    sides, unlike = [], None
    for left, rights in stated:
        value = left(bound)
        sides.append(value)
        for equation, right in rights:
            other = right(bound)
            if other is value:
                continue
            sides.append(other)
            if evaluator.agree(value, other):
                continue
            if not (isinstance(value.answer, Failed) and isinstance(other.answer, Failed)):
                tried.cases += 1
                return UnequalSides(equation, both_fail=False)
            unlike = unlike or UnequalSides(equation, both_fail=True)
    tried.note(sides)
    return unlike


def grouped(stated: tuple[Equation, ...], evaluator: Evaluator) -> Stated:
    """Compile the sides; equations with one left side share its value."""
    groups: dict[Expr, list[tuple[Equation, Callable[[Bound], Node]]]] = {}
    for equation in stated:
        groups.setdefault(equation.left, []).append((equation, evaluator.compiled(equation.right)))
    return [(evaluator.compiled(left), rights) for left, rights in groups.items()]
