"""Texts that Java takes for equal whatever their case: `String.equalsIgnoreCase`.

It compares character by character, first in upper, then in lower case. So the dotless and the dotted `i` of Turkish are
an `i`, the Kelvin sign is a `k` and the long `s` is an `s`, but the sharp `s` is not `ss`: neither the lower nor the
upper case of whole texts says the same.
"""

from __future__ import annotations

import functools
import re
from typing import Final

_I: Final = "iI\u0131\u0130"
"""What Java takes for one letter; RE2 knows of the first two alone."""


def any_case_pattern(text: str) -> str:
    """Return a regular expression, for Python, RE2 and Java alike, that a text equal to `text` matches as a whole.

    It is to be asked without regard to case: with `re.IGNORECASE`, `(?i)` in RE2, and `(?iu)` in Java.
    """
    return "".join(f"[{_I}]" if letter in _I else re.escape(letter) for letter in text)


def equals_ignore_case(text: str, other: str) -> bool:
    """Whether two texts are equal as `text.equalsIgnoreCase(other)` says; `text` is one of few."""
    return _compiled(text).fullmatch(other) is not None


@functools.lru_cache
def _compiled(text: str) -> re.Pattern[str]:
    return re.compile(any_case_pattern(text), re.IGNORECASE)
