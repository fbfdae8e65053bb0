"""Asking another interpreter, which hashes texts differently and has another clock, for the same answers."""

from __future__ import annotations

import itertools
import os
import pickle
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from mergers.laws.core import After, Again, Before, Equation, Expr, Operands, text
from mergers.laws.equality import Failed, same_answer, same_bytes
from mergers.laws.evaluate import Evaluator
from mergers.laws.report import Counterexample, Step

if TYPE_CHECKING:
    from mergers.laws.algebra import Algebra
    from mergers.laws.core import Law
    from mergers.laws.universe import Universe

_TIMEOUT = 60
_HASH_SEEDS = ("2", "6")
"""Two seeds of hashing that order most pairs of short texts in opposite ways, so that one differs from ours."""
_AHEAD = 40_000_003
"""How many seconds the clock of the other interpreter is ahead."""

_PROGRAM = f"""
import sys, time
real, real_ns = time.time, time.time_ns
time.time = lambda: real() + {_AHEAD}
time.time_ns = lambda: real_ns() + {_AHEAD} * 1_000_000_000
import pickle
sys.path[:] = pickle.load(sys.stdin.buffer)
from mergers.laws.elsewhere import answer_jobs
answer_jobs()
"""


def differs_elsewhere(algebra: Algebra, law: Law, universe: Universe, evaluator: Evaluator) -> Counterexample | None:
    """Return operands on which another interpreter answers differently, or None.

    What can't be pickled, such as a class inside a function, is not asked elsewhere: None.
    """
    operands = [
        Operands(universe.rows[(i + j) % len(universe.rows)], (a, b))
        for (i, a), (j, b) in itertools.product(enumerate(universe.incoming), repeat=2)
    ]
    expressions = [equation.left for equation in law.stated(law.sizes[1])]
    expressions = [expr for expr in expressions if not isinstance(expr, Again | Before | After)]
    try:
        jobs = pickle.dumps((algebra, expressions, operands))
    except Exception:  # noqa: BLE001 (whatever a user's object raises)
        return None
    answers = ((_run(jobs, seed) or ()) for seed in _HASH_SEEDS)
    for one, theirs in ((one, theirs) for found in answers for one, theirs in zip(operands, found, strict=False)):
        bound = evaluator.bind(one)
        for expr, their in zip(expressions, theirs, strict=True):
            ours = evaluator.value(expr, bound).answer
            if isinstance(ours, Failed) and their is None:
                continue
            if their is None or not same_answer(ours, their, algebra.schema, same_bytes):
                answer = Failed(RuntimeError("an error there alone")) if their is None else their
                equation = Equation(expr, Again(expr))
                return Counterexample(equation, one, (Step(text(expr), ours),), (Step(_there(expr), answer),))
    return None


def _there(expr: Expr) -> str:
    return f"{text(expr)}, in another process"


def _run(jobs: bytes, seed: str) -> Any:
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    run = subprocess.run(  # noqa: S603 (our own interpreter and program)
        [sys.executable, "-c", _PROGRAM],
        input=pickle.dumps(sys.path) + jobs,
        capture_output=True,
        env=environment,
        timeout=_TIMEOUT,
        check=False,
    )
    return pickle.loads(run.stdout) if run.returncode == 0 else None  # noqa: S301 (our own process wrote it)


def answer_jobs() -> None:
    """Answer the jobs on standard input; what the merges print is thrown away."""
    algebra, expressions, operands = pickle.load(sys.stdin.buffer)  # noqa: S301 (our own process wrote it)
    out, sys.stdout = sys.stdout.buffer, sys.stderr
    evaluator = Evaluator(algebra)
    answers = []
    for one in operands:
        bound = evaluator.bind(one)
        found = [evaluator.value(expr, bound).answer for expr in expressions]
        answers.append([None if isinstance(answer, Failed) else answer for answer in found])
    out.write(pickle.dumps(answers))
    out.flush()
