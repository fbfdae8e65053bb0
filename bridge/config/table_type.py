"""TableType: how a table stores updates; its own module, because plans and configurations both need it."""

from __future__ import annotations

import enum


class TableType(enum.Enum):
    """How a table stores updates."""

    COPY_ON_WRITE = "cow"
    MERGE_ON_READ = "mor"

    @property
    def long_name(self) -> str:
        """The common name."""
        return self.name.lower().replace("_", "-")
