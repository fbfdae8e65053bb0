"""The nodes of merge rules, which describe the merge of two versions of one record as immutable data.

A version is a record or None, with an ordering value. The *older* version arrived first, the *newer* one after it; the
rule decides which of the two is the *later* one. The `repr` of a rule is the expression that builds it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from payloads.rules.columns import Columns
from payloads.rules.node import DATA, META_COLUMNS, RuleNode
from payloads.rules.version_tests import (
    DeleteTests,
    Marker,
    Test,
)
from payloads.rules.words import Against, Default, Effect, ErrorKind, How, Needs, Role

if TYPE_CHECKING:
    from collections.abc import Mapping

# -- which version is the later one


@dataclass(frozen=True, slots=True, repr=False)
class ByArrival(RuleNode):
    """The newer version."""


@dataclass(frozen=True, slots=True, repr=False)
class ByOrdering(RuleNode):
    """The version with the greater ordering value.

    Attributes:
        tie: the version that is later if both values are equal.
        reverse: whether the version with the lesser value is the later one.
        how: how the values are compared.
        unlike_wins: whether the newer version is later if the values have different Java classes; otherwise that is an
            error, like null.
    """

    tie: Role = Role.NEWER
    reverse: bool = False
    how: How = How.JAVA
    unlike_wins: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class ByColumn(RuleNode):
    """The version with the greater value in columns; if the older version has none, the newer one.

    Attributes:
        names: the columns, with dotted names if they are nested; several are compared as a list.
        against: which value of the newer version is compared.
        tie, reverse, how: as in `ByOrdering`.
        consistent: whether timestamps are cut to milliseconds.
        refuses_maps: whether a map is an error when it is read, rather than when it is compared.
    """

    names: tuple[str, ...]
    against: Against = Against.COLUMN
    tie: Role = Role.NEWER
    reverse: bool = False
    how: How = How.JAVA
    consistent: bool = False
    refuses_maps: bool = False


Later = ByArrival | ByOrdering | ByColumn


# -- values of columns


@dataclass(frozen=True, slots=True, repr=False)
class Take(RuleNode):
    """The value of one version."""

    role: Role


@dataclass(frozen=True, slots=True, repr=False)
class FirstNonNull(RuleNode):
    """The first value that is not null, else null."""

    values: tuple[Column, ...]


@dataclass(frozen=True, slots=True, repr=False)
class FirstNonDefault(RuleNode):
    """The first value that is not the default of the column, else the last one."""

    values: tuple[Column, ...]
    by: Default = Default.EQUALS


@dataclass(frozen=True, slots=True, repr=False)
class FirstNonMarker(RuleNode):
    """The first value that is not a marker, else the last one; null is no marker."""

    values: tuple[Column, ...]
    marker: str | bytes


@dataclass(frozen=True, slots=True, repr=False)
class Least(RuleNode):
    """The lesser value of both versions; if one is null, the other."""


@dataclass(frozen=True, slots=True, repr=False)
class Greatest(RuleNode):
    """The greater value of both versions; if one is null, the other."""


@dataclass(frozen=True, slots=True, repr=False)
class Sum(RuleNode):
    """The sum of both versions, in the width of the column; if one is null, the other."""


@dataclass(frozen=True, slots=True, repr=False)
class Concat(RuleNode):
    """The elements of the older version, then those of the newer one; if one is null, the other."""


@dataclass(frozen=True, slots=True, repr=False)
class Union(RuleNode):
    """The entries of both versions, those of the newer one first; if one is null, the other."""


@dataclass(frozen=True, slots=True, repr=False)
class JoinedLists(RuleNode):
    """The names that the texts of both versions list, `name,other`, each once; null if there is none.

    They are in the order in which a HashSet of Java has them.

    Attributes:
        trims: as in `IsListed`.

    Added in 0.2.0.
    """

    trims: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class Constant(RuleNode):
    """A value."""

    value: bool | int | float | str | bytes | None


@dataclass(frozen=True, slots=True, repr=False)
class IfElse(RuleNode):
    """One value if a test holds, otherwise another."""

    test: Test
    then: Column
    otherwise: Column


Column = (
    Take
    | FirstNonNull
    | FirstNonDefault
    | FirstNonMarker
    | Least
    | Greatest
    | Sum
    | Concat
    | Union
    | JoinedLists
    | Constant
    | IfElse
)


# -- the rule


@dataclass(frozen=True, slots=True, repr=False)
class Error(RuleNode):
    """The merge fails."""

    fault: ErrorKind


Gives = Effect | Error


@dataclass(frozen=True, slots=True, repr=False)
class Case(RuleNode):
    """The result of the merge if a test holds."""

    when: Test
    gives: Gives


_NO_DELETE = DeleteTests()
_OF_LATER = Columns({DATA: Take(Role.LATER)})


@dataclass(frozen=True, repr=False)
class MergeRule(RuleNode):
    """The result of merging two versions: that of the first case that holds, else `otherwise`.

    Attributes:
        later: which version is the later one.
        deletes: when a version is a delete.
        cases: tests in order, each with its result.
        otherwise: the result if no case holds; None: the later version, or a new record if `columns` takes other values
            than its own.
        columns: the values of a new record by column.
        conditions: conditions under which the rule applies; otherwise the class is called.
    """

    later: Later = ByArrival()
    deletes: DeleteTests = _NO_DELETE
    cases: tuple[Case, ...] = ()
    otherwise: Gives | None = None
    columns: Mapping[str, Column] = _OF_LATER
    conditions: tuple[Needs, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", Columns({**_OF_LATER, **self.columns}))

    @property
    def result(self) -> Gives:
        """The result if no case holds."""
        if self.otherwise is not None:
            return self.otherwise
        return Effect.WINNER if self.columns == _OF_LATER else Effect.NEW

    @property
    def yields(self) -> tuple[Gives, ...]:
        """All possible results: those of its cases in order, and that if none holds.

        Added in 0.2.0.
        """
        return (*(case.gives for case in self.cases), self.result)

    def column(self, name: str) -> Column:
        """Return the value of a column."""
        found: Column | None = self.columns.get(name)
        if found is None:
            return _OF_LATER[DATA] if name in META_COLUMNS else self.columns[DATA]
        return found


Node = Later | Test | Column | Error | Marker | DeleteTests | Case | MergeRule
