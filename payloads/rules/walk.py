"""Walking a rule: all nodes that it is made of, and the columns that they name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, overload

from payloads.backports import assert_never
from payloads.rules.node import IS_DELETED, RuleNode
from payloads.rules.nodes import (
    ByArrival,
    ByColumn,
    ByOrdering,
    Case,
    Concat,
    Constant,
    Error,
    FirstNonDefault,
    FirstNonMarker,
    FirstNonNull,
    Greatest,
    IfElse,
    JoinedLists,
    Least,
    MergeRule,
    Sum,
    Take,
    Union,
)
from payloads.rules.version_tests import (
    AllOf,
    AnyOf,
    ColumnIs,
    DeleteTests,
    IsDelete,
    IsEmpty,
    IsListed,
    IsNatural,
    IsUnordered,
    LaterIs,
    Marker,
    Not,
    TextIs,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from payloads.rules.nodes import Column, Node
    from payloads.rules.version_tests import Test


@overload
def nodes_of(*parts: Test) -> Iterator[Test]: ...
@overload
def nodes_of(*parts: Column) -> Iterator[Column | Test]: ...
@overload
def nodes_of(*parts: object) -> Iterator[Node]: ...
def nodes_of(*parts: object) -> Iterator[object]:
    """Give all nodes of parts of rules, each before those that it is made of; of another language's nodes, too.

    An interpreter that looks at each node by itself matches what this gives; the last case refuses what it lacks.

    Added in 0.2.0.
    """
    for part in parts:
        if isinstance(part, RuleNode):
            yield part
            yield from nodes_of(*part.parts)
        elif isinstance(part, Mapping):
            yield from nodes_of(*part.values())
        elif isinstance(part, tuple):
            yield from nodes_of(*part)


def columns_named(*parts: object) -> frozenset[str]:
    """Return the columns by which parts of a rule compare and test versions; of a nested field the one that has it.

    Added in 0.2.0.
    """
    found: set[str] = set()
    for node in nodes_of(*parts):
        match node:
            case ByColumn(names):
                found |= {name.partition(".")[0] for name in names}
            case Marker(column=name) | ColumnIs(column=name) | TextIs(column=name) | IsListed(column=name):
                found.add(name)
            case DeleteTests(flag=flag):
                found |= {IS_DELETED} if flag else set()
            case ByArrival() | ByOrdering() | IsEmpty() | IsDelete() | IsNatural() | IsUnordered() | LaterIs():
                pass
            case AllOf() | AnyOf() | Not() | Error() | Case() | MergeRule():
                pass
            case Take() | FirstNonNull() | FirstNonDefault() | FirstNonMarker() | Constant() | IfElse():
                pass
            case Least() | Greatest() | Sum() | Concat() | Union() | JoinedLists():
                pass
            case other:
                assert_never(other)
    return frozenset(found)
