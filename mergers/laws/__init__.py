"""Laws of merging: what they say, and whether a payload or a merger keeps them."""

from __future__ import annotations

from mergers.laws.algebra import Algebra
from mergers.laws.cases import LawCase, law_cases
from mergers.laws.check import check_laws, find_violation
from mergers.laws.core import Domain, Equation, Law, Operands, RuleSet, Version
from mergers.laws.equality import Answer, Equality, same_bytes
from mergers.laws.report import Counterexample, LawReport, LawResult, LawViolationError, Verdict
from mergers.laws.rules import RULE_SETS

__all__ = [
    "RULE_SETS",
    "Algebra",
    "Answer",
    "Counterexample",
    "Domain",
    "Equality",
    "Equation",
    "Law",
    "LawCase",
    "LawReport",
    "LawResult",
    "LawViolationError",
    "Operands",
    "RuleSet",
    "Verdict",
    "Version",
    "check_laws",
    "find_violation",
    "law_cases",
    "same_bytes",
]
