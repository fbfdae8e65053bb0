"""Text without the characters that a terminal, a page or XML acts on, or that hide what a text says."""

from __future__ import annotations

import re
from typing import Final

from payloads.visible import HIDDEN

PART: Final = re.compile(r"(?<=[^\W_][.,/=:;_-])(?![.,/=:;_-])|(?<=[a-z])(?=[A-Z])")
"""Where a word may be broken: after a dot and the like, and before a capital letter."""


def printable(text: str) -> str:
    """Return the text with a replacement character for each of them, for pages and XML; a carriage return stays."""
    return HIDDEN.sub(lambda found: "\r" if found[0] == "\r" else "\ufffd", text)


def escaped_json(text: str) -> str:
    r"""Return JSON with each of them as `\u202e`, which JSON reads as the same character."""
    return HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
