"""A payload as a user writes it, for the benchmarks."""

from __future__ import annotations

from typing import Any


class GreatestTs:
    """The greatest `ts` wins, ties go to the newer version; Java's names, no base class."""

    def __init__(self, record: dict[str, Any] | None, ordering: Any) -> None:
        self.record = record
        self.ordering = ordering

    def preCombine(self, older: GreatestTs) -> GreatestTs:  # noqa: N802
        return older if older.ordering > self.ordering else self

    def combineAndGetUpdateValue(self, current: dict[str, Any], schema: Any) -> dict[str, Any] | None:  # noqa: N802
        return current if self.record is None or current["ts"] > self.record["ts"] else self.record

    def getInsertValue(self, schema: Any) -> dict[str, Any] | None:  # noqa: N802
        return self.record
