"""What rules ask of the columns of a version, and what stands in the way of a proof: the table of nodes."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from payloads.avro import default_value
from payloads.backports import assert_never
from payloads.builtin import IS_DELETED
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
    Effect,
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
    Not,
    Role,
    Sum,
    Take,
    TextIs,
    Union,
    is_spelled,
    nodes_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from payloads.avro import AvroSchema, Field
    from payloads.rules import Column, DeleteTests, Later, MergeRule, Test

ORDERED: Final = frozenset({"boolean", "int", "long", "float", "double", "string", "bytes", "fixed", "enum"})
"""The types whose values have one order, in which equal values are the same."""
WRAPPING: Final = frozenset({"int", "long"})
"""The types whose sums do not depend on the bracketing: addition wraps around."""
_WITH_DEFAULTS: Final = frozenset({"boolean", "int", "long", "string", "bytes", "fixed", "enum"})
"""The types of which a single value equals a default: a number with a point has two zeros."""
MAKES: Final = frozenset({Effect.NEW, Effect.FILLED, Effect.CHANGED, Effect.EDITED})
"""The effects that make a record column by column."""
_WHOLE: Final = Take(Role.LATER)


@dataclasses.dataclass
class AskedColumn:
    """What rules ask of a column.

    Attributes:
        is_tested: whether anything but its own value depends on it.
        is_compared: whether its values compare.
        is_added: whether they add up.
        is_joined: whether they are joined.
        constants: the values other than null that it is compared with.
        marks: the texts that mark a delete.
    """

    is_tested: bool = False
    is_compared: bool = False
    is_added: bool = False
    is_joined: bool = False
    constants: list[object] = dataclasses.field(default_factory=list)
    marks: list[str] = dataclasses.field(default_factory=list)

    @property
    def ways(self) -> int:
        """In how many ways values are looked at; in more than one a few values can't stand for all."""
        return self.is_compared + self.is_added + self.is_joined + bool(self.constants or self.marks)


class Asked:
    """What rules ask of versions.

    Attributes:
        columns: the columns that they ask for, by name.
        obstacles: why a few values can't stand for all, in words.
        carries: whether the ordering value that a version carries matters.
        makes: whether records are made column by column.
    """

    def __init__(
        self, schema: AvroSchema, fields: tuple[str, ...], rules: Iterable[MergeRule], *, merges_once: bool
    ) -> None:
        """Read rules.

        Args:
            schema: that of the records.
            fields: the ordering fields.
            rules: those of all points that a law is about.
            merges_once: whether both sides of the law merge at most once.
        """
        self._schema = schema
        self._fields = fields
        self._merges_once = merges_once
        self.columns: dict[str, AskedColumn] = {}
        self.obstacles: list[str] = []
        self.carries = self.makes = False
        for rule in rules:
            self._rule(rule)
        self._fields_compare()
        for name, column in self.columns.items():
            if column.ways > 1:
                self._obstacle(f"`{name}` is tested in several ways")

    def _obstacle(self, why: str) -> None:
        if why not in self.obstacles:
            self.obstacles.append(why)

    def _column(self, name: str, *, tested: bool = False) -> AskedColumn:
        found = self.columns.setdefault(name, AskedColumn())
        found.is_tested |= tested
        return found

    def _fields_compare(self) -> None:
        """Note that an ordering field says what a version carries."""
        if len(self._fields) > 1 or "." in "".join(self._fields):
            self._obstacle("the ordering value has several or nested fields")
        for name in {name.partition(".")[0] for name in self._fields}:
            self._column(name, tested=True).is_compared = True
            if self.carries:
                self.ordered(name)

    # -- rules

    def _rule(self, rule: MergeRule) -> None:
        self.later(rule.later)
        for test in nodes_of(*(case.when for case in rule.cases)):
            self.test(test)
        self.deletes(rule.deletes)
        if MAKES.isdisjoint(rule.yields):
            return
        self.makes = True
        for field in self._schema.fields:
            node = rule.column(field.name)
            for one in nodes_of(node):
                self.value(one, field)
            if Effect.FILLED in rule.yields and not _keeps_what_is_no_gap(node):
                self._obstacle(f"whether `{field.name}` is made depends on gaps in other columns")

    def later(self, later: Later) -> None:
        """Note what decides which version is later.

        Texts compare in another order than the values that they stand for, and a position that can't be read fails
        with some positions only. Of several fields a null fails only where those before it are equal.
        """
        match later:
            case ByArrival():
                pass
            case ByOrdering(how=how):
                self.carries = True
                self._how(how)
            case ByColumn(names, against=against, how=how, consistent=consistent):
                self.carries = True
                self._how(how)
                if against is not Against.COLUMN and names != self._fields:
                    self._obstacle("columns are compared with the ordering value, which is read from others")
                if consistent:
                    self._obstacle("timestamps are truncated, so different ones are equal")
                if len(names) > 1 or "." in names[0]:
                    self._obstacle("several or nested columns are compared")
                for name in names:
                    head = name.partition(".")[0]
                    self.ordered(head)
                    self._column(head, tested=True).is_compared = True
            case other:
                assert_never(other)

    def _how(self, how: How) -> None:
        match how:
            case How.JAVA:
                pass
            case How.TEXT:
                self._obstacle("ordering values compare as texts")
            case How.POSITION:
                self._obstacle("ordering values are text, which may not be positions")
            case other:
                assert_never(other)

    def ordered(self, name: str) -> None:
        """Note that values of a column compare."""
        kind = self._schema.by_name[name].schema.non_null
        if kind.kind not in ORDERED or kind.logical == "decimal":
            self._obstacle(f"`{name}` has a type whose values don't compare one by one")

    def deletes(self, tests: DeleteTests) -> None:
        """Note the tests for deletes."""
        if tests.flag and IS_DELETED in self._schema.by_name:
            self._column(IS_DELETED, tested=True).constants.append(True)
        if tests.marker is not None:
            name = tests.marker.column
            letters = Letters.ANY if tests.marker.ignore_case else None
            self._column(name, tested=True).marks += _spellings(tests.marker.text, letters)
            if self._schema.by_name[name].schema.non_null.kind != "string":
                self._obstacle(f"`{name}` marks deletes and is not text")

    def test(self, test: Test) -> None:
        """Note what a test looks at; those that it is made of are noted by themselves."""
        match test:
            case ColumnIs(column=name, value=value):
                found = self._column(name, tested=True)
                if value is not None:
                    found.constants.append(value)
            case TextIs(column=name, text=text, letters=letters):
                self._column(name, tested=True).marks += _spellings(text, letters)
            case IsListed(column=name):
                self._column(name, tested=True)
                self._obstacle(f"`{name}` lists the columns that count")
            case IsNatural() | IsUnordered():
                self.carries = True
            case IsEmpty() | IsDelete() | LaterIs() | AllOf() | AnyOf() | Not():
                pass
            case other:
                assert_never(other)

    # -- values of columns

    def value(self, node: Column | Test, field: Field) -> None:
        """Note what the value of a column depends on, at one of its nodes."""
        match node:
            case Take() | IfElse():
                pass
            case FirstNonNull() | FirstNonDefault() | FirstNonMarker():
                self._gap(node, field)
            case Least() | Greatest():
                self.ordered(field.name)
                self._column(field.name).is_compared = True
            case Sum():
                self._column(field.name).is_added = True
                if field.schema.non_null.kind not in WRAPPING and not self._merges_once:
                    self._obstacle(f"`{field.name}` adds numbers that are rounded")
            case Concat() | Union():
                self._column(field.name).is_joined = True
            case JoinedLists():
                self._obstacle(f"`{field.name}` joins lists of names")
            case Constant(value):
                if value is not None:
                    self._column(field.name).constants.append(value)
            case test:
                self.test(test)

    def _gap(self, node: FirstNonNull | FirstNonDefault | FirstNonMarker, field: Field) -> None:
        match node:
            case FirstNonNull():
                pass
            case FirstNonMarker(marker=marker):
                self._column(field.name).constants.append(marker)
            case FirstNonDefault():
                if not field.has_default or field.default is None:
                    return  # null is the gap
                if field.schema.ambiguous or field.schema.non_null.kind not in _WITH_DEFAULTS:
                    self._obstacle(f"several values of `{field.name}` may equal its default")
                    return
                self._column(field.name).constants.append(default_value(field.schema, field.default))
            case other:
                assert_never(other)


def _spellings(text: str, letters: Letters | None) -> list[str]:
    """Return spellings of a text for which a test holds, itself first; `letters`: None for this text alone."""
    others = () if letters is None else (text.lower(), text.upper(), text.swapcase(), text.capitalize())
    return list(dict.fromkeys((text, *(one for one in others if letters and is_spelled(one, text, letters)))))


def _keeps_what_is_no_gap(node: Column) -> bool:
    """Whether a column keeps the later version's value unless that is a gap."""
    match node:
        case FirstNonNull(values) | FirstNonDefault(values) | FirstNonMarker(values):
            return values[0] == _WHOLE
        case Take():
            return node == _WHOLE
        case _:
            return True  # it always counts as a gap
