"""The search for a counterexample by examples that Hypothesis draws, and shrinks once it has one."""

from __future__ import annotations

import contextlib
import itertools
import random
from typing import TYPE_CHECKING, Final, TypeVar

import hypothesis
from hypothesis.errors import Flaky, NoSuchExample

from mergers.laws.algebra import Gathers
from mergers.laws.core import Operands
from mergers.laws.exhaustive import Enumerated, grouped, try_one
from payloads.user import CallEndedError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hypothesis.strategies import SearchStrategy

    from mergers.laws.core import Law, Version
    from mergers.laws.evaluate import Evaluator
    from mergers.laws.nodes import Node
    from mergers.laws.report import Counterexample
    from mergers.laws.strategies import OperandStrategies

T = TypeVar("T")
_PAIR: Final = 2
_ROUND, _ROUND_SEEDS = 10, 1_009


class Search:
    """Looks for counterexamples of several laws at once: each example serves all of them.

    Attributes:
        tried: what the examples showed for each law.
    """

    def __init__(self, laws: tuple[Law, ...], evaluator: Evaluator) -> None:
        """Prepare; `run` looks."""
        self._laws = laws
        self._evaluator = evaluator
        self._examples: dict[Law, set[int]] = {law: set() for law in laws}
        self._found: dict[Law, Counterexample] = {}
        self.tried: dict[Law, Enumerated] = {law: Enumerated() for law in laws}

    @property
    def cases(self) -> dict[Law, int]:
        """The number of different examples that each law was tried on."""
        return {law: len(tried) for law, tried in self._examples.items()}

    @property
    def found(self) -> dict[Law, Counterexample]:
        """The smallest counterexample found for each violated law.

        Sides that fail in two ways count where most examples decide something.
        """
        unlike = {
            law: tried.unlike
            for law, tried in self.tried.items()
            if tried.unlike is not None and not tried.mostly_fails and law not in self._found
        }
        return self._found | unlike

    def run_rounds(self, strategies: OperandStrategies, rounds: int, seed: int) -> None:
        """Try ten examples a round. The eleventh would be one of them changed a little, as Hypothesis goes on."""
        for number in range(rounds):
            self.run(strategies, _ROUND, seed * _ROUND_SEEDS + number)

    def run(self, strategies: OperandStrategies, examples: int, seed: int) -> None:
        """Try examples on the laws that have no counterexample yet; of one that is found the smallest is kept.

        Raises:
            CallEndedError: a call took too long, or tried to end the process.
        """
        strategy = strategies.operands()
        settings = hypothesis.settings(
            max_examples=examples,
            deadline=None,
            database=None,
            phases=(hypothesis.Phase.generate, hypothesis.Phase.shrink),
            suppress_health_check=list(hypothesis.HealthCheck),
        )
        if any(isinstance(one, Gathers) for one in self._evaluator.algebras):
            self._run_together(strategy, settings, seed)
            return
        ended: list[CallEndedError] = []
        while open_laws := [law for law in self._laws if law not in self._found]:
            latest: dict[Law, Counterexample] = {}

            def fails(
                operands: Operands,
                open_laws: list[Law] = open_laws,
                latest: dict[Law, Counterexample] = latest,
            ) -> bool:
                if ended:
                    return False
                try:
                    broken = self._violations(open_laws, operands)
                except CallEndedError as error:
                    ended.append(error)  # noqa: B023 (and not tried again on smaller operands)
                    return False
                if broken:
                    latest.clear()
                    latest |= broken
                return bool(broken)

            try:
                smallest = hypothesis.find(strategy, fails, settings=settings, random=random.Random(seed))  # noqa: S311 (examples are no secrets)
                self._found |= self._violations(open_laws, smallest) or latest
            except NoSuchExample:
                for error in ended:
                    raise error from None
                return
            except Flaky:
                # A merge with random results: the last one seen counts.
                self._found |= latest

    def _run_together(self, strategy: SearchStrategy[Operands], settings: hypothesis.settings, seed: int) -> None:
        """Draw all examples, merge them together, and keep the smallest that break laws: none is shrunk."""
        drawn: dict[str, Operands] = {}

        def keeps(operands: Operands) -> bool:
            drawn[repr(operands)] = operands
            return False

        with contextlib.suppress(NoSuchExample):
            hypothesis.find(strategy, keeps, settings=settings, random=random.Random(seed))  # noqa: S311 (as above)
        examples = [drawn[text] for text in sorted(drawn, key=len)]
        evaluator = self._evaluator
        evaluator.forget()
        bound = [evaluator.bind(operands) for operands in examples]
        for law in self._laws:
            for size in range(law.sizes[0], law.sizes[1] + 1):
                sides = [side for equation in law.stated(size) for side in equation]
                chosen = [(row, *some) for row, *nodes in bound for some in _of_size(nodes, size)]
                evaluator.gather(sides, chosen)
        for operands in examples:
            self._found |= self._violations([law for law in self._laws if law not in self._found], operands)

    def _violations(self, laws: list[Law], operands: Operands) -> dict[Law, Counterexample]:
        evaluator = self._evaluator
        evaluator.forget()
        example = hash(repr(operands))
        row = evaluator.row(operands.row)
        nodes = [(version, evaluator.incoming(version)) for version in operands.versions]
        found = {}
        for law in laws:
            was_tried = False
            for chosen in _choices(law, nodes):
                versions = tuple(version for version, _ in chosen)
                if not law.applies(versions, evaluator.algebra.order):
                    continue
                was_tried = True
                stated = grouped(law.stated(len(versions)), evaluator)
                tried = self.tried[law]
                shown = try_one(stated, evaluator, (row, *(node for _, node in chosen)), tried)
                if shown is None or (shown.both_fail and tried.unlike is not None):
                    continue
                counterexample = evaluator.counterexample(shown.equation, Operands(operands.row, versions))
                if shown.both_fail:
                    tried.unlike = counterexample
                    continue
                found[law] = counterexample
                break
            if was_tried:
                self._examples[law].add(example)
        return found


def _choices(law: Law, nodes: list[tuple[Version, Node]]) -> Iterator[tuple[tuple[Version, Node], ...]]:
    """Yield the versions that a law is tried on: in the order of arrival, pairs in both orders."""
    fewest, most = law.sizes
    for size in range(fewest, min(most, len(nodes)) + 1):
        yield from _of_size(nodes, size)


def _of_size(nodes: Sequence[T], size: int) -> Iterator[tuple[T, ...]]:
    choose = itertools.permutations if size <= _PAIR else itertools.combinations
    return iter(choose(nodes, size))
