"""Recordings of real Hudi and known reports, merged again."""

from __future__ import annotations

from bridge.demo.issue import Issue, IssueAnswer, answers, violation
from bridge.demo.issue_report import IssueReport, reproduce
from bridge.demo.issues import ISSUES
from bridge.demo.recordings import NEW, OLD, RECORDED, RealAnswer, Recording
from bridge.demo.report import DemoReport, demonstrate, rule_text

__all__ = [
    "ISSUES",
    "NEW",
    "OLD",
    "RECORDED",
    "DemoReport",
    "Issue",
    "IssueAnswer",
    "IssueReport",
    "RealAnswer",
    "Recording",
    "answers",
    "demonstrate",
    "reproduce",
    "rule_text",
    "violation",
]
