"""Words of results: a number with its noun."""

from __future__ import annotations


def counted(number: int, one: str, more: str = "") -> str:
    """Return `1 row`, `2 rows` or, where the plural is given, `2 batches`."""
    return f"1 {one}" if number == 1 else f"{number} {more or f'{one}s'}"
