"""Whether two records are the same, value by value and type by type."""

from __future__ import annotations

from operator import is_
from typing import Any


def same_record(left: dict[str, Any], right: dict[str, Any]) -> bool:
    """Whether two records have the same fields and values, by value and type: 1 is not 1.0, nor 0.0 -0.0."""
    if left.keys() != right.keys():
        return False
    # Copies share their values, so most comparisons end here.
    return all(map(is_, left.values(), right.values())) or all(_same(left[name], right[name]) for name in left)


def _same(left: Any, right: Any) -> bool:
    if left is right:
        return True
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(_same(left[key], right[key]) for key in left)
    if isinstance(left, list | tuple):
        return len(left) == len(right) and all(map(_same, left, right))
    return left.hex() == right.hex() if isinstance(left, float) else bool(left == right)
