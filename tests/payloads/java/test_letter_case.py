from __future__ import annotations

import pytest

from payloads.java import equals_ignore_case

# Answers of `String.equalsIgnoreCase` of Java 17.
EQUAL = [
    ("d", "D"),
    ("delete", "DELETE"),
    ("i", "\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}"),
    ("i", "\N{LATIN SMALL LETTER DOTLESS I}"),
    ("I", "\N{LATIN SMALL LETTER DOTLESS I}"),
    ("k", "\N{KELVIN SIGN}"),
    ("s", "\N{LATIN SMALL LETTER LONG S}"),
    ("\N{LATIN SMALL LETTER A WITH RING ABOVE}", "\N{ANGSTROM SIGN}"),
    ("\N{LATIN SMALL LETTER SHARP S}", "\N{LATIN CAPITAL LETTER SHARP S}"),
    ("\N{GREEK SMALL LETTER SIGMA}", "\N{GREEK SMALL LETTER FINAL SIGMA}"),
    ("\N{LATIN CAPITAL LETTER DZ WITH CARON}", "\N{LATIN CAPITAL LETTER D WITH SMALL LETTER Z WITH CARON}"),
]
UNEQUAL = [
    ("\N{LATIN SMALL LETTER SHARP S}", "SS"),
    ("\N{LATIN SMALL LIGATURE FF}", "FF"),
    ("\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}", "i\N{COMBINING DOT ABOVE}"),
    ("d", "d "),
    ("d", "D\n"),
    ("d.", "dx"),
    ("d", ""),
]


@pytest.mark.parametrize(("text", "other"), EQUAL)
def test_equal_texts(text, other):
    assert equals_ignore_case(text, other)
    assert equals_ignore_case(other, text)


@pytest.mark.parametrize(("text", "other"), UNEQUAL)
def test_unequal_texts(text, other):
    assert not equals_ignore_case(text, other)
    assert not equals_ignore_case(other, text)
