"""Whether other processes, under other conditions, get the same results, and which condition matters if not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mergers.laws.conditions import OTHERS, OURS, Conditions
from mergers.laws.core import Again, Equation, text
from mergers.laws.equality import Failed, same_answer
from mergers.laws.interpreter import Interpreters
from mergers.laws.jobs import Answers, ElsewhereError
from mergers.laws.report import Counterexample, MergeStep

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mergers.laws.algebra import Algebra
    from mergers.laws.conditions import Aspect
    from mergers.laws.evaluate import Evaluator
    from mergers.laws.jobs import Elsewhere, Jobs


class Repetition:
    """The merges of a law, repeated in other processes."""

    def __init__(self, evaluator: Evaluator, jobs: Jobs) -> None:
        """Prepare; processes start once they are needed."""
        algebra = evaluator.algebra
        self._evaluator = evaluator
        self._jobs = jobs
        make = getattr(algebra, "elsewhere", None)
        self._elsewhere: Elsewhere = Interpreters(algebra) if make is None else make()
        self._known: dict[Conditions, Answers | ElsewhereError] = {}

    def difference(self) -> Counterexample | None:
        """Return operands on which another process gets another result, with the cause; None if all agree.

        Raises:
            ElsewhereError: a process could not repeat the merges, and no other one differs.
        """
        error = None
        for found in self._answers(*OTHERS):
            if isinstance(found, ElsewhereError):
                error = error or found
                continue
            counterexample = self._first_difference(found)
            if counterexample is not None:
                return counterexample._replace(cause=self.cause())
        if error is not None:
            raise error
        return None

    def _first_difference(self, found: Answers) -> Counterexample | None:
        for operands, theirs in zip(self._jobs.operands * self._jobs.rounds, found, strict=True):
            bound = self._evaluator.bind(operands)
            for expr, their in zip(self._jobs.expressions, theirs, strict=True):
                our = self._evaluator.value(expr, bound).answer
                if not self._same(our, their):
                    there = MergeStep(f"{text(expr)}, in another process", their)
                    return Counterexample(
                        Equation(expr, Again(expr)), operands, (MergeStep(text(expr), our),), (there,)
                    )
        return None

    def cause(self) -> str:
        """Return, in a sentence, what changes the result, found by varying one aspect at a time; empty if unknown."""
        try:
            return self._cause()
        except ElsewhereError:
            return ""

    def _cause(self) -> str:
        base, other, *_ = OTHERS
        if self._agree(base, other):
            # What differs is then what this process has to itself.
            base, other = OURS, base
        aspects = [aspect for aspect in self._elsewhere.aspects if base.varied(aspect, other) != base]
        found = self._changing(aspects, base, other)
        if found is None and self._agree(base, other):
            return "The result changes with earlier calls, or with the process."
        # Random results may agree by chance, so the aspects are varied from the other side, too.
        found = found or self._changing(aspects, other, base)
        if found is None:
            return "The result changes only with several factors together."
        return f"The result changes with {found.value}."

    def _changing(self, aspects: Sequence[Aspect], near: Conditions, far: Conditions) -> Aspect | None:
        """Return the first aspect that alone changes a result, set as in `far`; None if none does."""
        # Two at a time, which is as many as run at once anywhere.
        for start in range(0, len(aspects), 2):
            chosen = aspects[start : start + 2]
            self._answers(*(near.varied(aspect, far) for aspect in chosen))
            for aspect in chosen:
                if not self._agree(near, near.varied(aspect, far)):
                    return aspect
        return None

    def _answers(self, *conditions: Conditions) -> list[Answers | ElsewhereError]:
        new = [one for one in conditions if one not in self._known]
        if new:
            self._known |= zip(new, self._elsewhere.answers(self._jobs, new), strict=True)
        return [self._known[one] for one in conditions]

    def _agree(self, left: Conditions, right: Conditions) -> bool:
        answers = []
        for found in self._answers(left, right):
            if isinstance(found, ElsewhereError):
                raise found
            answers.append(found)
        rows = zip(*answers, strict=True)
        return all(self._same(ours, theirs) for row in rows for ours, theirs in zip(*row, strict=True))

    def _same(self, ours: object, theirs: object) -> bool:
        if isinstance(ours, Failed) and isinstance(theirs, Failed):
            # A class that travelled is another one there.
            return type(ours.error).__name__ == type(theirs.error).__name__
        return same_answer(ours, theirs, self._evaluator.algebra.schema, self._evaluator.equality)


_OWN: Final = frozenset(("payloads", "mergers", "abc", "builtins", "enum", "typing"))


def is_ours(algebra: Algebra) -> bool:
    """Whether all code under check belongs to this project, whose classes depend on their operands only."""
    merger = getattr(algebra, "merger", None)
    payload_class = getattr(algebra, "payload_class", None)
    users = getattr(payload_class, "user_class", None)
    judged = (type(algebra), type(getattr(merger, "target", merger)), users or payload_class or object)
    return all(one.__module__.partition(".")[0] in _OWN for kind in judged for one in kind.__mro__)
