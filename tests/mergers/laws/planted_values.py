"""What the planted payloads refer to in another module."""

from __future__ import annotations

import enum

FROZEN = "FROZEN"


class State(enum.Enum):
    ACTIVE = "ACTIVE"
    RETIRED = "RETIRED"


def is_blocked(value):
    return value is not None and value.upper() == "BLOCKED"
