"""Positions in MySQL's binary log, as Debezium writes them: `<file number>.<position>`."""

from __future__ import annotations

import re

from payloads.errors import PayloadFailedError
from payloads.ordering_fields import java_split

MYSQL_SEQUENCE = "_event_seq"

_LONG = re.compile(r"[+-]?\d{1,999}")


def compare_positions(left: str, right: str, owner: str = "MySqlDebeziumAvroPayload") -> int:
    """Compare two positions by their two numbers: negative, zero or positive. `owner` is for messages.

    Raises:
        PayloadFailedError: a part that must be compared is missing or no 64-bit number.
    """
    lefts, rights = java_split(left, "."), java_split(right, ".")
    for index in range(2):
        a, b = _part(lefts, index, left, owner), _part(rights, index, right, owner)
        if a != b:
            return 1 if a > b else -1
    return 0


def _part(parts: list[str], index: int, text: str, owner: str) -> int:
    part = parts[index] if index < len(parts) else ""
    # Long.parseLong: no spaces or underscores, and 64 bits.
    number = int(part) if _LONG.fullmatch(part) else None
    if number is None or not -(1 << 63) <= number < 1 << 63:
        name = ("binlog file number", "position")[index]
        msg = (
            f"{owner}: the sequence {text!r} has no {name} that is a 64-bit integer; give "
            f"{MYSQL_SEQUENCE} and the ordering value the form <file number>.<position>, such as 000003.154"
        )
        raise PayloadFailedError(msg)
    return number
