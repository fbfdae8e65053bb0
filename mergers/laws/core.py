"""What a law is: expressions over versions, equations of two such sides, and laws that give equations for operands.

Nothing here merges: an expression is plain data, which `mergers.laws.evaluate` gives a value, one that a payload
computes or one of another engine. So a law is stated once, and a counterexample prints its two sides.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from payloads.ordering import NATURAL_ORDER, Ordering

if TYPE_CHECKING:
    from payloads.avro import Record


class Domain(enum.Enum):
    """Which versions a law is checked on; each contains `data`."""

    DATA = "data"
    FLAGGED = "flagged"
    EMPTY = "empty"


class Version(NamedTuple):
    """One incoming version, as data: what a payload or a carrier is built from.

    Attributes:
        record: the record; None for a delete that carries no record.
        ordering: its ordering value.
        is_delete: whether it is one of the domain's deletes, in whatever form.
    """

    record: Record | None
    ordering: Ordering = NATURAL_ORDER
    is_delete: bool = False


class Operands(NamedTuple):
    """What a law is about: the stored row (None: there is none) and the incoming versions, oldest first."""

    row: Record | None
    versions: tuple[Version, ...]


# -- expressions


class Expr:
    """A side of an equation, or a part of one."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Incoming(Expr):
    """The incoming version at a position."""

    position: int


@dataclass(frozen=True, slots=True)
class Row(Expr):
    """The stored row, which may be absent."""


@dataclass(frozen=True, slots=True)
class Merge(Expr):
    """Two incoming versions merged: `newer.pre_combine(older)`, or `merge` of two incoming records."""

    older: Expr
    newer: Expr


@dataclass(frozen=True, slots=True)
class Act(Expr):
    """An incoming version applied to the stored row, or inserted if there is none."""

    row: Expr
    newer: Expr


@dataclass(frozen=True, slots=True)
class Again(Expr):
    """The same expression once more, on fresh copies whose fields and map entries come in another order."""

    expr: Expr


@dataclass(frozen=True, slots=True)
class Restored(Expr):
    """A merged version as read back from a log, which keeps its record and ordering value only."""

    expr: Expr


@dataclass(frozen=True, slots=True)
class Before(Expr):
    """The operands of a merge before it runs."""

    expr: Merge | Act


@dataclass(frozen=True, slots=True)
class After(Expr):
    """The operands of a merge after it has run."""

    expr: Merge | Act


@dataclass(frozen=True, slots=True)
class Fitted(Expr):
    """A result as a record of the schema; an error where it does not fit."""

    expr: Expr


@dataclass(frozen=True, slots=True)
class Other(Expr):
    """The same expression, evaluated by the second implementation."""

    expr: Expr


def is_row(expr: Expr) -> bool:
    """Whether an expression denotes a stored row, not an incoming version."""
    return isinstance(expr, Row | Act)


def merged(older: Expr, newer: Expr) -> Expr:
    """Merge two parts of a schedule: act where the older one is stored, else combine."""
    return Act(older, newer) if is_row(older) else Merge(older, newer)


NAMES = "abcdefgh"
"""The names of incoming versions, oldest first."""


def mentions_row(expr: Expr) -> bool:
    """Whether an expression mentions the stored row."""
    match expr:
        case Row() | Act():
            return True
        case Incoming() | Merge():
            return False
        case _:
            return mentions_row(expr.expr)  # type: ignore[attr-defined]  # every other one has a part


def text(expr: Expr, names: str = NAMES) -> str:  # noqa: PLR0911 (one a kind)
    """Write an expression as `(s·a)·b`: `s` is the stored row, the letters are the incoming versions."""
    match expr:
        case Incoming(position):
            return names[position]
        case Row():
            return "s"
        case Merge(older, newer) | Act(older, newer):
            return f"{_part(older, names)}·{_part(newer, names)}"
        case Again(inner):
            return f"{text(inner, names)}, again"
        case Restored(inner):
            return f"restored({text(inner, names)})"
        case Before(inner):
            return f"the operands before {text(inner, names)}"
        case After(inner):
            return f"the operands after {text(inner, names)}"
        case Fitted(inner):
            return f"{text(inner, names)}, as a record of the schema"
        case Other(inner):
            return f"{text(inner, names)}, by the other implementation"
        case _:
            msg = f"{expr!r} is not an expression"
            raise TypeError(msg)


def _part(expr: Expr, names: str) -> str:
    inner = text(expr, names)
    return f"({inner})" if isinstance(expr, Merge | Act) else inner


# -- equations and laws


class Equation(NamedTuple):
    """Two sides that a law says are equal."""

    left: Expr
    right: Expr


Order = Callable[[Ordering, Ordering], int]
"""Compares ordering values as the subject does: positive if the first one is later."""
Condition = Callable[[tuple[Version, ...], Order], bool]
"""Whether a law applies to these versions."""


@dataclass(frozen=True, slots=True)
class Law:
    """A named pure function of operands.

    Attributes:
        id: the name in the command line, in JSON and in reports.
        equation: the law in one line, for the fewest versions that show it.
        reading: what the equation says about writes, in words.
        meaning: what a violation means for a table.
        equations: takes the stored row, if the law has one, and the incoming versions, all as expressions.
        sizes: how many incoming versions it takes, from and to.
        has_row: whether it is about a stored row.
        condition: what the incoming versions must fulfil.
        names: what the equation calls the incoming versions, oldest first.
        needs_delete: whether it is about deletes, so that it does not apply in the domain `data`.
        needs_other: whether it compares with a second implementation.
    """

    id: str
    equation: str
    reading: str
    meaning: str
    equations: Callable[..., Iterator[Equation]]
    sizes: tuple[int, int]
    has_row: bool = False
    condition: Condition | None = None
    names: str = NAMES
    needs_delete: bool = False
    needs_other: bool = False

    @property
    def statement(self) -> str:
        """The equation, and what it says about writes."""
        return f"{self.equation}: {self.reading}"

    def stated(self, size: int) -> tuple[Equation, ...]:
        """Return the equations for `size` incoming versions."""
        operands: tuple[Expr, ...] = tuple(Incoming(position) for position in range(size))
        return tuple(self.equations(*((Row(),) if self.has_row else ()), *operands))

    def applies(self, versions: tuple[Version, ...], order: Order) -> bool:
        """Whether the law applies to these versions."""
        return self.condition is None or self.condition(versions, order)


@dataclass(frozen=True, slots=True)
class RuleSet:
    """A named group of laws; it contains those of its parents, each once."""

    name: str
    own: tuple[Law, ...]
    parents: tuple[RuleSet, ...] = ()

    @property
    def laws(self) -> tuple[Law, ...]:
        """The laws of the parents, then its own."""
        inherited = (law for parent in self.parents for law in parent.laws)
        return tuple(dict.fromkeys((*inherited, *self.own)))
