"""Hypothesis strategies bound to an Avro schema.

Only this module, `reach` and `search` load Hypothesis. Values come from small pools as a rule, so that versions collide
and ties are common, and from the whole range of their type now and then. Examples of a reach have its special values
instead.
"""

from __future__ import annotations

import enum
import functools
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from mergers.laws.core import Domain, Operands, Version
from mergers.laws.reach import often
from mergers.laws.universe import RECORD_KEY, delete_forms, marks, value_at
from payloads.avro import Branch
from payloads.builtin import UNAVAILABLE
from payloads.ordering import NATURAL_ORDER
from payloads.ordering_fields import list_reader

if TYPE_CHECKING:
    from mergers.laws.reach import Reach
    from mergers.laws.universe import RecordSpec
    from payloads.avro import AvroSchema, Field, Record

Strategy = st.SearchStrategy[Any]

_INT, _LONG = 1 << 31, 1 << 63
_DEPTH = 3
_MOST = 4
_POOL_HEAD = 4
_RANKS = st.sampled_from((1, 2, 3, 10))  # as text 10 is before 2
_STORED_RANKS = st.sampled_from((0, 2, 4))


def values(schema: AvroSchema, depth: int = _DEPTH, reach: Reach | None = None) -> Strategy:  # noqa: PLR0911 (one a kind)
    """Return a strategy for physical values of any schema; null is its simplest value if it fits.

    With a reach most values are its own, the others small.
    """
    match schema.kind:
        case "union":
            return _union(schema, depth, reach)
        case "array":
            items = values(schema.items, depth - 1, reach)
            return _collections(schema, items, st.lists(items, max_size=2), depth, reach)
        case "map":
            inner = values(schema.values, depth - 1, reach)
            keys = st.sampled_from((*"abc", *(reach.keys if reach else ())))
            return _collections(schema, inner, st.dictionaries(keys, inner, max_size=2), depth, reach)
        case "record":
            if depth < -_DEPTH:
                # A record that contains itself without a way out has no values at all.
                return st.nothing()
            return _in_order({field.name: values(field.schema, depth - 1, reach) for field in schema.fields})
    small, broad = _plain(schema)
    if reach is None:
        return small | broad
    special = reach.of(schema)
    return small if special is None else small | often(special, 2)


def _plain(schema: AvroSchema) -> tuple[Strategy, Strategy]:  # noqa: PLR0911 (one a kind)
    """Return a few values of a plain type, and its whole range."""
    match schema.kind:
        case "null":
            return st.none(), st.none()
        case "boolean":
            return st.booleans(), st.booleans()
        case "int":
            return st.sampled_from((0, 1, 2)), st.integers(-_INT, _INT - 1)
        case "long":
            return st.sampled_from((0, 1, 2)), st.integers(-_LONG, _LONG - 1)
        case "float":
            return st.sampled_from((0.0, 1.0)), st.floats(width=32)
        case "double":
            return st.sampled_from((0.0, 1.0)), st.floats()
        case "string":
            return st.sampled_from(("", "x", "y")), st.text(max_size=4)
        case "bytes":
            return st.sampled_from((b"", b"\x01", b"\x80")), st.binary(max_size=4)
        case "fixed":
            any_bytes = st.binary(min_size=schema.size, max_size=schema.size)
            return any_bytes, any_bytes
        case _:
            symbols = st.sampled_from(schema.symbols)
            return symbols, symbols


def _collections(schema: AvroSchema, inner: Strategy, usual: Strategy, depth: int, reach: Reach | None) -> Strategy:
    if depth <= 0:
        return st.builds(list if schema.kind == "array" else dict)
    return usual if reach is None or reach.items is None else usual | reach.items(schema, inner)


def _in_order(fields: dict[str, Strategy]) -> Strategy:
    """Return records with their fields in the order of the schema, which Hypothesis does not keep."""
    return st.fixed_dictionaries(fields).map(lambda record: {name: record[name] for name in fields})


def _union(schema: AvroSchema, depth: int, reach: Reach | None) -> Strategy:
    branches = sorted(schema.branches, key=lambda branch: branch.kind != "null")
    if depth <= 0 and schema.nullable:
        return st.none()
    chosen = []
    for branch in branches:
        inner = values(branch, depth, reach)
        if schema.ambiguous and branch.kind != "null":
            inner = inner.map(functools.partial(Branch, branch.name))
        chosen.append(inner)
    return st.one_of(chosen)


class ValueSource(enum.Enum):
    """Where the values of columns come from: any of the type, the pools of an enumeration, or rows of real data."""

    ANY = enum.auto()
    POOLS = enum.auto()
    DATA = enum.auto()


class OperandStrategies:
    """The strategies for one domain: records, versions, stored rows and operands of a law."""

    def __init__(
        self,
        spec: RecordSpec,
        domain: Domain,
        *,
        null_orderings: bool = False,
        reach: Reach | None = None,
        source: ValueSource = ValueSource.ANY,
    ) -> None:
        """Bind to a schema.

        Args:
            spec: schema, key, ordering fields and properties.
            domain: which versions there are.
            null_orderings: whether an ordering field may be null if its schema allows it.
            reach: where the values reach; None for small ones and any others.
            source: where values come from if there is no reach.
        """
        self._source = source
        self._reach = reach
        self._spec = spec
        self._domain = domain
        self._null_orderings = null_orderings
        self._forms = delete_forms(spec.schema, spec.props)
        fields = spec.ordering_fields
        self._read = list_reader(spec.schema, fields) if fields else lambda _record: NATURAL_ORDER

    def records(self, *, stored: bool = False) -> Strategy:
        """Return records that are not deletes; with common ordering values, as stored rows or incoming versions."""
        deletes = {form.field: form.value for form in self._forms}
        fields = {
            field.name: self._ordering(field, stored=stored)
            if field.name in self._spec.ordering_heads
            else self._field(field, deletes)
            for field in self._spec.schema.fields
        }
        if self._source is not ValueSource.DATA:
            return _in_order(fields)
        # A row as it is, one with another place in the order, or one with a single other value.
        keys = {name: fields[name] for name in (*self._spec.key, RECORD_KEY) if name in fields}
        rows = [row for row in self._spec.data if not self._is_delete_row(row)] or [dict(self._spec.data[0])]
        real = st.sampled_from(rows)
        orders = {name: fields[name] for name in self._spec.ordering_heads}
        others = [st.fixed_dictionaries({**keys, **orders, name: fields[name]}) for name in fields]
        changed = st.fixed_dictionaries(keys) | st.fixed_dictionaries(keys | orders) | st.one_of(others)
        return st.builds(lambda row, change: {**row, **change}, real, changed)

    def _is_delete_row(self, row: Record) -> bool:
        return any(marks(row.get(form.field), form.value) for form in self._forms)

    def versions(self) -> Strategy:
        """Return the versions of the domain: data, and its deletes in every form that the schema has columns for."""
        data = self.records().map(lambda record: self._version(record, is_delete=False))
        if self._domain is Domain.FLAGGED and self._forms:
            forms = st.sampled_from(self._forms)
            flagged = st.builds(lambda record, form: record | {form.field: form.value}, self.records(), forms)
            return data | flagged.map(lambda record: self._version(record, is_delete=True))
        if self._domain is Domain.EMPTY:
            natural = st.booleans() if not self._spec.ordering_fields else st.just(value=False)
            empty = st.builds(self._empty, self.records(), natural)
            return data | empty
        return data

    def operands(self) -> Strategy:
        """Return the operands of a law: a stored row or none, and up to four versions; three for a reach."""
        version = self.versions()
        most = _MOST if self._reach is None else _MOST - 1
        many = st.lists(version, min_size=_MOST - 1, max_size=most)
        versions = st.lists(version, min_size=1, max_size=most) | many
        if self._reach is not None:
            versions |= often(many, 2)
        return st.builds(Operands, st.none() | self.records(stored=True), versions.map(tuple))

    def _version(self, record: Record, *, is_delete: bool) -> Version:
        value = self._read(record)
        return Version(record, NATURAL_ORDER if value is None else value, is_delete)

    def _empty(self, record: Record, natural: bool) -> Version:  # noqa: FBT001 (drawn)
        ordering = NATURAL_ORDER if natural else self._version(record, is_delete=True).ordering
        return Version(None, ordering, is_delete=True)

    def _ordering(self, field: Field, *, stored: bool) -> Strategy:
        if self._spec.sequences:
            return (_STORED_RANKS if stored else _RANKS).map(lambda rank: f"1.{rank + 8}")
        common = (_STORED_RANKS if stored else _RANKS).map(lambda rank: value_at(field.schema, rank))
        if self._source is not ValueSource.ANY:
            real = [record[field.name] for record in self._spec.data if record[field.name] is not None]
            return common | st.sampled_from(real) if real and self._source is ValueSource.DATA else common
        if field.schema.non_null.kind == "union":
            return values(field.schema, reach=self._reach)
        plain = field.schema.non_null
        drawn = common | values(plain)
        if self._reach is not None:
            special = values(plain, reach=self._reach) if plain.kind == "record" else self._reach.of(plain)
            drawn = common if special is None else common | often(special, 3)
        return drawn | st.none() if self._null_orderings and field.schema.nullable else drawn

    def _field(self, field: Field, deletes: dict[str, object]) -> Strategy:
        spec = self._spec
        if field.name in spec.key or field.name == RECORD_KEY:
            return st.just(value_at(field.schema, 1))
        drawn = self._drawn(field)
        if field.name in deletes:
            # A value that does not mark a delete, null first.
            return drawn.filter(lambda value: not marks(value, deletes[field.name]))
        if spec.markers and field.schema.non_null.kind == "string":
            return drawn | st.just(UNAVAILABLE)
        return drawn

    def _drawn(self, field: Field) -> Strategy:
        """Return values of a column: null only where a key may be null and the class does not fail on it."""
        spec = self._spec
        pooled = spec.pools.get(field.name, ())
        takes_null = field.name != spec.assumed_key and (not pooled or any(one is None for one in pooled))
        if field.name in spec.forms:
            texts = st.sampled_from(pooled)
            return texts if self._reach is None else often(texts, 2)
        if self._source is ValueSource.POOLS and pooled:
            return st.sampled_from(pooled[:_POOL_HEAD]) | st.sampled_from(pooled)
        drawn = values(field.schema if takes_null else field.schema.non_null, reach=self._reach)
        if not takes_null:
            drawn = drawn.filter(_is_value)
        if spec.data and self._reach is None:
            real = [record[field.name] for record in spec.data if takes_null or record[field.name] is not None]
            return drawn | st.sampled_from(real) if real else drawn
        return drawn


def _is_value(value: object) -> bool:
    return value is not None
