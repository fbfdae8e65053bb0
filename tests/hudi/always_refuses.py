"""A payload class that merges nothing; workers import it."""

from __future__ import annotations

from typing import Any


class AlwaysRefuses:
    """Raises wherever a stored row meets an update."""

    def __init__(self, record: Any, ordering_value: Any) -> None:
        self.record = record

    def pre_combine(self, older: AlwaysRefuses) -> AlwaysRefuses:
        """Keep the newer version."""
        return self

    def combine_and_get_update_value(self, current: Any, schema: Any) -> Any:
        """Refuse."""
        msg = "no such merge"
        raise LookupError(msg)

    def get_insert_value(self, schema: Any) -> Any:
        """Store the record."""
        return self.record
