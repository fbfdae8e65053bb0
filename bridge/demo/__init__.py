"""Recordings of real Hudi and known reports, merged again."""

from __future__ import annotations

from bridge.demo.issues import ISSUES, Issue, IssueAnswer, answers, violation
from bridge.demo.recordings import NEW, OLD, RealAnswer, Recording

__all__ = [
    "ISSUES",
    "NEW",
    "OLD",
    "Issue",
    "IssueAnswer",
    "RealAnswer",
    "Recording",
    "answers",
    "violation",
]
