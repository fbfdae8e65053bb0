"""Merge rules in English: the words of each node, a rule as lines, and rules by release with their differences."""

from __future__ import annotations

from mergers.rules.words.by_release import (
    LabelledLine,
    PointRules,
    RuleChange,
    RuleSetting,
    ToldRule,
    difference,
    labelled,
    rule_of_class,
    rules_of_class,
    rules_of_mode,
)
from mergers.rules.words.lines import RuleLine, compares, lines_of
from mergers.rules.words.nodes import say
from mergers.rules.words.terms import TERMS, Terms

__all__ = [
    "TERMS",
    "LabelledLine",
    "PointRules",
    "RuleChange",
    "RuleLine",
    "RuleSetting",
    "Terms",
    "ToldRule",
    "compares",
    "difference",
    "labelled",
    "lines_of",
    "rule_of_class",
    "rules_of_class",
    "rules_of_mode",
    "say",
]
