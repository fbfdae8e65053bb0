"""Texts in other letters: the test of one value, and of whole columns by a regular expression."""

from __future__ import annotations

from typing import TYPE_CHECKING

from payloads.backports import assert_never
from payloads.java import any_case_pattern, equals_ignore_case, has_sigma, whole_case_pattern
from payloads.rules.words import Letters

if TYPE_CHECKING:
    from payloads.rules.version_tests import TextIs


def is_spelled(value: str, text: str, letters: Letters) -> bool:
    """Whether a value is a text in other letters."""
    match letters:
        case Letters.ANY:
            return equals_ignore_case(text, value)
        case Letters.UPPER:
            return value.upper() == text
        case Letters.LOWER:
            return value.lower() == text
        case other:
            assert_never(other)


def spelled_pattern(test: TextIs, *, ignore_case: str) -> str | None:
    """Return a regular expression that a value matches for which a test holds; None if there is none.

    Args:
        test: the test.
        ignore_case: what makes a regular expression ignore case: `(?iu)` in Java, `(?i)` in RE2.
    """
    match test.letters:
        case Letters.ANY:
            return rf"{ignore_case}\A{any_case_pattern(test.text)}\z"
        case Letters.UPPER | Letters.LOWER:
            if test.letters is Letters.LOWER and has_sigma(test.text):
                return None
            return rf"\A(?:{whole_case_pattern(test.text, upper=test.letters is Letters.UPPER)})\z"
        case other:
            assert_never(other)
