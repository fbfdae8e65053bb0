"""The rule of a class, found by asking the class."""

from __future__ import annotations

from mergers.laws.infer.inference import Inferred, UnexpressedColumn, agrees, asked_anew, infer
from mergers.laws.infer.laws import FoundLaw, FoundLaws, laws_of
from mergers.laws.infer.questions import Answer, Question

__all__ = [
    "Answer",
    "FoundLaw",
    "FoundLaws",
    "Inferred",
    "Question",
    "UnexpressedColumn",
    "agrees",
    "asked_anew",
    "infer",
    "laws_of",
]
