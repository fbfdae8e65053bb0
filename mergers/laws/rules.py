"""The laws of merging, each with the id that users see, and the rule sets that group them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mergers.laws.core import (
    Act,
    After,
    Again,
    Before,
    Equation,
    Expr,
    Fitted,
    Law,
    Merge,
    Order,
    Other,
    Restored,
    RuleSet,
    Version,
    merged,
)
from mergers.laws.fold import bracketings, fold, fold_left
from payloads.arguments import checked
from payloads.errors import PayloadBridgeError, PayloadConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


def _associativity(*versions: Expr) -> Iterator[Equation]:
    *others, left = (fold(Merge, versions, bracketing) for bracketing in bracketings(len(versions)))
    return (Equation(left, other) for other in others)


def _action(row: Expr, *versions: Expr) -> Iterator[Equation]:
    yield Equation(fold_left(Act, (row, *versions)), Act(row, fold_left(Merge, versions)))


def _schedule_independence(row: Expr, *versions: Expr) -> Iterator[Equation]:
    everything = (row, *versions)
    *others, one_by_one = (fold(merged, everything, bracketing) for bracketing in bracketings(len(everything)))
    return (Equation(one_by_one, other) for other in others)


def _idempotence(a: Expr) -> Iterator[Equation]:
    yield Equation(Merge(a, a), a)


def _commutativity(a: Expr, b: Expr) -> Iterator[Equation]:
    yield Equation(Merge(a, b), Merge(b, a))


def _tombstone(delete: Expr, late: Expr) -> Iterator[Equation]:
    yield Equation(Merge(delete, late), delete)


def _purity(row: Expr, a: Expr, b: Expr) -> Iterator[Equation]:
    for call in (Merge(a, b), Act(row, a)):
        yield Equation(Before(call), After(call))


def _determinism(row: Expr, a: Expr, b: Expr) -> Iterator[Equation]:
    for call in (Merge(a, b), Act(row, a)):
        yield Equation(call, Again(call))


def _round_trip(row: Expr, a: Expr, b: Expr) -> Iterator[Equation]:
    batch = Merge(a, b)
    yield Equation(batch, Restored(batch))
    yield Equation(Act(row, batch), Act(row, Restored(batch)))


def _schema(row: Expr, a: Expr, b: Expr) -> Iterator[Equation]:
    for call in (Merge(a, b), Act(row, a)):
        yield Equation(call, Fitted(call))


def _agreement(row: Expr, a: Expr, b: Expr) -> Iterator[Equation]:
    for expr in (Merge(a, b), Act(row, a), Act(Act(row, a), b)):
        yield Equation(expr, Other(expr))


def _compared(versions: Sequence[Version], order: Order) -> int | None:
    """Compare the ordering values of two versions; None if Hudi can't."""
    left, right = versions
    try:
        return order(left.ordering, right.ordering)
    except PayloadBridgeError:
        return None


def _distinct(versions: Sequence[Version], order: Order) -> bool:
    return _compared(versions, order) not in {0, None}


def _late_after_delete(versions: Sequence[Version], order: Order) -> bool:
    delete, late = versions
    is_case = delete.is_delete and not late.is_delete
    return is_case and (_compared(versions, order) or 0) > 0


ASSOCIATIVITY: Final = Law(
    "associativity",
    "(a·b)·c = a·(b·c)",
    "how a batch is split does not matter",
    "the row depends on how Spark splits the batch and on where log files are merged with each other",
    _associativity,
    (3, 4),
)
ACTION: Final = Law(
    "action",
    "(s·a)·b = s·(a·b)",
    "writing versions one by one is writing the deduplicated batch",
    "the same rows give different results in one commit and in several",
    _action,
    (2, 3),
    has_row=True,
)
SCHEDULE_INDEPENDENCE: Final = Law(
    "schedule-independence",
    "((s·a)·b)·c = s·(a·(b·c)) = s·((a·b)·c) = (s·a)·(b·c) = (s·(a·b))·c",
    "commits, compactions and the table type do not matter",
    "a compaction between these two commits changes the row; copy-on-write and merge-on-read tables disagree",
    _schedule_independence,
    (2, 3),
    has_row=True,
)
IDEMPOTENCE: Final = Law(
    "idempotence",
    "a·a = a",
    "a version that is delivered twice counts once",
    "a retried batch changes the row",
    _idempotence,
    (1, 1),
)
COMMUTATIVITY: Final = Law(
    "commutativity",
    "a·b = b·a",
    "the order of arrival does not matter if the ordering values differ",
    "versions that arrive out of order give a different row",
    _commutativity,
    (2, 2),
    condition=_distinct,
)
TOMBSTONE: Final = Law(
    "tombstone",
    "d·a = d",
    "an older version does not bring back a row that the delete d, later by ordering value, has removed",
    "a row that was deleted comes back when an older version of it arrives late",
    _tombstone,
    (2, 2),
    condition=_late_after_delete,
    names="da",
    needs_delete=True,
)
PURITY: Final = Law(
    "purity",
    "the operands before a·b = the operands after a·b; the operands before s·a = the operands after s·a",
    "a merge does not change its operands",
    "merging a version again, as a retried task does, gives a different row",
    _purity,
    (2, 2),
    has_row=True,
)
DETERMINISM: Final = Law(
    "determinism",
    "a·b = a·b, again; s·a = s·a, again",
    "the same operands give the same result, in every run and in every process",
    "a retried task, or another executor, writes a different row from the same versions",
    _determinism,
    (2, 2),
    has_row=True,
)
ROUND_TRIP: Final = Law(
    "round-trip",
    "a·b = restored(a·b); s·(a·b) = s·restored(a·b)",
    "a merged version survives being written to a log and read back",
    "state that the merge keeps outside the record is lost once the version is spilled or logged",
    _round_trip,
    (2, 2),
    has_row=True,
)
SCHEMA: Final = Law(
    "schema",
    "a·b = a·b, as a record of the schema; s·a = s·a, as a record of the schema",
    "the result of a merge fits the schema",
    "the commit fails, or writes a file that readers reject",
    _schema,
    (2, 2),
    has_row=True,
)
AGREEMENT: Final = Law(
    "agreement",
    "a·b = a·b, by the other implementation; s·a = s·a, by the other implementation; "
    "(s·a)·b = (s·a)·b, by the other implementation",
    "both implementations give the same result, in a batch and with the stored row",
    "the row depends on which implementation or engine merges it",
    _agreement,
    (2, 2),
    has_row=True,
    needs_other=True,
)

SEMIGROUP: Final = RuleSet("semigroup", (ASSOCIATIVITY,))
"""Incoming versions can be combined in any bracketing."""
BAND: Final = RuleSet("band", (IDEMPOTENCE,), (SEMIGROUP,))
"""A semigroup in which repeated delivery is harmless."""
SEMILATTICE: Final = RuleSet("semilattice", (COMMUTATIVITY, TOMBSTONE), (BAND,))
"""A band in which the order of arrival does not matter either: what event-time ordering promises."""
STORAGE: Final = RuleSet("storage", (ACTION, SCHEDULE_INDEPENDENCE), (SEMIGROUP,))
"""A semigroup that acts on the stored row: the result does not depend on the path."""
SOUNDNESS: Final = RuleSet("soundness", (PURITY, DETERMINISM, ROUND_TRIP, SCHEMA))
"""What every merge function must satisfy before its algebra means anything."""
IMPLEMENTATIONS: Final = RuleSet("implementations", (AGREEMENT,))
"""What two implementations of one rule must have in common."""
ALL: Final = RuleSet("all", (), (SEMIGROUP, STORAGE, SEMILATTICE, SOUNDNESS, IMPLEMENTATIONS))
"""Every law."""

RULE_SETS: Final = {
    rules.name: rules for rules in (SEMIGROUP, BAND, SEMILATTICE, STORAGE, SOUNDNESS, IMPLEMENTATIONS, ALL)
}


@checked
def laws_named(names: Iterable[str | Law | RuleSet] | None) -> tuple[Law, ...]:
    """Return laws by id or by the name of a rule set, each once; None for all of them.

    Raises:
        PayloadConfigError: nothing has this name, or there is none: a report without laws would be all right.
    """
    by_id = {law.id: law for law in ALL.laws}
    found: list[Law] = []
    for name in ("all",) if names is None else names:
        if isinstance(name, Law):
            found.append(name)
        elif isinstance(name, RuleSet):
            found += name.laws
        elif name in by_id:
            found.append(by_id[name])
        elif name in RULE_SETS:
            found += RULE_SETS[name].laws
        else:
            msg = f"unknown law {name!r}; laws: {', '.join(by_id)}; rule sets: {', '.join(RULE_SETS)}"
            raise PayloadConfigError(msg)
    if not found:
        msg = f"no law is named; name one of {', '.join(by_id)}, or leave out `laws` for all"
        raise PayloadConfigError(msg)
    return tuple(dict.fromkeys(found))
