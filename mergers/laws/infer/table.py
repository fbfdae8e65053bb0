"""Questions with their answers, and what the parts of the language give for them, each computed once."""

from __future__ import annotations

import functools
import itertools
import operator
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mergers.laws.infer.columns import NEWER, OLDER, ORDERED, by_later, candidates, turned
from mergers.laws.infer.decisions import Choice, Tested, mask
from mergers.laws.infer.spelled import spelled
from mergers.laws.infer.tidy import is_word
from payloads.errors import PayloadBridgeError
from payloads.ordering import compare, ordering_text
from payloads.ordering_fields import list_reader
from payloads.records import VersionPair, column_value, compare_positions, error_kind_of
from payloads.rules import (
    AnyOf,
    ByArrival,
    ByColumn,
    ByOrdering,
    ColumnIs,
    Effect,
    Error,
    ErrorKind,
    How,
    IsEmpty,
    LaterIs,
    MergeRule,
    Point,
    Role,
    Take,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mergers.laws.infer.questions import Answer, Question
    from payloads.avro import AvroSchema, Field
    from payloads.ordering import Ordering
    from payloads.rules import Column, Later, Test

_MOST_PAIRED: Final = 6
_MOST_VALUES: Final = 16
"""How many values of a column are tried in tests and as constants."""
_MISSING: Final = -2
_TEXTS: Final = frozenset({"string", "utf8"})
_POSITION: Final = re.compile(r"\d+\.\d+")


class Comparison(NamedTuple):
    """A way to say which version is later.

    Attributes:
        later: the way.
        newer: the rows for which the newer version is later.
        older: those for which the older one is.
        failing: those for which the comparison fails, by what fails.
    """

    later: Later
    newer: int
    older: int
    failing: dict[ErrorKind, int]


class Table:
    """Questions and answers about a schema at a merge point; a row is a bit of an integer.

    Attributes:
        rows: all rows.
        made: the rows that yield data from two versions with data.
    """

    def __init__(
        self, schema: AvroSchema, point: Point, asked: Sequence[tuple[Question, Answer]], constants: Iterable[object]
    ) -> None:
        """Take what was asked, and the values that the class may compare with."""
        self.schema, self.point, self.asked = schema, point, asked
        self._constants = tuple(constants)
        self._own = dict.fromkeys(map(shown, self._constants))
        self.rows = (1 << len(asked)) - 1
        self._pairs = [VersionPair(MergeRule(), older, newer, schema) for (older, newer), _ in asked]
        self.made = self._where(
            lambda question, answer: (
                answer.is_row and question.newer.record is not None and question.older.record is not None
            )
        )

    def _where(self, holds: Callable[[Question, Answer], bool]) -> int:
        return mask(holds(question, answer) for question, answer in self.asked)

    # -- whole versions

    @functools.cached_property
    def wholes(self) -> dict[Effect | Error, int]:
        """For each outcome that makes no record, the rows for which it is right."""
        found: dict[Effect | Error, int] = {
            Effect.INCOMING: self._where(
                lambda question, answer: (
                    answer.error is None
                    and answer.is_newer
                    and (self.point is Point.BATCH or question.newer.record is not None)
                )
            ),
            Effect.CURRENT: self._where(lambda _, answer: answer.error is None and answer.is_older),
        }
        if self.point is Point.ALONE:
            del found[Effect.CURRENT]
        if self.point is not Point.BATCH:
            found[Effect.DELETE] = self._where(lambda _, answer: answer.error is None and answer.record is None)
        for kind in ErrorKind:
            failed = mask(answer.error is not None and fault(answer.error) is kind for _, answer in self.asked)
            if failed:
                found[Error(kind)] = failed
        return found

    # -- tests

    @functools.cached_property
    def tests(self) -> list[Tested]:
        """The tests that compare no two values, the simplest first."""
        sides = (NEWER,) if self.point is Point.ALONE else (NEWER, OLDER)
        found = [self._tested(IsEmpty(side)) for side in (sides if self.point is Point.BATCH else (NEWER,))]
        for side in sides:
            for field in self.schema.fields:
                values = self._values(field.name, side)
                found += [
                    Tested(ColumnIs(side, field.name, value), holds, self.rows & ~holds) for value, holds in values
                ]
                blank = [value for value, _ in values if not value] if field.schema.nullable else []
                if len(blank) > 1:
                    test = AnyOf(tuple(ColumnIs(side, field.name, value) for value in blank))
                    holds = functools.reduce(operator.or_, (one for value, one in values if value in blank))
                    found.append(Tested(test, holds, self.rows & ~holds))
                if field.schema.non_null.kind == "string":
                    records = [question[0 if side is OLDER else 1].record for question, _ in self.asked]
                    own = [None if one is None else one[field.name] for one in records]
                    found += spelled(own, filter(is_word, self._constants), side, field.name)
        return found

    def _is_named(self, value: object) -> bool:
        """Whether a class may name a value: its code has it, or it is null, empty or a truth value."""
        if value is None or isinstance(value, bool):
            return True
        return isinstance(value, int | float | str | bytes) and (not value or shown(value) in self._own)

    def _tested(self, test: Test) -> Tested:
        holds = mask(pair.holds(test) for pair in self._pairs)
        return Tested(test, holds, self.rows & ~holds)

    def _values(self, name: str, side: Role) -> list[tuple[Any, int]]:
        """Return the values of a column that a test may name, with their rows: null, empty ones, those of the class.

        Any other value would only tell apart the pairs that happen to be asked.
        """
        index = 0 if side is OLDER else 1
        values: dict[str, object] = {}
        texts: list[str | None] = []
        for question, _ in self.asked:
            record = question[index].record
            value = None if record is None else record[name]
            is_told = record is not None and self._is_named(value) and not isinstance(value, float)
            text = f"{type(value)} {value!r}" if is_told else None
            texts.append(text)
            if text is not None:
                values.setdefault(text, value)
        places = {text: place for place, text in enumerate(self._own)}
        order = sorted(values, key=lambda text: (values[text] is not None, places.get(shown(values[text]), -1)))
        return [(values[text], mask(one == text for one in texts)) for text in order[:_MOST_VALUES]]

    # -- comparisons

    @functools.cached_property
    def comparisons(self) -> list[Comparison]:
        """The ways to say which version is later, that of arrival first; of equal ones the first."""
        found = [Comparison(ByArrival(), self.rows, 0, {})]
        if self.point is not Point.ALONE:
            if self.point is Point.BATCH:
                found += self._ways(ByOrdering, [(older.ordering, newer.ordering) for (older, newer), _ in self.asked])
            for names in self._compared():
                read = list_reader(self.schema, names)
                values = [
                    tuple(None if one.record is None else _read(read, one.record) for one in question)
                    for question, _ in self.asked
                ]
                found += self._ways(functools.partial(ByColumn, names), values)
        distinct: dict[tuple[int, int], Comparison] = {}
        for one in found:
            distinct.setdefault((one.newer, one.older), one)
        return [*distinct.values()]

    def _compared(self) -> Iterator[tuple[str, ...]]:
        """Give the columns that may say which version is later, and pairs of those that have no nulls."""
        ordered = [field for field in self.schema.fields if field.schema.non_null.kind in ORDERED]
        varied = [field for field in ordered if self._varies(field.name)]
        yield from ((field.name,) for field in varied)
        never_null = [field.name for field in varied if not field.schema.nullable]
        yield from itertools.permutations(never_null[:_MOST_PAIRED], 2)

    def _ways(self, made: Callable[..., Later], values: Sequence[Sequence[Ordering | None]]) -> Iterator[Comparison]:
        """Give the ways in which pairs of values compare: as Java does, and as positions where all of them are some."""
        yield from _comparisons(made, [self._order(older, newer, compare) for older, newer in values])
        told = [one for pair in values for one in pair if one is not None and not one.is_default]
        if told and all(one.java_type in _TEXTS and _POSITION.fullmatch(ordering_text(one)) for one in told):
            orders = [self._order(older, newer, _positions) for older, newer in values]
            yield from _comparisons(functools.partial(made, how=How.POSITION), orders)

    def _varies(self, name: str) -> bool:
        seen = {repr(question.newer.record[name]) for question, _ in self.asked if question.newer.record is not None}
        return len(seen) > 1

    def _order(
        self, older: Ordering | None, newer: Ordering | None, compared: Callable[[Ordering, Ordering], int]
    ) -> int | ErrorKind:
        """Return how two values compare, or why they don't; a missing older one is the lesser."""
        if older is None:
            return _MISSING
        if newer is None:
            return ErrorKind.NULL_ORDERING
        try:
            return compared(older, newer)
        except PayloadBridgeError as error:
            return fault(error)

    def decides(self, one: Comparison) -> list[Tested]:
        """Return the test of a comparison."""
        return [] if isinstance(one.later, ByArrival) else [Tested(LaterIs(OLDER), one.older, one.newer)]

    # -- columns

    def nodes(self, field: Field, by: Comparison) -> list[Choice]:
        """Return the values that a column may take without a test, the simplest first."""
        plain = self._plain(field)
        if isinstance(by.later, ByArrival):
            return [Choice(node, right) for node, (right, _) in plain.items()]
        found = [Choice(node, right) for node, (right, _) in plain.items() if isinstance(node, Take)]
        relative = []
        for node, (right, other) in plain.items():
            said = by_later(node)
            if said is not None and other is not None:
                relative.append(Choice(said, (by.newer & right) | (by.older & other)))
        rest = [Choice(node, right) for node, (right, _) in plain.items() if not isinstance(node, Take)]
        return [*relative[:1], *found, *relative[1:], *rest]

    @functools.cache  # noqa: B019 (a table is short-lived)
    def _plain(self, field: Field) -> dict[Column, tuple[int, int | None]]:
        """Return the nodes of a column with the rows they are right for, and with both versions exchanged."""
        alike = self._alike(field)
        found: dict[Column, tuple[int, int | None]] = {}
        for node in candidates(field, self._constants, self._results(field)):
            other = turned(node)
            found[node] = (_right(node, field, alike), None if other is None else _right(other, field, alike))
        return found

    def _alike(self, field: Field) -> list[tuple[VersionPair, str, int]]:
        """Return, for each rows alike in a column, on both sides and in the answer: one of them, its answer, and all.

        What a node without a test gives depends on these values alone, so it is computed once for all of them.
        """
        name = field.name
        found: dict[tuple[str, ...], tuple[VersionPair, list[int]]] = {}
        for at, (pair, ((older, newer), answer)) in enumerate(zip(self._pairs, self.asked, strict=True)):
            if answer.record is not None and name in answer.record and (self.made >> at) & 1:
                values = (answer.record[name], (older.record or {}).get(name), (newer.record or {}).get(name))
                found.setdefault(tuple(map(shown, values)), (pair, []))[1].append(at)
        return [(pair, text, sum(1 << at for at in rows)) for (text, *_), (pair, rows) in found.items()]

    def _results(self, field: Field) -> list[object]:
        """Return values that neither version has, which the class may put there itself."""
        found: dict[str, object] = {}
        for (older, newer), answer in self.asked:
            if answer.record is None or older.record is None or newer.record is None:
                continue
            value = answer.record.get(field.name)
            own = (older.record.get(field.name), newer.record.get(field.name))
            if self._is_named(value) and all(shown(one) != shown(value) for one in own):
                found.setdefault(shown(value), value)
        return [*itertools.islice(found.values(), _MOST_VALUES)]


def shown(value: object) -> str:
    """Return what is equal for values that are: by type, and maps in any order."""
    return repr(_sorted(value))


def _sorted(value: object) -> object:
    if isinstance(value, dict):
        return {name: _sorted(value[name]) for name in sorted(value)}
    return [_sorted(one) for one in value] if isinstance(value, list) else value


def _right(node: Column, field: Field, alike: Iterable[tuple[VersionPair, str, int]]) -> int:
    """Return the rows for which a node gives the answer."""
    return functools.reduce(operator.or_, (rows for pair, text, rows in alike if _given(node, pair, field) == text), 0)


def _given(node: Column, pair: VersionPair, field: Field) -> str | None:
    try:
        return shown(column_value(node, pair, field))
    except (PayloadBridgeError, TypeError, ValueError, OverflowError):
        return None


def _positions(older: Ordering, newer: Ordering) -> int:
    order = compare_positions(ordering_text(older), ordering_text(newer))
    return (order > 0) - (order < 0)


def _read(read: Callable[[Any], Ordering | None], record: object) -> Ordering | None:
    try:
        return read(record)
    except PayloadBridgeError:
        return None


def fault(error: Exception) -> ErrorKind:
    """Return what an error is about; that of a user's code is that it failed."""
    try:
        return error_kind_of(error)
    except StopIteration:
        return ErrorKind.FAILED


def _comparisons(made: Callable[..., Later], orders: Sequence[int | ErrorKind]) -> Iterator[Comparison]:
    missing = mask(one == _MISSING for one in orders)
    failing = {kind: mask(one is kind for one in orders) for kind in set(orders) if isinstance(kind, ErrorKind)}
    less, equal, greater = (mask(one == sign for one in orders) for sign in (-1, 0, 1))
    for reverse, tie in itertools.product((False, True), (NEWER, OLDER)):
        first, last = (greater, less) if reverse else (less, greater)
        ties = equal if tie is NEWER else 0
        yield Comparison(made(tie=tie, reverse=reverse), first | ties | missing, last | (equal & ~ties), failing)
