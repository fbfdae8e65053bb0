"""Merge rules on two records: the reference for every other interpreter."""

from __future__ import annotations

from payloads.records import RuleOutcome, RuleVersion, fault_of, merged

__all__ = ["RuleOutcome", "RuleVersion", "fault_of", "merged"]
