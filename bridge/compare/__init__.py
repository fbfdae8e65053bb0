"""The same batches on two sides: the comparison, its replay on Spark, and its grade."""

from __future__ import annotations

from bridge.compare.comparison import Sides, is_release, plan_to
from bridge.compare.grade import Grade, overall
from bridge.compare.replay import Counts, Difference, Example, Replay, replay

__all__ = [
    "Counts",
    "Difference",
    "Example",
    "Grade",
    "Replay",
    "Sides",
    "is_release",
    "overall",
    "plan_to",
    "replay",
]
