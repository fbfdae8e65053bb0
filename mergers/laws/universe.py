"""The small universe of the exhaustive check: at most 16 records of a schema, and a schema where none is given."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from mergers.laws.core import Domain, Version
from payloads.avro import Branch, parse_schema
from payloads.builtin import (
    CHANGE_OPERATION_FIELD,
    DELETE_FIELD,
    DELETE_MARKER,
    DMS_OPERATION_FIELD,
    IS_DELETED,
    MYSQL_SEQUENCE,
    POSTGRES_LSN,
    UNAVAILABLE,
    AWSDmsAvroPayload,
    MySqlDebeziumAvroPayload,
    PostgresDebeziumAvroPayload,
)
from payloads.java import equals_ignore_case
from payloads.ordering import NATURAL_ORDER, Ordering
from payloads.ordering_fields import list_reader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from payloads.api import Props
    from payloads.avro import AvroSchema, Field, Record

RANKS = (1, 2, 3)
"""The ordering values of incoming versions."""
STORED_RANKS = (0, 2, 4)
"""The ordering values of stored rows: before, among and after those of the incoming versions."""
_STORED_VALUES = 90
_META = "_hoodie_"
RECORD_KEY = "_hoodie_record_key"
_KEY = "key"


class RecordSpec(NamedTuple):
    """What a universe is made for.

    Attributes:
        schema: the schema of the records.
        key: the key fields, which are the same in all records.
        ordering_fields: the ordering fields; none for arrival order.
        props: the properties, of which those of a custom delete field count.
        sequences: whether the ordering value is a position in MySQL's binary log.
        markers: whether records may contain Debezium's marker for an unavailable value.
        data: rows of real data, as often as they occur there.
        named: the columns that the code of the judged class names.
        read: the columns that it reads, by its code or by what its merges show.
        pools: the values that each column of data takes; empty as long as the class was not looked at.
        forms: texts of the form that the class parses, by column.
        left_out: values that no operand has, each with the reason.
    """

    schema: AvroSchema
    key: tuple[str, ...] = ()
    ordering_fields: tuple[str, ...] = ()
    props: Props = MappingProxyType({})
    sequences: bool = False
    markers: bool = False
    data: tuple[Record, ...] = ()
    named: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    pools: Mapping[str, tuple[Any, ...]] = MappingProxyType({})
    forms: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    left_out: tuple[str, ...] = ()

    @property
    def assumed_key(self) -> str | None:
        """The column that counts as the key where none is stated: the first one, if others are left."""
        if self.key:
            return None
        apart = {*self.ordering_heads, *(form.field for form in delete_forms(self.schema, self.props))}
        free = [name for name in self.schema.by_name if name not in apart and not name.startswith(_META)]
        return free[0] if len(free) > 1 else None

    @property
    def ordering_heads(self) -> tuple[str, ...]:
        """The columns of the ordering fields, which may be nested in them."""
        return tuple(dict.fromkeys(name.partition(".")[0] for name in self.ordering_fields))


class DeleteForm(NamedTuple):
    """A way in which a record says that it is a delete: a value in a field."""

    field: str
    value: Any


class Universe(NamedTuple):
    """All operands of an exhaustive check."""

    incoming: tuple[Version, ...]
    rows: tuple[Record | None, ...]


def sample_schema(payload_class: type | None) -> tuple[AvroSchema, tuple[str, ...]]:
    """Return a schema that suits a payload class, with its ordering fields: a key, an ordering and two data fields."""
    ordering: dict[str, Any] = {"name": "ts", "type": "long"}
    delete: dict[str, Any] = {"name": IS_DELETED, "type": ["null", "boolean"], "default": None}
    change: dict[str, Any] = {"name": CHANGE_OPERATION_FIELD, "type": ["null", "string"], "default": None}
    found = payload_class or object
    if issubclass(found, MySqlDebeziumAvroPayload):
        ordering, delete = {"name": MYSQL_SEQUENCE, "type": "string"}, change
    elif issubclass(found, PostgresDebeziumAvroPayload):
        ordering, delete = {"name": POSTGRES_LSN, "type": "long"}, change
    elif issubclass(found, AWSDmsAvroPayload):
        delete = {"name": DMS_OPERATION_FIELD, "type": ["null", "string"], "default": None}
    fields = [
        {"name": "id", "type": "string"},
        ordering,
        {"name": "v", "type": ["null", "string"], "default": None},
        {"name": "w", "type": ["null", "long"], "default": None},
        delete,
    ]
    return parse_schema({"type": "record", "name": "row", "fields": fields}), (ordering["name"],)


def delete_forms(schema: AvroSchema, props: Props) -> tuple[DeleteForm, ...]:
    """Return the forms of deletes that a schema has columns for, the most special one first."""
    custom = (
        ((props[DELETE_FIELD], props[DELETE_MARKER]),) if props.get(DELETE_FIELD) and DELETE_MARKER in props else ()
    )
    known = (*custom, (DMS_OPERATION_FIELD, "D"), (CHANGE_OPERATION_FIELD, "d"), (IS_DELETED, True))
    forms = []
    for name, value in known:
        field = schema.by_name.get(name)
        if field is not None and field.schema.fits(value):
            forms.append(DeleteForm(name, value))
    return tuple(forms)


def small_universe(spec: RecordSpec, domain: Domain, is_delete: Callable[[Version], bool]) -> Universe:
    """Return two complementary records for each ordering value, the domain's deletes, and six stored rows.

    `is_delete` says which form of a delete the subject understands: the first one is used.
    """
    maker = _Maker(spec)
    incoming = [maker.filled(rank, side) for rank in RANKS for side in (0, 1)]
    if domain is Domain.FLAGGED:
        forms = delete_forms(spec.schema, spec.props)
        understood = [form for form in forms if is_delete(maker.filled(RANKS[0], 2, form))]
        for form in (understood or forms)[:1]:
            deletes = [maker.filled(rank, 2, form) for rank in RANKS]
            incoming += [version._replace(is_delete=bool(understood)) for version in deletes]
    if domain is Domain.EMPTY:
        incoming += [Version(None, maker.filled(rank, 2).ordering, is_delete=True) for rank in RANKS]
    rows = [maker.filled(rank, side, stored=True).record for rank in STORED_RANKS for side in (0, 1)]
    # A boolean, for instance, has fewer values than there are ranks.
    return Universe(_each_once(incoming), _each_once((None, *rows)))


def _each_once(operands: Iterable[object]) -> tuple[Any, ...]:
    return tuple({repr(operand): operand for operand in operands}.values())


class RecordMaker:
    """Makes records of one key by the values of some columns; the others have the first value of their pool."""

    def __init__(self, spec: RecordSpec) -> None:
        self._spec = spec
        fields = spec.ordering_fields
        self._read = list_reader(spec.schema, fields) if fields else lambda _record: NATURAL_ORDER

    def record(self, rank: int, values: Mapping[str, Any]) -> Record:
        """Return a record with an ordering rank."""
        spec = self._spec
        record: Record = {}
        for field in spec.schema.fields:
            name = field.name
            if name in spec.ordering_heads:
                part = ordering_part(spec, name, rank)
                record[name] = sequence_at(rank) if spec.sequences else value_at(field.schema, part)
            elif name in values:
                record[name] = values[name]
            elif name not in spec.key and name in spec.pools:
                record[name] = spec.pools[name][0]
            else:
                record[name] = constant_of(field, spec)
        return record

    def version(self, rank: int, values: Mapping[str, Any], form: DeleteForm | None = None) -> Version:
        """Return a version; one with a delete form is a delete."""
        record = self.record(rank, values)
        if form is not None:
            record[form.field] = form.value
        ordering: Ordering | None = self._read(record)
        return Version(record, NATURAL_ORDER if ordering is None else ordering, is_delete=form is not None)


class _Maker(RecordMaker):
    """Makes the records of the small universe: complementary ones."""

    def __init__(self, spec: RecordSpec) -> None:
        super().__init__(spec)
        self._data = [field.name for field in _data_fields(spec)]

    def filled(self, rank: int, side: int, form: DeleteForm | None = None, *, stored: bool = False) -> Version:
        """Return a record whose data is in the field number `side` alone, and in none if there is no such field."""
        spec = self._spec
        values: Record = {}
        for field in spec.schema.fields:
            if field.name in self._data:
                is_filled = self._data.index(field.name) == side
                values[field.name] = self._value(field, rank, stored=stored) if is_filled else self._absent(field)
            elif field.name not in spec.key:
                values[field.name] = self._constant(field)
        if spec.markers and side == 1 and not stored and self._data:
            values[self._data[0]] = UNAVAILABLE
        return self.version(rank, values, form)

    def _value(self, field: Field, rank: int, *, stored: bool) -> object:
        form = self._spec.forms.get(field.name)
        if form:
            return form[(rank + stored) % len(form)]
        if field.schema.non_null.kind == "string" and field.schema.non_null.logical is None:
            return f"stored {rank}" if stored else f"{field.name}{rank}"
        return value_at(field.schema, rank + _STORED_VALUES if stored else rank)

    def _absent(self, field: Field) -> object:
        if field.schema.nullable and self._takes_null(field):
            return None
        pooled = self._spec.pools.get(field.name)
        return pooled[0] if pooled and field.name in self._spec.forms else value_at(field.schema.non_null, 0)

    def _constant(self, field: Field) -> object:
        if self._takes_null(field) or field.name not in self._spec.pools:
            return constant_of(field, self._spec)
        return self._spec.pools[field.name][0]

    def _takes_null(self, field: Field) -> bool:
        pooled = self._spec.pools.get(field.name)
        return pooled is None or not field.schema.nullable or any(one is None for one in pooled)


def ordering_part(spec: RecordSpec, name: str, rank: int) -> int:
    """Return the value of an ordering field at a rank: of several fields the first comes before the last.

    So there are ties in the first field that the last one breaks, and differences that the last one contradicts.
    """
    heads = spec.ordering_heads
    if len(heads) == 1:
        return rank
    return (rank + 1) // 2 if name == heads[0] else 1 + (rank % 2 == 0) if name == heads[-1] else 1


def _data_fields(spec: RecordSpec) -> list[Field]:
    """Return the two columns that the small universe varies: those that the class names come first."""
    deletes = {form.field for form in delete_forms(spec.schema, spec.props)}
    free = [field for field in data_columns(spec) if field.name not in deletes and field.name != spec.assumed_key]
    order = sorted(free, key=lambda field: (field.name not in spec.named, not field.schema.nullable))
    return sorted(order[:2], key=spec.schema.fields.index)


def data_columns(spec: RecordSpec) -> list[Field]:
    """Return the columns whose values may differ between the versions of a record.

    Columns that mark deletes, and meta columns, are among them where the code of the class names them.
    """
    deletes = {form.field for form in delete_forms(spec.schema, spec.props)}
    fixed = {*spec.key, *spec.ordering_heads}
    apart = {field.name for field in spec.schema.fields if field.name in deletes or field.name.startswith(_META)}
    apart -= {name for name in spec.named if name != RECORD_KEY}
    found = [field for field in spec.schema.fields if field.name not in fixed | apart]
    return [field for field in found if field.name != spec.assumed_key or field.name in spec.named]


def leads_a_delete(spec: RecordSpec, name: str, value: object) -> bool:
    """Whether a value in a column marks a delete."""
    return any(form.field == name and marks(value, form.value) for form in delete_forms(spec.schema, spec.props))


def marks(value: object, mark: object) -> bool:
    """Whether a value is a mark, in whatever letters."""
    if isinstance(value, str) and isinstance(mark, str):
        return equals_ignore_case(mark, value)
    return bool(value == mark)


def constant_of(field: Field, spec: RecordSpec) -> Any:
    """Return the value of a column that is the same in all records: a key is never null."""
    is_key = field.name in {*spec.key, spec.assumed_key, RECORD_KEY}
    if field.schema.nullable and not is_key:
        return None
    plain = field.schema.non_null
    return _KEY if plain.kind == "string" and plain.logical is None else value_at(plain, 1)


def sequence_at(rank: int) -> str:
    """Return a position in MySQL's binary log: as text 1.10 is before 1.9, as a position after it."""
    return f"1.{rank + 8}"


def value_at(schema: AvroSchema, rank: int) -> object:  # noqa: C901, PLR0911, PLR0912 (one a kind)
    """Return a value of `schema`, the greater the greater `rank` is, as far as the kind has that many."""
    match schema.kind:
        case "union":
            branch = next((branch for branch in schema.branches if branch.kind != "null"), schema.branches[0])
            value = value_at(branch, rank)
            return Branch(branch.name, value) if schema.ambiguous else value
        case "null":
            return None
        case "boolean":
            return rank >= STORED_RANKS[1]
        case "int" | "long":
            return rank
        case "float" | "double":
            return float(rank)
        case "string" if schema.logical == "uuid":
            return f"00000000-0000-4000-8000-{rank:012}"
        case "string":
            return str(rank)
        case "bytes":
            return bytes((rank,))
        case "fixed":
            return rank.to_bytes(schema.size, "big") if schema.size else b""
        case "enum":
            steps = STORED_RANKS[-1] + 1
            symbols = schema.symbols
            return symbols[
                min(rank, steps - 1) * len(symbols) // steps if len(symbols) < steps else min(rank, len(symbols) - 1)
            ]
        case "array":
            return [value_at(schema.items, rank)]
        case "map":
            return {name: value_at(schema.values, rank) for name in ("a", "b")}
        case _:
            return {field.name: value_at(field.schema, rank) for field in schema.fields}
