"""Texts in other letters: the regular expressions of engines say what Python's own functions say, of all letters."""

from __future__ import annotations

import re
import sys

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from payloads import SchemaError, parse_schema
from payloads.rules import Case, Effect, Letters, MergeRule, Role, TextIs, check_rule, is_spelled, spelled_pattern

LETTERS = [one for one in map(chr, range(sys.maxunicode + 1)) if {one.upper(), one.lower()} != {one} or one < "\u0100"]
WORDS = ("stop", "kiss", "mi\u00e5", "off", "a.b", "x1", "\u02bcn", "fl")


def near(word: str) -> list[str]:
    """Return the word with any letter in place of one of its own, or of two that follow one another."""
    places = [(at, at + length) for at in range(len(word)) for length in (1, 2)]
    return [word[:start] + letter + word[end:] for start, end in places for letter in LETTERS]


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("letters", [Letters.UPPER, Letters.LOWER])
def test_a_pattern_says_what_the_case_of_the_whole_text_says(word: str, letters: Letters) -> None:
    text = word.upper() if letters is Letters.UPPER else word.lower()
    pattern = spelled_pattern(TextIs(Role.NEWER, "op", text, letters), ignore_case="")
    values = pa.array(near(word))
    expected = [is_spelled(value, text, letters) for value in values.to_pylist()]
    assert pc.match_substring_regex(values, pattern).to_pylist() == expected
    in_python = re.compile(pattern.replace(r"\z", r"\Z"))
    assert [in_python.match(value) is not None for value in values.to_pylist()] == expected
    assert sum(expected) > 2


def test_letters_that_are_one_in_one_way_only() -> None:
    kinds = {
        "\u017ftop": (True, True, False),  # the long s
        "as\u212a": (True, False, True),  # the Kelvin sign
        "ki\u00df": (False, True, False),  # the sharp s
        "m\u0131": (True, True, False),  # the dotless i
    }
    for value, wanted in kinds.items():
        word = {"\u017ftop": "stop", "as\u212a": "ask", "ki\u00df": "kiss", "m\u0131": "mi"}[value]
        found = tuple(
            is_spelled(value, text, letters)
            for letters, text in ((Letters.ANY, word), (Letters.UPPER, word.upper()), (Letters.LOWER, word))
        )
        assert found == wanted, value


def test_a_sigma_at_the_end_has_no_pattern_in_lower_case() -> None:
    assert spelled_pattern(TextIs(Role.NEWER, "op", "\u03b1\u03c3", Letters.LOWER), ignore_case="") is None


@pytest.mark.parametrize(("text", "letters"), [("del", Letters.UPPER), ("DEL", Letters.LOWER), ("", Letters.ANY)])
def test_a_text_that_nothing_becomes_is_refused(text: str, letters: Letters) -> None:
    schema = parse_schema({"type": "record", "name": "r", "fields": [{"name": "op", "type": "string"}]})
    rule = MergeRule(cases=(Case(TextIs(Role.NEWER, "op", text, letters), Effect.DELETE),))
    with pytest.raises(SchemaError):
        check_rule(rule, schema)
