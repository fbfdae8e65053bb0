"""Merge rules on two records: the reference for every other interpreter."""

from __future__ import annotations

from payloads.records.columns import column_value
from payloads.records.merge import (
    RuleOutcome,
    RuleVersion,
    VersionPair,
    error_kind_of,
    error_text_of,
    merged,
    outcome_of,
)
from payloads.records.positions import MYSQL_SEQUENCE, compare_positions

__all__ = [
    "MYSQL_SEQUENCE",
    "RuleOutcome",
    "RuleVersion",
    "VersionPair",
    "column_value",
    "compare_positions",
    "error_kind_of",
    "error_text_of",
    "merged",
    "outcome_of",
]
