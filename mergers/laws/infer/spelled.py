"""Tests of a column for the words of a class in other letters: which rows of a table they hold for."""

from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING, Final

from mergers.laws.infer.decisions import Tested, mask
from payloads.java import has_sigma
from payloads.rules import Letters, TextIs, is_spelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from payloads.rules import Role

_CASED: Final[dict[Letters, Callable[[str], str]]] = {
    Letters.ANY: str,
    Letters.UPPER: str.upper,
    Letters.LOWER: str.lower,
}


def spelled(values: Sequence[object], words: Iterable[object], side: Role, column: str) -> Iterator[Tested]:
    """Give the tests for words that hold for other rows than the word itself, `String.equalsIgnoreCase` first.

    Args:
        values: those of the column, by row.
        words: the words.
        side: the version that is tested.
        column: the column.
    """
    every = mask(True for _ in values)
    texts = {value: mask(one == value for one in values) for value in dict.fromkeys(values) if isinstance(value, str)}
    for word in filter(lambda one: isinstance(one, str), words):
        known = {texts.get(word, 0)}  # type: ignore[call-overload]  # a text
        for letters, cased in _CASED.items():
            text = str(word)
            if cased(text) != text or (letters is Letters.LOWER and has_sigma(text)):
                continue
            rows = (rows for value, rows in texts.items() if is_spelled(value, text, letters))
            holds = functools.reduce(operator.or_, rows, 0)
            if holds not in known:
                known.add(holds)
                yield Tested(TextIs(side, column, text, letters), holds, every & ~holds)
