"""What a class is asked: pairs of versions of one key, and what it makes of them at a merge point."""

from __future__ import annotations

import itertools
import random
import string
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mergers.laws import Failed, Version
from mergers.laws.equality import same_answer
from mergers.laws.infer.tidy import in_other_letters
from mergers.laws.pools import each_once, pool
from mergers.laws.universe import delete_forms
from payloads.builtin import UNAVAILABLE
from payloads.ordering import NATURAL_ORDER
from payloads.ordering_fields import list_reader
from payloads.records import RuleVersion
from payloads.rules import Point

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mergers.laws.evaluate import Evaluator
    from mergers.laws.universe import RecordSpec
    from payloads.avro import Record
    from payloads.ordering import Ordering

_EQUAL, _NULL, _NAMED, _FRESH, _FIRST = 0.2, 0.2, 0.4, 0.1, 0.5
_DENSE, _NAMED_IN_DENSE = 0.3, 0.8
"""How many pairs have what the code names in most columns: a test may look at several at once."""
_MOST_NAMED: Final = 10
_LETTERS: Final = string.ascii_letters + string.digits + " -_."
_WITHOUT_DATA: Final = 0.02
_MOST_OF_ONE: Final = 7
_POSITIONS: Final = ("1.9", "1.10", "2.1", "10.1", "2.10")
"""Positions in MySQL's binary log, which compare otherwise as texts."""


class Question(NamedTuple):
    """Two versions of one key; the older one is the stored row at Point.STORED, and nothing at Point.ALONE."""

    older: RuleVersion
    newer: RuleVersion


class Answer(NamedTuple):
    """What a class makes of two versions.

    Attributes:
        record: the data that it yields; None for none.
        ordering: the ordering value that a version in a batch carries then.
        is_delete: whether it yields a delete.
        is_older: whether that is the older version, by value.
        is_newer: whether it is the newer one.
        error: what it raised instead.
    """

    record: Record | None
    ordering: Ordering | None
    is_delete: bool
    is_older: bool
    is_newer: bool
    error: Exception | None = None

    @property
    def is_row(self) -> bool:
        """Whether it is data."""
        return self.error is None and self.record is not None and not self.is_delete


class Asked:
    """A class that answers at one merge point; each question is asked once."""

    def __init__(self, evaluator: Evaluator, point: Point) -> None:
        """Take the class, as the laws call it."""
        self._evaluator, self._point = evaluator, point

    def __call__(self, question: Question) -> Answer:
        """Return what the class makes of two versions."""
        evaluator, (older, newer) = self._evaluator, question
        if self._point is Point.BATCH:
            versions = _version(older), _version(newer)
            own = [evaluator.incoming(one).answer for one in versions]
            found = evaluator.made_anew(None, versions).answer
        else:
            row = older.record if self._point is Point.STORED else None
            own = [evaluator.row(row).answer, evaluator.row(newer.record).answer]
            found = evaluator.made_anew(row, [_version(newer)]).answer
        if isinstance(found, Failed):
            return Answer(None, None, False, False, False, found.error)
        schema, equality = evaluator.algebra.schema, evaluator.equality
        is_older, is_newer = (same_answer(found, one, schema, equality) for one in own)
        return Answer(found.record, found.ordering, found.is_delete, is_older, is_newer)

    def all(self, questions: Iterable[Question]) -> list[Answer]:
        """Return the answers to questions; the class keeps no memory of them here."""
        answers = [self(question) for question in questions]
        self._evaluator.forget()
        return answers


def _version(version: RuleVersion) -> Version:
    ordering = NATURAL_ORDER if version.ordering is None else version.ordering
    return Version(version.record, ordering, is_delete=version.record is None)


def _forms(value: object) -> tuple[object, ...]:
    return in_other_letters(value) if isinstance(value, str) else (value,)


class Questions:
    """Makes questions about the columns of a schema.

    Attributes:
        pools: the values that each column takes.
    """

    def __init__(self, spec: RecordSpec, point: Point, seed: int, named: Iterable[object] = ()) -> None:
        """Take the columns with the values that suit the class, as the laws found them, and what its code names."""
        self._spec, self._point = spec, point
        self._random = random.Random(seed)  # noqa: S311 (the seed repeats it)
        keys = {*spec.key, spec.assumed_key}
        self.pools: dict[str, tuple[object, ...]] = {}
        for field in spec.schema.fields:
            values = spec.pools.get(field.name) or pool(field.schema)
            is_parsed = field.name in spec.forms
            if field.schema.non_null.kind == "string" and field.schema.non_null.logical is None and not is_parsed:
                values = each_once(itertools.chain.from_iterable(map(_forms, values)))
            self.pools[field.name] = values[:1] if field.name in keys else values
        for form in delete_forms(spec.schema, spec.props):
            self._add(form.field, form.value)
        if spec.markers:
            for name in self.pools:
                self._add(name, UNAVAILABLE)
        for name in spec.ordering_heads if spec.sequences else ():
            self.pools[name] = _POSITIONS
        told = {(type(one), one) for one in named}
        self._named: dict[str, tuple[object, ...]] = {
            name: tuple(one for one in values if isinstance(one, int | str | bytes) and (type(one), one) in told)
            for name, values in self.pools.items()
            if len(values) > 1 and name not in spec.ordering_heads
        }
        self._read = list_reader(spec.schema, spec.ordering_fields) if spec.ordering_fields else None
        self._unordered = spec.ordering_heads

    def _add(self, name: str, value: object) -> None:
        """Let a column have one more value, if it can."""
        field = self._spec.schema.by_name.get(name)
        if field is not None and name not in {*self._spec.key, *self._spec.ordering_heads} and field.schema.fits(value):
            first, *rest = self.pools[name]
            self.pools[name] = each_once((first, *_forms(value), *rest))

    def of(self, older: Record | None, newer: Record | None) -> Question:
        """Return the question about two records."""
        left = RuleVersion(None, NATURAL_ORDER) if older is None else self._version(older)
        if self._point is Point.STORED:
            left = left._replace(ordering=None)
        return Question(left, RuleVersion(None, NATURAL_ORDER) if newer is None else self._version(newer))

    def _version(self, record: Record) -> RuleVersion:
        ordering = None if self._read is None else self._read(record)
        return RuleVersion(record, NATURAL_ORDER if ordering is None else ordering)

    def one_by_one(self) -> Iterator[Question]:
        """Give pairs that differ from a plain one in one column: each two of its first values."""
        plain = [{name: values[at % len(values)] for name, values in self.pools.items()} for at in (0, 1)]
        for older, newer in itertools.product(plain, repeat=2):
            yield self._fitted(older, newer)
            for name, values in self.pools.items():
                for left, right in itertools.product(values[:_MOST_OF_ONE], repeat=2):
                    yield self._fitted({**older, name: left}, {**newer, name: right})
        for record in plain:
            yield self.of(record, None)
            if self._point is Point.BATCH:
                yield from (self._fitted(None, record), self.of(None, None))

    def named(self) -> Iterator[Question]:
        """Give pairs in which a column has two values that the code names: what it does with both may differ."""
        plain = [{name: values[at % len(values)] for name, values in self.pools.items()} for at in (0, 1)]
        for (older, newer), (name, values) in itertools.product((plain, plain[::-1]), self._named.items()):
            for left, right in itertools.product(values[:_MOST_NAMED], repeat=2):
                yield self._fitted({**older, name: left}, {**newer, name: right})

    def drawn(self, count: int) -> Iterator[Question]:
        """Draw pairs: equal values, nulls and values that the code names more often, and few without data."""
        for _ in range(count):
            dense = self._random.random() < _DENSE
            older = self._record(None, dense=dense)
            newer = self._record(older, dense=dense)
            if self._random.random() < _WITHOUT_DATA:
                yield self.of(older, None)
            elif self._point is Point.BATCH and self._random.random() < _WITHOUT_DATA:
                yield self._fitted(None, newer)
            else:
                yield self._fitted(older, newer)

    def of_rows(self, rows: Sequence[Record]) -> Iterator[Question]:
        """Give pairs of a user's rows, each two that follow one another, as versions of one key."""
        keys = [name for name in self.pools if name in {*self._spec.key, self._spec.assumed_key}]
        for older, newer in itertools.pairwise(rows):
            yield self._fitted(older, {**newer, **{name: older[name] for name in keys}})

    def near(self, question: Question) -> Iterator[Question]:
        """Give the pairs that differ from one in one value of one column."""
        for side, version in enumerate(question):
            for name, values in self.pools.items() if version.record is not None else ():
                changed = {**(version.record or {}), name: self._random.choice(values)}
                records = [changed if at == side else one.record for at, one in enumerate(question)]
                yield self._fitted(*records)

    def _record(self, other: Mapping[str, object] | None, *, dense: bool) -> Record:
        record: Record = {}
        chance = self._random.random
        for name, values in self.pools.items():
            if dense and self._named.get(name) and chance() < _NAMED_IN_DENSE:
                record[name] = self._random.choice(self._named[name])
            elif other is not None and chance() < _EQUAL:
                record[name] = other[name]
            elif values[-1] is not None and None in values and chance() < _NULL:
                record[name] = None
            elif chance() < _NAMED and self._named.get(name):
                record[name] = self._random.choice(self._named[name])
            elif chance() < _FRESH and (fresh := self._fresh(name)) is not None:
                record[name] = fresh
            elif chance() < _FIRST:
                record[name] = self._random.choice(values[:3])
            else:
                record[name] = self._random.choice(values)
        return record

    def _fresh(self, name: str) -> object:
        """Return a value that no pool has: a limit of the class may lie anywhere."""
        schema, chance = self._spec.schema.by_name[name].schema, self._random
        kept = {*self._spec.key, self._spec.assumed_key, *self._spec.forms}
        if schema.non_null.logical is not None or name in kept:
            return None
        match schema.non_null.kind:
            case "int" | "long":
                value: Any = chance.choice((1, -1)) * chance.randrange(10 ** chance.randrange(1, 9))
            case "float" | "double":
                value = chance.uniform(-1, 1) * 10.0 ** chance.randrange(9)
            case "string" if name not in self._spec.ordering_heads:
                value = "".join(chance.choices(_LETTERS, k=chance.randrange(1, 30)))
            case _:
                return None
        return value if schema.fits(value) else None

    def _fitted(self, older: Record | None, newer: Record | None) -> Question:
        """Writers refuse a row without ordering value, so none is asked about."""
        if self._point is Point.ALONE:
            older = None
        return self.of(self._ordered(older) if self._point is Point.BATCH else older, self._ordered(newer))

    def _ordered(self, record: Record | None) -> Record | None:
        if record is None or all(record[name] is not None for name in self._unordered):
            return record
        filled = {
            name: next(value for value in self.pools[name] if value is not None)
            for name in self._unordered
            if record[name] is None
        }
        return {**record, **filled}
