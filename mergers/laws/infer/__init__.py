"""The rule of a class, found by asking the class."""

from __future__ import annotations

from mergers.laws.infer.held import OtherAnswer, first_difference
from mergers.laws.infer.inference import Inferred, UnexpressedColumn, agrees, asked_anew, infer
from mergers.laws.infer.laws import FoundLaw, FoundLaws, laws_of
from mergers.laws.infer.properties import PropertyEffect, property_effects
from mergers.laws.infer.questions import Answer, Question

__all__ = [
    "Answer",
    "FoundLaw",
    "FoundLaws",
    "Inferred",
    "OtherAnswer",
    "PropertyEffect",
    "Question",
    "UnexpressedColumn",
    "agrees",
    "asked_anew",
    "first_difference",
    "infer",
    "laws_of",
    "property_effects",
]
