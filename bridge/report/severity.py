"""What a result says of the rows, as one value: its word, mark, colour and exit code follow in every form and verb."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from typing_extensions import Self


class Severity(enum.Enum):
    """How severe a result is, the least severe first. Added in 0.2.0.

    Attributes:
        value: the word in JSON; see `word`.
        mark: the character in front of a verdict.
        colour: the colour in a terminal; pages have a colour under the same word.
        exit_code: the exit code of a verb that fails on it.
        junit: the element of JUnit in a test case that fails because of it; empty for none.
    """

    mark: str
    colour: str
    exit_code: int
    junit: str

    UNCHANGED = "unchanged", "\u2713", "green", 0, ""
    NOT_CHECKED = "not checked", "?", "cyan", 3, "error"
    CHANGED = "changed", "\u2260", "yellow", 1, "failure"
    REFUSED = "refused", "\u2717", "red", 1, "failure"
    DAMAGED = "damaged", "!", "red", 1, "failure"

    def __new__(cls, word: str, mark: str, colour: str, exit_code: int, junit: str) -> Self:
        """Make a member whose value is its word."""
        made = object.__new__(cls)
        made._value_ = word
        made.mark, made.colour, made.exit_code, made.junit = mark, colour, exit_code, junit
        return made

    def __lt__(self, other: Severity) -> bool:
        order = [*Severity]
        return order.index(self) < order.index(other)

    @classmethod
    def in_part(cls, found: AbstractSet[Severity], left_out: object) -> frozenset[Severity]:
        """Return what was found, and that not all was looked at if anything was left out."""
        return frozenset({*found, cls.NOT_CHECKED} if left_out else found)

    def word(self, verb: str) -> str:
        """Return the word for people: what a verb checks may hold or be equal, where others say unchanged."""
        return _WORDS.get(verb, {}).get(self, str(self.value))

    @property
    def style(self) -> str:
        """The word as a class of a style sheet."""
        return str(self.value).replace(" ", "-")


_EQUAL: Final = {Severity.UNCHANGED: "equal", Severity.CHANGED: "different"}
_WORDS: Final = {
    "compare-readers": _EQUAL,
    "demo": _EQUAL,
    "diff": _EQUAL,
    "payloads": {Severity.UNCHANGED: "links"},
    "simulate": {Severity.UNCHANGED: "independent of the path", Severity.CHANGED: "depends on the path"},
    "verify": {Severity.UNCHANGED: "holds", Severity.CHANGED: "violated"},
}
"""The words of verbs that do not judge a change."""

FAILS: Final = frozenset({Severity.CHANGED, Severity.REFUSED, Severity.DAMAGED})
"""What a verb that compares fails on; one that could not look at everything says so."""
STRICT: Final = FAILS | {Severity.NOT_CHECKED}
"""What a verb fails on that must have looked at everything."""
REPORTS: Final[frozenset[Severity]] = frozenset()
"""What a verb fails on that only reports: nothing."""
