"""The rule of a class, found by asking the class."""

from __future__ import annotations

from mergers.laws.infer.inference import Inferred, Unsaid, agrees, asked_anew, infer
from mergers.laws.infer.questions import Answer, Question

__all__ = ["Answer", "Inferred", "Question", "Unsaid", "agrees", "asked_anew", "infer"]
