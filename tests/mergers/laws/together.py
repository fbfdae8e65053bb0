"""Other interpreters for many merges at once: one for each set of conditions, in place of one for each merge."""

from __future__ import annotations

from mergers.laws import interpreter
from mergers.laws.evaluate import Evaluator
from mergers.laws.jobs import answered, jobs_of
from mergers.laws.reading import studied
from mergers.laws.repetition import is_ours
from mergers.laws.rules import DETERMINISM
from mergers.laws.subject import subject_of
from mergers.laws.universe import small_universe

PROGRAM = interpreter._PROGRAM.replace("mergers.laws.interpreter", "tests.mergers.laws.together")


class Together:
    """What is judged, with its merges; each condition is answered once for all, as soon as one of them needs it.

    Called with an algebra, as `Interpreters` is, it returns what starts interpreters for that one alone.
    """

    def __init__(self, subjects, domain="data", **settings):
        self.algebras, self.jobs, self.known = [], [], {}
        for subject in subjects:
            found = subject_of(subject, **settings)
            self.algebras.append(found.algebra)
            spec = studied(found.spec, Evaluator(found.algebra), is_ours=is_ours(found.algebra))
            self.jobs.append(jobs_of(DETERMINISM, small_universe(spec, domain, lambda _version: False)))
        self.interpreters = interpreter.Interpreters(self.algebras)

    def __call__(self, algebra):
        return _Own(self, algebra)

    def answers(self, conditions):
        new = [one for one in conditions if one not in self.known]
        self.known |= zip(new, self.interpreters.answers(self.jobs, new), strict=True)
        return [self.known[one] for one in conditions]


class _Own:
    def __init__(self, together, algebra):
        self.aspects = together.interpreters.aspects
        self.together, self.algebra = together, algebra

    def answers(self, jobs, conditions):
        at = [_target(one) for one in self.together.algebras].index(_target(self.algebra))
        assert jobs == self.together.jobs[at]  # those that are repeated are those that the check asks about
        start = sum(len(one.operands) * one.rounds for one in self.together.jobs[:at])
        end = start + len(jobs.operands) * jobs.rounds
        return [found[start:end] for found in self.together.answers(conditions)]


def _target(algebra):
    """Return the class that merges."""
    payload_class = getattr(algebra, "payload_class", None)
    if payload_class is not None:
        return getattr(payload_class, "user_class", payload_class)
    return type(getattr(algebra.merger, "target", algebra.merger))


def answer_jobs():
    """Answer, in another interpreter, the jobs of all."""
    interpreter.answered = lambda algebras, jobs, *how: [
        row for algebra, own in zip(algebras, jobs, strict=True) for row in answered(algebra, own, *how)
    ]
    interpreter.answer_jobs()
