"""Text as a message shows it: without the characters that a terminal acts on, or that hide what a text says."""

from __future__ import annotations

import re
from typing import Final

HIDDEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
"""Control characters but tab and line feed; marks that turn text or end a line; no characters at all."""


def escaped(text: str) -> str:
    r"""Return the text with each of them as `\x1b` or `\u202e`, for terminals and plain files."""
    return HIDDEN.sub(lambda found: ascii(found[0])[1:-1], text)


def one_line(text: str) -> str:
    """Return a text without line breaks, so that a message is one sentence."""
    return " ".join(text.split()) if "\n" in text or "\r" in text else text
