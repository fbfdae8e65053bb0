"""Deciding a law by trying every choice of operands of a small universe, the smallest first."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, NamedTuple

from mergers.laws.core import Operands

if TYPE_CHECKING:
    from collections.abc import Callable

    from mergers.laws.core import Equation, Expr, Law
    from mergers.laws.evaluate import Bound, Evaluator
    from mergers.laws.nodes import Node
    from mergers.laws.report import Counterexample
    from mergers.laws.universe import Universe


class TriedOperands(NamedTuple):
    """The outcome of trying the operands of a law.

    Attributes:
        cases: how many operands were tried.
        counterexample: the first on which the sides differ.
        refused: whether both sides were errors on all of them.
    """

    cases: int
    counterexample: Counterexample | None = None
    refused: bool = False


def try_all(law: Law, evaluator: Evaluator, universe: Universe) -> TriedOperands:
    """Try stored rows and versions by number, so that the first counterexample has the fewest versions."""
    versions = [(version, evaluator.incoming(version)) for version in universe.incoming]
    rows = [(row, evaluator.row(row)) for row in (universe.rows if law.has_row else (None,))]
    cases, equations, refused = 0, 0, evaluator.refused
    first: tuple[Equation, Operands] | None = None
    for size in range(law.sizes[0], law.sizes[1] + 1):
        stated = _grouped(law.stated(size), evaluator)
        for (row, row_node), chosen in itertools.product(rows, itertools.product(versions, repeat=size)):
            if law.condition is not None and not law.condition(tuple(v for v, _ in chosen), evaluator.algebra.order):
                continue
            cases += 1
            bound = (row_node, *(node for _, node in chosen))
            for left, rights in stated:
                value = left(bound)
                for equation, right in rights:
                    equations += 1
                    if first is None:
                        first = equation, Operands(row, tuple(version for version, _ in chosen))
                    if not evaluator.agree(value, right(bound)):
                        operands = Operands(row, tuple(version for version, _ in chosen))
                        return TriedOperands(cases, evaluator.counterexample(equation, operands))
    if first is not None and evaluator.refused - refused == equations:
        return TriedOperands(cases, evaluator.counterexample(*first), refused=True)
    return TriedOperands(cases)


def _grouped(
    stated: tuple[Equation, ...], evaluator: Evaluator
) -> list[tuple[Callable[[Bound], Node], list[tuple[Equation, Callable[[Bound], Node]]]]]:
    """Compile the sides; equations with one left side share its value."""
    groups: dict[Expr, list[tuple[Equation, Callable[[Bound], Node]]]] = {}
    for equation in stated:
        groups.setdefault(equation.left, []).append((equation, evaluator.compiled(equation.right)))
    return [(evaluator.compiled(left), rights) for left, rights in groups.items()]
