"""Text without the characters that XML 1.0 and pages can't show."""

from __future__ import annotations

import re
from typing import Final

# Not allowed in XML 1.0, and best avoided in HTML.
_UNPRINTABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def printable(text: str) -> str:
    """Return the text with a replacement character for each of them."""
    return _UNPRINTABLE.sub("\ufffd", text)
