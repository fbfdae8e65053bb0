"""What all nodes of merge rules are: frozen values that print as themselves; and the columns that rules name."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Final

DATA: Final = "*"
"""All columns that a rule does not name, but Hudi's meta columns: these are the later version's."""
IS_DELETED: Final = "_hoodie_is_deleted"
"""The flag of deletes."""
COMMIT_TIME: Final = "_hoodie_commit_time"
META_COLUMNS: Final = (
    COMMIT_TIME,
    "_hoodie_commit_seqno",
    "_hoodie_record_key",
    "_hoodie_partition_path",
    "_hoodie_file_name",
)


class RuleNode:
    """A part of a rule."""

    __slots__ = ()

    @property
    def parts(self) -> tuple[Any, ...]:
        """What it is made of."""
        return tuple(getattr(self, field.name) for field in dataclasses.fields(self))  # type: ignore[arg-type]  # as below

    def __repr__(self) -> str:
        shown = ", ".join(
            f"{field.name}={_shown(getattr(self, field.name))}"
            for field in dataclasses.fields(self)  # type: ignore[arg-type]  # every node is one
            if getattr(self, field.name) != field.default
        )
        return f"{type(self).__name__}({shown})"


def _shown(value: object) -> str:
    """Return a value as Python reads it: infinity has no literal."""
    is_finite = not isinstance(value, float) or math.isfinite(value)
    return repr(value) if is_finite else f"float({str(value)!r})"
