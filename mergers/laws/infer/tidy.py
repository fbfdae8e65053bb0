"""The same rule in fewer words: deletes as the language says them."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from payloads.builtin import IS_DELETED
from payloads.rules import AnyOf, Case, ColumnIs, DeleteTests, Effect, IsDelete, IsEmpty, Marker, Role

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from payloads.rules import MergeRule, Test

LONGEST_WORD: Final = 20
_EMPTY: Final = IsEmpty(Role.NEWER)
_FLAG: Final = ColumnIs(Role.NEWER, IS_DELETED, value=True)


def in_other_letters(text: str) -> tuple[str, ...]:
    """Return a word in the letters that a class which ignores case takes for it, too; itself first."""
    if not 1 <= len(text) <= LONGEST_WORD:
        return (text,)
    mixed = "".join(one.upper() if at % 2 else one.lower() for at, one in enumerate(text))
    return tuple(dict.fromkeys((text, text.lower(), text.upper(), text.capitalize(), mixed)))


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
        texts = in_other_letters(marker.text) if marker.ignore_case else (marker.text,)
        others = [one for one in others if one not in {ColumnIs(Role.NEWER, marker.column, text) for text in texts}]
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
    texts = dict[str, list[str]]()
    for test in tests:
        if isinstance(test, ColumnIs) and test.role is Role.NEWER and isinstance(test.value, str):
            texts.setdefault(test.column, []).append(test.value)
    for column, found in sorted(texts.items()):
        whole = next((one for one in found if set(in_other_letters(one)) == set(found)), None)
        if len(found) == 1 or whole is not None:
            return Marker(column, whole or found[0], ignore_case=len(found) > 1)
    return None
