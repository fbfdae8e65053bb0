"""Running payloads and mergers on tables, with PySpark."""

from __future__ import annotations

from bridge.errors import InputError, JavaNotFoundError, MergeFailedError, PlanError

__all__ = [
    "InputError",
    "JavaNotFoundError",
    "MergeFailedError",
    "PlanError",
]
