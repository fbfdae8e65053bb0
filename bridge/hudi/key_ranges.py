"""Ranges of record keys: a slice whose log is too large for memory is read range by range."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bridge.spark import ArrowColumn

_STEP = 1 << 6
"""Of so many keys one, about, is looked at to find the bounds."""


@dataclass(frozen=True)
class KeyRange:
    """The keys from one on, up to and without another, by code point; a row without a key is in the first range.

    Attributes:
        first: the first key; None for no bound.
        end: the key after the last; None for no bound.
    """

    first: str | None
    end: str | None

    def __contains__(self, key: str) -> bool:
        return (self.first is None or key >= self.first) and (self.end is None or key < self.end)

    def mask(self, keys: ArrowColumn) -> ArrowColumn:
        """Return which keys are in the range; Arrow's order of UTF-8 is that of code points."""
        inside = pa.repeat(True, len(keys))
        if self.first is not None:
            inside = pc.greater_equal(keys, self.first)
        if self.end is not None:
            inside = pc.and_(inside, pc.less(keys, self.end))
        return pc.fill_null(inside, self.first is None)


def ranges_of(size: int, most: int, keys: Iterable[ArrowColumn]) -> list[KeyRange | None]:
    """Return the ranges of some keys by which memory holds at most, about, so many of the bytes at a time.

    Args:
        size: the bytes of all.
        most: those that memory holds; for no more there is one range, without bounds.
        keys: array by array; looked at only where there are several ranges.
    """
    parts = -(-size // most)
    return [None] if parts <= 1 else [*split(keys, parts)]


def split(keys: Iterable[ArrowColumn], parts: int) -> list[KeyRange]:
    """Return ranges that have about as many of some keys each; fewer than `parts` where few keys differ.

    Keys are drawn, by a generator with a seed: at fixed places, many short blocks in order would show their first ones.
    """
    draw = np.random.default_rng(0)
    seen: list[str] = []
    for some in keys:
        drawn = np.flatnonzero(draw.integers(_STEP, size=len(some)) == 0)
        seen += some.take(pa.array(drawn)).drop_null().to_pylist()
    seen.sort()
    bounds = sorted({seen[len(seen) * part // parts] for part in range(1, parts)}) if seen else []
    return [KeyRange(*span) for span in pairwise([None, *bounds, None])]
