"""The same rule in fewer words: deletes as the language says them."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from payloads.builtin import IS_DELETED
from payloads.rules import AnyOf, Case, ColumnIs, DeleteTests, Effect, IsDelete, IsEmpty, Letters, Marker, Role, TextIs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from payloads.rules import MergeRule, Test

LONGEST_WORD: Final = 20
_EMPTY: Final = IsEmpty(Role.NEWER)
_FLAG: Final = ColumnIs(Role.NEWER, IS_DELETED, value=True)


_ALIKE: Final = {
    "s": "\u017f",
    "k": "\u212a",
    "i": "\u0131\u0130",
    "\u00e5": "\u212b",
    "ss": "\u00df",
    "st": "\ufb06",
    "ff": "\ufb00",
    "fi": "\ufb01",
    "fl": "\ufb02",
}
"""Letters that are others in upper or in lower case, or as `String.equalsIgnoreCase` says, but not in all three."""


def is_word(value: object) -> bool:
    """Whether a value is a text that other letters may stand for."""
    return isinstance(value, str) and 1 <= len(value) <= LONGEST_WORD and value.upper() != value.lower()


def in_other_letters(text: str) -> tuple[str, ...]:
    """Return a word in letters that a class which ignores case may take for it, too; itself first."""
    if not is_word(text):
        return (text,)
    mixed = ("".join(one.upper() if at % 2 == odd else one.lower() for at, one in enumerate(text)) for odd in (0, 1))
    alike = (
        text[:at] + other + text[at + len(letters) :]
        for letters, others in _ALIKE.items()
        if (at := text.lower().find(letters)) >= 0 and len(text.lower()) == len(text)
        for other in others
    )
    return tuple(dict.fromkeys((text, text.lower(), text.upper(), text.capitalize(), *mixed, *alike)))


def tidied(rule: MergeRule) -> MergeRule:
    """Return a rule that says its first deletes as the language does: by the flag, and by one text, in any letters.

    What else deletes, such as a text in a second column, is a case of its own.
    """
    first = [case for case in rule.cases if case.gives is Effect.DELETE]
    if not first or rule.cases[: len(first)] != tuple(first):
        return rule
    tests = [test for case in first for test in _parts(case.when)]
    others = [test for test in tests if test not in {_EMPTY, _FLAG}]
    marker = _marker(others)
    if marker is not None:
        kind = TextIs if marker.ignore_case else ColumnIs
        others = [one for one in others if one != kind(Role.NEWER, marker.column, marker.text)]
    if _EMPTY not in tests or (others and marker is None and _FLAG not in tests):
        return rule
    cases = [Case(IsDelete(Role.NEWER), Effect.DELETE)]
    if others:
        cases.append(Case(others[0] if len(others) == 1 else AnyOf(tuple(others)), Effect.DELETE))
    deletes = DeleteTests(flag=_FLAG in tests, marker=marker)
    return dataclasses.replace(rule, deletes=deletes, cases=(*cases, *rule.cases[len(first) :]))


def _parts(test: Test) -> Iterator[Test]:
    if isinstance(test, AnyOf):
        for one in test.tests:
            yield from _parts(one)
    else:
        yield test


def _marker(tests: Iterable[Test]) -> Marker | None:
    """Return the text that the tests look for in one column; of several columns the first by name."""
    found = dict[str, list[Marker]]()
    for test in tests:
        match test:
            case ColumnIs(Role.NEWER, column, str(text)):
                found.setdefault(column, []).append(Marker(column, text))
            case TextIs(Role.NEWER, column, text, Letters.ANY):
                found.setdefault(column, []).append(Marker(column, text, ignore_case=True))
            case TextIs(Role.NEWER, column):
                found[column] = []
    return next((markers[0] for _, markers in sorted(found.items()) if len(markers) == 1), None)
