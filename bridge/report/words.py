"""Words of results: a number with its noun, and what is said of rules where values are hidden."""

from __future__ import annotations

from bridge.redaction import current


def counted(number: int, one: str, more: str = "") -> str:
    """Return `1 row`, `2 rows` or, where the plural is given, `2 batches`."""
    return f"1 {one}" if number == 1 else f"{number} {more or f'{one}s'}"


def shown_constants() -> list[str]:
    """Return a warning for a report with the rule of a class, where values are hidden."""
    told = (
        "the constants in the rule of the class are shown, also those of hidden columns: they are what the class "
        "compares with, and the rule means nothing without them"
    )
    return [told] if current().is_active else []
