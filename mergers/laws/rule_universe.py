"""The rules that a law is about, and rows that stand for all rows: few versions on which a proof can rest."""

from __future__ import annotations

import enum
import functools
import itertools
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mergers.laws.core import Domain, Version
from mergers.laws.rule_preconditions import WRAPPING, Asked, AskedColumn
from mergers.laws.universe import sequence_at, value_at
from payloads.avro import Branch
from payloads.ordering import NATURAL_ORDER
from payloads.ordering_fields import list_reader
from payloads.records import RuleVersion, merged
from payloads.rules import Case, DeleteTests, Effect, IsDelete, MergeRule, Role

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from payloads.avro import AvroSchema, Field, Record
    from payloads.ordering import Ordering

POSITIONS: Final = 3
"""How many operands a law has at most: a stored row and two versions, or three versions."""
_BASE: Final = 100
"""The sums of few powers of this number tell how often each was added."""
_ROUNDED: Final = (2.0**100, -(2.0**100), 1.0)
"""Numbers whose sum depends on the bracketing."""
_FIRST: Final = 11


class Stater(enum.Enum):
    """Whose rules they are: what is done around a merge is not the same."""

    HUDI = "a class of Hudi's, or a merge mode"
    PAYLOAD = "a user's payload"
    MERGER = "a user's merger"
    FOUND = "a class that was asked for its rules"


class StatedRules(NamedTuple):
    """The rules of one class or mode in a release.

    Attributes:
        schema: that of the records.
        batch: the rule of two versions that came; None where the class has to be called.
        stored: that of a version with the stored row.
        alone: that of a version of a key without a row.
        ordering_fields: the ordering fields.
        fixed: the values of columns that are the same in all versions, as those of the key are.
        reads: returns the ordering value that a version carries; None for the one that it is made with.
        marks: whether versions are marked as deletes when they are made, and whatever is none is inserted.
        direction: 1 where the greater ordering value is the later one, -1 where the lesser is; None for another order.
        null_orderings: whether an ordering field may be null.
        sequences: whether the ordering value is a position in MySQL's binary log.
        absent: values that no record has.
        stater: whose rules they are.
        reads_row: returns the ordering value that the columns of a record say, where it is merged with as a stored row,
            or made by a merger; None for the one that a version with the record carries.
        obstacle: why nothing can be proved of them, or empty text.
    """

    schema: AvroSchema
    batch: MergeRule | None
    stored: MergeRule | None = None
    alone: MergeRule | None = None
    ordering_fields: tuple[str, ...] = ()
    fixed: Mapping[str, object] = MappingProxyType({})
    reads: Callable[[Version], Ordering | None] | None = None
    marks: bool = False
    direction: int | None = 1
    null_orderings: bool = False
    sequences: bool = False
    absent: tuple[str, ...] = ()
    stater: Stater = Stater.HUDI
    reads_row: Callable[[Record], Ordering | None] | None = None
    obstacle: str = ""

    @property
    def all(self) -> tuple[MergeRule, ...]:
        """The rules that are stated."""
        return tuple(rule for rule in (self.batch, self.stored, self.alone) if rule is not None)

    def version(self, record: Record, *, is_delete: bool = False) -> Version:
        """Return the version of a record; Integer 0 stands for a null in its ordering field."""
        found = self._read(record)
        return Version(record, NATURAL_ORDER if found is None else found, is_delete)

    @property
    def _read(self) -> Callable[[Record], Ordering | None]:
        return self.schema.derived(list_reader, self.ordering_fields)

    def seen(self, version: Version) -> RuleVersion:
        """Return a version as rules see it."""
        ordering = version.ordering if self.reads is None else self.reads(version)
        return RuleVersion(version.record, ordering, version.is_delete and self.marks)

    def carried(self, record: Record) -> Ordering | None:
        """Return the ordering value that a version with a record carries."""
        return self.seen(self.version(record)).ordering

    def of_row(self, record: Record) -> Ordering | None:
        """Return the ordering value of a stored row."""
        return self.carried(record) if self.reads_row is None else self.reads_row(record)

    def deletes(self, record: Record) -> bool:
        """Whether a record is a delete: by the tests of any rule, or by what a user's payload inserts of it."""
        if self.stater is Stater.FOUND and self.alone is not None:
            found = merged(self.alone, RuleVersion(None, NATURAL_ORDER), self.seen(self.version(record)), self.schema)
            return found is not None and found.gives is Effect.DELETE
        judged = (self.alone,) if self.stater is Stater.PAYLOAD and self.alone else self.all
        tested = (rule for rule in judged if rule.deletes.flag or rule.deletes.marker)
        return any(_deletes(rule, record, self.schema) for rule in tested)


class StandIns:
    """Versions and stored rows that stand for all of a domain.

    A node looks at a value in one of few ways: it takes it, tests it for null, a constant or a default, compares it
    with the other one, adds it or joins it. So two sides of a law agree on all rows if they agree wherever

    - a value that is taken alone is one of its own in each version, so that it tells where it came from;
    - a value that is tested is any of the constants, null, or one of its own;
    - values that compare are in every order, with ties;
    - a value that is added is a power of a number greater than any count, so that a sum tells its parts, modulo any
      power of two as well; a list that is joined has one item of its own, and a map one entry, whose key is there or
      not.

    Columns that nothing but their own value depends on vary one at a time.

    Attributes:
        asked: what the rules ask of versions.
    """

    def __init__(self, rules: StatedRules, domain: Domain, asked: Asked) -> None:
        """Find the columns that vary."""
        self._rules = rules
        self._domain = domain
        self.asked = asked
        fields = rules.schema.fields
        self._tested = [
            field
            for field in fields
            if field.name not in rules.fixed and field.name in asked.columns and asked.columns[field.name].is_tested
        ]
        self._heads = {name.partition(".")[0] for name in rules.ordering_fields}
        plain = {field.name: None if field.schema.nullable else _unlike(field.schema, 1)[0] for field in fields}
        self._plain = plain | dict(rules.fixed)

    def focuses(self) -> list[Field | None]:
        """Return the columns to vary one at a time: one of all that are alike; None where there is none."""
        tested = {field.name for field in self._tested}
        free = [
            field
            for field in self._rules.schema.fields
            if field.name not in tested and field.name not in self._rules.fixed
        ]
        if not self.asked.makes:
            free = sorted(free, key=lambda field: len(_unlike(field.schema, POSITIONS)), reverse=True)[:1]
        alike = {repr((self._nodes(field), _source(field))): field for field in reversed(free)}
        return list(reversed(alike.values())) or [None]

    def _nodes(self, field: Field) -> tuple[object, ...]:
        return tuple(rule.column(field.name) for rule in self._rules.all)

    # -- versions

    def versions(self, position: int, focus: Field | None) -> list[Version]:
        """Return the versions of an operand, data first; none where they would be too many."""
        records = list(self._records(position, focus))
        data = [record for record in records if not self._rules.deletes(record)]
        found = [self._rules.version(record) for record in data]
        if self._domain is Domain.FLAGGED:
            flagged = records if self._rules.marks else [one for one in records if self._rules.deletes(one)]
            found += [self._rules.version(record, is_delete=True) for record in flagged]
        if self._domain is Domain.EMPTY:
            carried = {repr(one.ordering): one.ordering for one in found}
            carried[repr(NATURAL_ORDER)] = NATURAL_ORDER
            found += [Version(None, ordering, is_delete=True) for ordering in carried.values()]
        return found

    def rows(self, focus: Field | None, *, deleted: bool) -> list[Record | None]:
        """Return stored rows, and None for none; with rows that are deletes by the tests if `deleted`."""
        records = self._records(0, focus)
        return [None, *(one for one in records if deleted or not self._rules.deletes(one))]

    def _records(self, position: int, focus: Field | None) -> Iterable[Record]:
        varied = [*self._tested, *([focus] if focus is not None else [])]
        values = [self._values(field, position) for field in varied]
        for chosen in itertools.product(*values):
            yield {**self._plain, **dict(zip((field.name for field in varied), chosen, strict=True))}

    # -- values

    def _values(self, field: Field, position: int) -> list[Any]:
        """Return the values of a column in an operand; of one that only tells versions apart no null."""
        asked = self.asked.columns.get(field.name, AskedColumn())
        found = self._looked_at(field, asked, position)
        is_looked_at = self.asked.makes or field.name in self.asked.columns
        if field.schema.nullable and is_looked_at and (field.name not in self._heads or self._rules.null_orderings):
            found = [*found, None]
        return list({repr(value): value for value in found}.values())

    def _looked_at(self, field: Field, asked: AskedColumn, position: int) -> list[object]:
        plain = field.schema.non_null
        if asked.is_compared:
            return self._compared(field)
        if asked.is_added:
            return [_BASE**position if plain.kind in WRAPPING else _ROUNDED[position]]
        if asked.is_joined and plain.kind == "array":
            return [[value] for value in _own(plain.items, position)]
        if asked.is_joined:
            return [{}, *({"key": value} for value in _own(plain.values, position))]
        absent = [*self._rules.absent, *(text.encode() for text in self._rules.absent)]
        fitting = [one for one in asked.constants if one not in absent and _fits(field, one)]
        texts = asked.marks if plain.kind == "string" else []
        return [*fitting, *texts, *_own(field.schema, position, [*fitting, *texts])]

    def _compared(self, field: Field) -> list[Any]:
        """Return values in each order that operands can have, on both sides of Integer 0 where that is one of them."""
        plain = field.schema.non_null
        if plain.kind == "enum":
            return list(plain.symbols[:POSITIONS])
        if self._rules.sequences and field.name in self._heads:
            return [sequence_at(rank) for rank in (1, 2, 3)]
        values = [value_at(field.schema, rank) for rank in (1, 2, 3)]
        if field.name not in self._heads:
            return values
        carried = self._rules.carried({**self._plain, field.name: values[0]})
        is_int = carried is not None and carried.java_type == NATURAL_ORDER.java_type
        return [-2, -1, 0, 1, 2] if is_int and plain.kind == NATURAL_ORDER.java_type else values


def _own(schema: AvroSchema, position: int, others: Sequence[object] = ()) -> list[Any]:
    """Return a value that no other operand has; where a type has too few values, all of them."""
    found = [value for value in _unlike(schema, POSITIONS + len(others)) if value not in others]
    return found if len(found) < POSITIONS else found[position : position + 1]


def _unlike(schema: AvroSchema, number: int) -> list[Any]:
    """Return a number of unlike values of a type; all but null where it has fewer."""
    return list(itertools.islice(_values_of(schema.non_null, number), number))


def _values_of(schema: AvroSchema, number: int) -> Iterator[Any]:
    match schema.kind:
        case "boolean":
            yield from (False, True)
        case "enum":
            yield from schema.symbols
        case "array":
            item = _unlike(schema.items, 1)
            yield from (item * length for length in range(1, number + 1))
        case "map":
            (item,) = _unlike(schema.values, 1)
            yield from ({str(key): item for key in range(size)} for size in range(1, number + 1))
        case "record":
            columns = [_unlike(field.schema, number) for field in schema.fields]
            for chosen in itertools.product(*columns):
                yield dict(zip((field.name for field in schema.fields), chosen, strict=True))
        case "union":
            for branch in schema.branches:
                values = () if branch.kind == "null" else _values_of(branch, number)
                yield from (Branch(branch.name, value) if schema.ambiguous else value for value in values)
        case "null":
            yield None
        case _:
            yield from (value_at(schema, rank) for rank in range(_FIRST, _FIRST + number))


def _fits(field: Field, value: object) -> bool:
    return type(_unlike(field.schema, 1)[0]) is type(value) and field.schema.fits(value)


def _deletes(rule: MergeRule, record: Record, schema: AvroSchema) -> bool:
    version = RuleVersion(record, NATURAL_ORDER)
    found = merged(_asking(rule.deletes), version, version, schema)
    return found is not None and found.gives is Effect.DELETE


@functools.lru_cache(maxsize=100)
def _asking(deletes: DeleteTests) -> MergeRule:
    """Return the rule that tells whether a version is a delete."""
    return MergeRule(deletes=deletes, cases=(Case(IsDelete(Role.NEWER), Effect.DELETE),))


def _source(field: Field) -> tuple[object, ...]:
    return field.schema, field.has_default, field.default
