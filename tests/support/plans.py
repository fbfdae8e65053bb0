"""Merge plans of tables whose key is `id` and whose ordering field is `ts`."""

from __future__ import annotations

from typing import Any

from bridge import MergePlan


def plan_of(
    payload: str | None = "DefaultHoodieRecordPayload", release: str = "0.15", table_type: str = "cow", **settings: Any
) -> MergePlan:
    """Return the plan of a payload class, or with `merger=` of another rule; `settings` come before all defaults."""
    named = {"payload": payload, "release": release, "table_type": table_type, "key": "id", "ordering": "ts"}
    return MergePlan(**named | settings)  # type: ignore[arg-type]
