"""Laws of merging: what they say, and whether a payload or a merger obeys them."""

from __future__ import annotations

from mergers.laws.algebra import Algebra, through_bytes
from mergers.laws.bounds import Bounds
from mergers.laws.cases import LawCase, law_cases
from mergers.laws.check import DEFAULT_EXAMPLES, check_laws, find_violation, giving_up_by
from mergers.laws.conditions import CLOCKS, ZONES, Aspect, Conditions
from mergers.laws.constants import constants_of, words_of
from mergers.laws.core import NAMES, Act, Domain, Equation, Expr, Incoming, Law, Merge, Operands, Row, RuleSet, Version
from mergers.laws.equality import Equality, Failed, Observed, canonical, error_kind, same_bytes
from mergers.laws.fold import Bracketing, bracketing_text, bracketings, every_bracketing, fold, fold_left, fold_right
from mergers.laws.from_rules import RuleVerdict, Ruling
from mergers.laws.interpreter import ending, started
from mergers.laws.jobs import Answers, ElsewhereError, Jobs, answered
from mergers.laws.payload_algebra import copied_payload, payload_key
from mergers.laws.report import (
    UNDECIDED,
    Counterexample,
    LawNotCheckedError,
    LawReport,
    LawResult,
    LawViolationError,
    MergeStep,
    Verdict,
    answer_text,
    contradiction_text,
    error_line,
)
from mergers.laws.rules import RULE_SETS, laws_named
from mergers.laws.subject import Subject, subject_of
from mergers.laws.universe import value_at

__all__ = [
    "CLOCKS",
    "DEFAULT_EXAMPLES",
    "NAMES",
    "RULE_SETS",
    "UNDECIDED",
    "ZONES",
    "Act",
    "Algebra",
    "Answers",
    "Aspect",
    "Bounds",
    "Bracketing",
    "Conditions",
    "Counterexample",
    "Domain",
    "ElsewhereError",
    "Equality",
    "Equation",
    "Expr",
    "Failed",
    "Incoming",
    "Jobs",
    "Law",
    "LawCase",
    "LawNotCheckedError",
    "LawReport",
    "LawResult",
    "LawViolationError",
    "Merge",
    "MergeStep",
    "Observed",
    "Operands",
    "Row",
    "RuleSet",
    "RuleVerdict",
    "Ruling",
    "Subject",
    "Verdict",
    "Version",
    "answer_text",
    "answered",
    "bracketing_text",
    "bracketings",
    "canonical",
    "check_laws",
    "constants_of",
    "contradiction_text",
    "copied_payload",
    "ending",
    "error_kind",
    "error_line",
    "every_bracketing",
    "find_violation",
    "fold",
    "fold_left",
    "fold_right",
    "giving_up_by",
    "law_cases",
    "laws_named",
    "payload_key",
    "same_bytes",
    "started",
    "subject_of",
    "through_bytes",
    "value_at",
    "words_of",
]
