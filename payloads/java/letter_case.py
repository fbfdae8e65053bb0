"""Texts that are one word in different letters, as Java compares them: by the character, or by the whole text.

`String.equalsIgnoreCase` compares character by character, first in upper, then in lower case. So the dotless and the
dotted `i` of Turkish are an `i`, the Kelvin sign is a `k` and the long `s` is an `s`, but the sharp `s` is not `ss`.
`toUpperCase` and `toLowerCase` of whole texts, in Java as in Python, say something else: in upper case the sharp `s` is
`SS` and the long `s` an `S`, but the Kelvin sign stays what it is; in lower case the other way round.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_I: Final = "iI\u0131\u0130"
"""What Java takes for one letter; RE2 knows of the first two alone."""
_LONGEST: Final = 3
"""How many characters one becomes in another case, at most."""


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


def whole_case_pattern(text: str, *, upper: bool) -> str:
    """Return a regular expression, for Python, RE2 and Java alike, of the texts that become `text` in another case.

    It is to be asked with regard to case. In lower case a sigma at the end of a word is not seen: see `has_sigma`.

    Args:
        text: it, in upper or in lower case.
        upper: whether it is in upper case.
    """
    sources = _sources(upper=upper)

    @functools.cache
    def rest(at: int) -> str:
        if at == len(text):
            return ""
        ways = [
            f"[{''.join(map(re.escape, found))}]{rest(at + length)}"
            for length in range(1, min(_LONGEST, len(text) - at) + 1)
            if (found := sources.get(text[at : at + length], text[at] if length == 1 else ""))
        ]
        return ways[0] if len(ways) == 1 else f"(?:{'|'.join(ways)})"

    return rest(0)


def has_sigma(text: str) -> bool:
    """Whether the lower case of a letter of a text depends on where it is."""
    return any(letter in "\u03a3\u03c3\u03c2" for letter in text)


@functools.cache
def _sources(*, upper: bool) -> Mapping[str, str]:
    """Return the characters that become a text in another case, those that stay what they are among them."""
    found: dict[str, str] = {}
    for number in range(0x110000):
        letter = chr(number)
        other = _cased(letter, upper=upper)
        if other != letter:
            found[other] = found.get(other, "") + letter
    stays = {text: text if len(text) == 1 and _cased(text, upper=upper) == text else "" for text in found}
    return {text: stays[text] + letters for text, letters in found.items()}


def _cased(text: str, *, upper: bool) -> str:
    return text.upper() if upper else text.lower()
