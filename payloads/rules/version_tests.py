"""The nodes of merge rules that test versions: data, marks of deletes, columns, and which version is later."""

from __future__ import annotations

from dataclasses import dataclass

from payloads.rules.node import RuleNode
from payloads.rules.words import Letters, Role


@dataclass(frozen=True, slots=True, repr=False)
class Marker(RuleNode):
    """A text in a column that marks a delete.

    Attributes:
        column: the column.
        text: the text of its value in Java.
        ignore_case: whether case is ignored, as by `String.equalsIgnoreCase`.
    """

    column: str
    text: str
    ignore_case: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class DeleteTests(RuleNode):
    """When a version is a delete: if any of these holds, or if it has no record.

    Attributes:
        flag: whether `_hoodie_is_deleted` is true.
        marker: a text in a column.
        marked: whether the version was marked as a delete when it was created.
    """

    flag: bool = False
    marker: Marker | None = None
    marked: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class IsEmpty(RuleNode):
    """The version has no record."""

    role: Role


@dataclass(frozen=True, slots=True, repr=False)
class IsDelete(RuleNode):
    """The version is a delete by the rule's `deletes`."""

    role: Role


@dataclass(frozen=True, slots=True, repr=False)
class IsNatural(RuleNode):
    """The ordering value of the version is Integer 0, Hudi's "no ordering value"."""

    role: Role


@dataclass(frozen=True, slots=True, repr=False)
class IsUnordered(RuleNode):
    """The ordering value of the version is null."""

    role: Role


@dataclass(frozen=True, slots=True, repr=False)
class LaterIs(RuleNode):
    """The later version is the older or the newer one."""

    role: Role


@dataclass(frozen=True, slots=True, repr=False)
class ColumnIs(RuleNode):
    """A column has this value, which may be null; without a record no column has a value."""

    role: Role
    column: str
    value: bool | int | str | bytes | None


@dataclass(frozen=True, slots=True, repr=False)
class TextIs(RuleNode):
    """A column has this text, ignoring case; null, and a column without a record, has none.

    Attributes:
        text: in upper case with `Letters.UPPER`, in lower case with `Letters.LOWER`.

    Added in 0.2.0.
    """

    role: Role
    column: str
    text: str
    letters: Letters = Letters.ANY


@dataclass(frozen=True, slots=True, repr=False)
class IsListed(RuleNode):
    """A text in a column lists a name, `name,other`; null and empty text list none.

    Attributes:
        name: the name; None: any.
        trims: whether blanks around names don't count, nor names without letters.

    Added in 0.2.0.
    """

    role: Role
    column: str
    name: str | None
    trims: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class AllOf(RuleNode):
    """All tests hold; evaluation stops at the first one that fails."""

    tests: tuple[Test, ...]


@dataclass(frozen=True, slots=True, repr=False)
class AnyOf(RuleNode):
    """One of the tests holds; evaluation stops at the first one that does."""

    tests: tuple[Test, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Not(RuleNode):
    """The test does not hold."""

    test: Test


Test = IsEmpty | IsDelete | IsNatural | IsUnordered | LaterIs | ColumnIs | TextIs | IsListed | AllOf | AnyOf | Not
