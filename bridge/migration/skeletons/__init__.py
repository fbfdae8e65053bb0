"""Mergers that are generated from templates."""

from __future__ import annotations

from bridge.migration.skeletons.generate import (
    Skeleton,
    java_skeletons,
    merger_names,
    python_skeleton,
    strategy_id,
)

__all__ = ["Skeleton", "java_skeletons", "merger_names", "python_skeleton", "strategy_id"]
