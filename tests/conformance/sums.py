"""Sums: how the recorded answers of a set ended."""

from __future__ import annotations

from dataclasses import astuple, dataclass


@dataclass(frozen=True)
class Sums:
    """How many recorded answers ended how.

    Attributes:
        passed: answered as real Hudi did.
        failed: answered otherwise, or not readable.
        optional: answered otherwise where that is known and explained.
        refused: not answered, for a reason that the product gives its users.
    """

    passed: int = 0
    failed: int = 0
    optional: int = 0
    refused: int = 0

    def __add__(self, other: Sums) -> Sums:
        return Sums(*(one + more for one, more in zip(astuple(self), astuple(other), strict=True)))

    def __str__(self) -> str:
        text = f"{self.passed} passed, {self.failed} failed, {self.optional} optional failed"
        return f"{text}, {self.refused} refused by us" if self.refused else text
