"""A merger that keeps the longest name of a key."""

from __future__ import annotations

from payloads.rules import ByOrdering, Longest, MergeRule


class LongestName:
    """The later version, with the longest name."""

    merging_strategy = "5d6f2f57-2f0c-4f0e-8a53-8c1b3f5d2a90"
    record_type = "SPARK"
    rule = MergeRule(ByOrdering(), columns={"name": Longest()})
