"""The interpreter of merge rules into English: what each node says, as a phrase or a clause."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from payloads.backports import assert_never
from payloads.rules import (
    Against,
    AllOf,
    AnyOf,
    ByArrival,
    ByColumn,
    ByOrdering,
    ColumnIs,
    Concat,
    Constant,
    Default,
    DeleteTests,
    Error,
    ErrorKind,
    FirstNonDefault,
    FirstNonMarker,
    FirstNonNull,
    Greatest,
    How,
    IfElse,
    IsDelete,
    IsEmpty,
    IsListed,
    IsNatural,
    IsUnordered,
    JoinedLists,
    LaterIs,
    Least,
    Letters,
    Marker,
    Not,
    Role,
    Sum,
    Take,
    TextIs,
    Union,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mergers.rules.words.terms import Terms
    from payloads.rules import Column, Later, Test

    Node = Later | Test | Column | Error | Marker | DeleteTests

FLAG: Final = "_hoodie_is_deleted"


_HOW: Final = {
    How.JAVA: "",
    How.TEXT: ", compared as text ('10' is less than '9')",
    How.POSITION: ", compared as a position in MySQL's binlog: file number, then offset",
}
_AGAINST: Final = {
    Against.COLUMN: "",
    Against.COLUMN_OR_CARRIED: "{newer}, if it has none or no data, is compared by the ordering value it came with",
    Against.COLUMN_OF_DATA: "{newer}, if it has none or is a delete, is compared by the ordering value it came with",
    Against.CARRIED: "{newer} is compared by the ordering value it came with, and wins if that is of another type",
}
_DEFAULT: Final = {
    Default.EQUALS: "the default of the column, as Java's `equals` compares",
    Default.OBJECT: "the default of the column, and the same Java object",
    Default.VALUE: "the default of the column",
}
_LETTERS: Final = {
    Letters.ANY: "(upper or lower case)",
    Letters.UPPER: "in upper case",
    Letters.LOWER: "in lower case",
}
_FAULTS: Final = {
    ErrorKind.NULL_ORDERING: "an ordering value is null",
    ErrorKind.UNLIKE_TYPES: "the ordering values are of different types",
    ErrorKind.SCHEMA: "a column is missing, or its value does not fit",
    ErrorKind.FAILED: "the class needs data that is missing",
    ErrorKind.UNSUPPORTED: "the class does not support it",
}


ANY_TWO: Final = {LaterIs(Role.NEWER), LaterIs(Role.OLDER)}
"""One of these always holds; a rule that asks for either compares, and may fail."""


def say(node: Node, terms: Terms) -> str:  # noqa: C901, PLR0911, PLR0912 (one a node)
    """Say what a node means: a phrase for a version or a value, a clause for a test."""
    match node:
        case ByArrival():
            return f"{terms.newer}: ordering values play no part"
        case ByOrdering():
            unlike = f"; {terms.newer} if they are of different types" if node.unlike_wins else ""
            return f"the version with the {_greater(node)} ordering value{_ending(node, terms)}{unlike}"
        case ByColumn(names):
            columns = ", then ".join(map(terms.column, names))
            how = f"{_ending(node, terms)}{_of_columns(node, terms)}"
            return f"the version with the {_greater(node)} value in {columns}{how}"
        case Marker(column, text, ignore_case):
            either_case = " (upper or lower case)" if ignore_case else ""
            return f"{terms.column(column)} = {terms.value(text)}{either_case}"
        case DeleteTests(flag, marker, marked):
            marks = [f"{terms.column(FLAG)} = true"] * flag
            marks += [] if marker is None else [say(marker, terms)]
            tests = ["without data", *([f"with {' or '.join(marks)}"] * bool(marks))]
            tests += ["that Hudi read as a delete"] * marked
            return "a version " + ", or ".join(tests)
        case IsEmpty(role):
            return f"{terms.side(role)} is a delete without data"
        case IsDelete(role):
            return f"{terms.side(role)} is a delete"
        case IsNatural(role):
            return f"{terms.side(role)} has the ordering value 0 (none)"
        case IsUnordered(role):
            return f"{terms.side(role)} has null as its ordering value"
        case LaterIs(role):
            return f"{terms.side(role)} wins"
        case ColumnIs(role, column, value):
            return f"{terms.side(role)} has {terms.column(column)} = {terms.value(value)}"
        case TextIs(role, column, text, letters):
            return f"{terms.side(role)} has {terms.column(column)} = {terms.value(text)} {_LETTERS[letters]}"
        case IsListed(role, column, name):
            listed = "a name" if name is None else terms.value(name)
            return f"{terms.side(role)} has {listed} listed in {terms.column(column)}"
        case AllOf(tests):
            return _all_of(tests, terms)
        case AnyOf(tests):
            return _any_of(tests, terms)
        case Not(test):
            return _not(test, terms)
        case Take(role):
            return f"the value of {terms.side(role)}"
        case FirstNonNull(values):
            return _first(values, "null", terms)
        case FirstNonDefault(values, by):
            return _first(values, _DEFAULT[by], terms)
        case FirstNonMarker(values, marker):
            text = marker.decode("utf-8", "replace") if isinstance(marker, bytes) else marker
            return _first(values, f"{terms.value(text)}{' as bytes' * isinstance(marker, bytes)}", terms)
        case Least():
            return "the lesser of both values; if one is null, the other"
        case Greatest():
            return "the greater of both values; if one is null, the other"
        case Sum():
            return "the sum of both values; if one is null, the other"
        case Concat():
            return f"the elements of {terms.older}, then those of {terms.newer}; if one is null, the other"
        case Union():
            return f"the entries of both maps, those of {terms.newer} first; if one is null, the other"
        case JoinedLists():
            return "the names that either version lists, each once"
        case Constant(value):
            return f"always {terms.value(value)}"
        case IfElse(test, then, otherwise):
            return f"if {say(test, terms)}: {say(then, terms)}; else {say(otherwise, terms)}"
        case Error(fault):
            return f"the merge fails: {_FAULTS[fault]}"
        case other:
            assert_never(other)


# -- parts of sentences


def _greater(node: ByOrdering | ByColumn) -> str:
    return "lesser" if node.reverse else "greater"


def _ending(node: ByOrdering | ByColumn, terms: Terms) -> str:
    return f"{_HOW[node.how]}; {terms.side(node.tie)} on a tie"


def _of_columns(node: ByColumn, terms: Terms) -> str:
    more = [f"{terms.older} loses if it has none"]
    if node.against is not Against.COLUMN:
        more.append(_AGAINST[node.against].format(newer=terms.newer))
    if node.consistent:
        more.append("timestamps are compared in milliseconds")
    return "".join(f"; {text}" for text in more)


def _all_of(tests: Sequence[Test], terms: Terms) -> str:
    asked = [test for test in tests if not _is_any_two(test)]
    if not asked:
        return "whichever wins" if tests else "in any case"
    text = _joined(asked, "and", terms)
    return text if len(asked) == len(tests) else f"{text} (the versions are compared first)"


def _any_of(tests: Sequence[Test], terms: Terms) -> str:
    if _is_any_two(AnyOf(tuple(tests))):
        return "whichever wins"
    if not tests:
        return "in no case"
    either = "either version"
    of_older = {say(test, dataclasses.replace(terms, older=either)) for test in tests}
    of_newer = {say(test, dataclasses.replace(terms, newer=either)) for test in tests}
    common = [say(test, dataclasses.replace(terms, older=either)) for test in tests]
    twice = [text for text in common if text in of_older & of_newer and text.startswith(either)]
    if not twice or len(tests) == 1:
        return _joined(tests, "or", terms)
    rest = [test for test in tests if not ({*_in_both(test, terms, either)} & {*twice})]
    wins = f"{either} wins and "
    twice = [f"{terms.later} {text.removeprefix(wins)}" if text.startswith(wins) else text for text in twice]
    return ", or ".join([*twice, *([_joined(rest, "or", terms)] if rest else [])])


def _in_both(test: Test, terms: Terms, either: str) -> tuple[str, str]:
    return say(test, dataclasses.replace(terms, older=either)), say(test, dataclasses.replace(terms, newer=either))


def _is_any_two(test: Test) -> bool:
    return isinstance(test, AnyOf) and {*test.tests} == ANY_TWO


def _joined(tests: Sequence[Test], word: str, terms: Terms) -> str:
    """Join clauses; one about the version of the clause before does not name it again."""
    said: list[str] = []
    subject = None
    for test in tests:
        clause = say(test, terms)
        own = terms.side(test.role) if hasattr(test, "role") else None
        if isinstance(test, AnyOf) and len(test.tests) > 1 and len(tests) > 1:
            clause = f"({clause})"
        if own is not None and own == subject:
            clause = clause.removeprefix(f"{own} ")
        subject = own
        said.append(clause)
    comma = "," if word == "or" and any(isinstance(test, AllOf) for test in tests) else ""
    return f"{comma} {word} ".join(said)


_NOT: Final = {"is": "is not", "has": "does not have", "wins": "does not win"}


def _not(test: Test, terms: Terms) -> str:
    clause = say(test, terms)
    if not hasattr(test, "role"):
        return f"not ({clause})"
    subject = terms.side(test.role)
    verb, _, rest = clause.removeprefix(f"{subject} ").partition(" ")
    return f"{subject} {_NOT[verb]} {rest}".rstrip()


def _first(values: Sequence[Column], gap: str, terms: Terms) -> str:
    first, *others = (say(value, terms) for value in values)
    return "".join((first, *(f"; if that is {gap}, {other}" for other in others)))
