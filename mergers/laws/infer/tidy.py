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


def in_other_letters(text: str) -> tuple[str, ...]:
    """Return a word in the letters that a class which ignores case takes for it, too; itself first."""
    if not 1 <= len(text) <= LONGEST_WORD:
        return (text,)
    mixed = "".join(one.upper() if at % 2 else one.lower() for at, one in enumerate(text))
    return tuple(dict.fromkeys((text, text.lower(), text.upper(), text.capitalize(), mixed)))


def tidied(rule: MergeRule) -> MergeRule:
    """Return a rule that says its first deletes in one case, by the flag or by one text, in any letters."""
    deletes = [case for case in rule.cases if case.gives is Effect.DELETE]
    count = next((at for at, case in enumerate(rule.cases) if case.gives is not Effect.DELETE), len(rule.cases))
    if count < len(deletes) or not deletes or Case(IsEmpty(Role.NEWER), Effect.DELETE) not in deletes:
        return rule
    named = [test for case in deletes for test in _parts(case.when) if test != IsEmpty(Role.NEWER)]
    if not all(isinstance(test, ColumnIs) and test.role is Role.NEWER for test in named):
        return rule
    tests = _as_deletes(test for test in named if isinstance(test, ColumnIs))
    if tests is None:
        return rule
    return dataclasses.replace(
        rule, deletes=tests, cases=(Case(IsDelete(Role.NEWER), Effect.DELETE), *rule.cases[count:])
    )


def _parts(test: Test) -> Iterator[Test]:
    if isinstance(test, AnyOf):
        for one in test.tests:
            yield from _parts(one)
    else:
        yield test


def _as_deletes(tests: Iterable[ColumnIs]) -> DeleteTests | None:
    """Return delete tests for values of columns; None where they can't say it."""
    flag, texts = False, dict[str, list[str]]()
    for test in tests:
        if test.column == IS_DELETED and test.value is True:
            flag = True
        elif isinstance(test.value, str):
            texts.setdefault(test.column, []).append(test.value)
        else:
            return None
    if not texts:
        return DeleteTests(flag=flag)
    (column, found), *others = texts.items()
    if others:
        return None
    if len(found) == 1:
        return DeleteTests(flag=flag, marker=Marker(column, found[0]))
    every = set(found)
    whole = next((one for one in found if set(in_other_letters(one)) == every), None)
    return None if whole is None else DeleteTests(flag=flag, marker=Marker(column, whole, ignore_case=True))
