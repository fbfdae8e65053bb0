"""Avro schemas as trees that are read often, and the values that fit them: validate, place in a union, compare.

A record is a `dict` of Avro's *physical* values, as a Java GenericRecord holds them: int for dates, times and
timestamps; bytes for bytes, fixed and decimals; str for strings, uuids and enum symbols. A value of a union whose
non-null branches share a Python type (`["int", "long"]`) is a `Branch`, so that the branch is never lost.
"""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from payloads.avro.branch import Branch
from payloads.avro.defaults import NULL_VALUE, default_value
from payloads.errors import OrderingTypeError, SchemaError
from payloads.java import floating, natural, signed_bytes

if TYPE_CHECKING:
    from typing_extensions import TypeVarTuple, Unpack

    Arguments = TypeVarTuple("Arguments")
    from collections.abc import Callable, Iterator

Result = TypeVar("Result")

Value = Any
"""A value of an Avro schema, physical or logical; its type depends on the schema."""

Record = dict[str, Value]
"""One Avro record: field name to physical value."""

_PYTHON_TYPES = {
    "null": "None",
    "boolean": "bool",
    "int": "int",
    "long": "int",
    "float": "float",
    "double": "float",
    "string": "str",
    "enum": "str",
    "bytes": "bytes",
    "fixed": "bytes",
    "record": "dict",
    "map": "dict",
    "array": "list",
}
_INTEGER_BITS = {"int": 31, "long": 63}
_MAX_FLOAT = 3.4028235677973366e38  # the least double that no longer rounds to a finite float


class Field(NamedTuple):
    """A field of a record schema. `default` is Avro JSON and counts only where `has_default` is true."""

    name: str
    schema: AvroSchema
    has_default: bool
    default: Value

    def defaultVal(self) -> object:  # noqa: N802 (as in Java)
        """Return the default as Java's code sees it: NULL_VALUE for null, None if there is none.

        Bytes are bytes, and a union's default is one of its first branch.
        """
        if not self.has_default:
            return None
        return NULL_VALUE if self.default is None else default_value(self.schema, self.default)


class AvroSchema:
    """A parsed Avro schema that is read often: fields by name, branches, and what is derived from it once.

    Attributes:
        source: the schema as JSON-like data, named types written out where they are first used.
        kind: Avro type name: `record`, `union`, `long`, ...
        name: full name of a named type, else the kind.
        logical: logical type name or None.
        fields: the fields of a record in order; empty for other kinds.
        branches: the branches of a union in order; empty for other kinds.
    """

    def __init__(self, source: Any, named: dict[str, AvroSchema]) -> None:
        """Wrap `source`; `named` collects the named types seen so far (`parse_schema` calls this)."""
        self.source = source
        self.derived = functools.cache(self.derived)  # type: ignore[assignment,method-assign]  # a cache for each schema
        self._pairs: dict[tuple[object, ...], tuple[AvroSchema, Value]] = {}
        self.fields: tuple[Field, ...] = ()
        self.branches: tuple[AvroSchema, ...] = ()
        self.logical: str | None = None
        if isinstance(source, list):
            self.kind = self.name = "union"
            self.branches = tuple(_wrap(branch, named) for branch in source)
            return
        described: dict[str, Any] = source if isinstance(source, dict) else {"type": source}
        self.kind = described["type"]
        self.name = described.get("name", self.kind)
        self.logical = described.get("logicalType")
        if "name" in described:
            named[self.name] = self
        if self.kind == "record":
            self.fields = tuple(
                Field(f["name"], _wrap(f["type"], named), "default" in f, f.get("default")) for f in described["fields"]
            )
        elif self.kind == "array":
            self.items = _wrap(described["items"], named)
        elif self.kind == "map":
            self.values = _wrap(described["values"], named)
        elif self.kind == "enum":
            self.symbols: tuple[str, ...] = tuple(described["symbols"])
        elif self.kind == "fixed":
            self.size: int = described["size"]

    @functools.cached_property
    def by_name(self) -> dict[str, Field]:
        """The fields of a record by name."""
        return {field.name: field for field in self.fields}

    @property
    def parts(self) -> tuple[AvroSchema, ...]:
        """The schemas inside: of fields, branches, items or values; none for other kinds."""
        match self.kind:
            case "array":
                return (self.items,)
            case "map":
                return (self.values,)
        return (*self.branches, *(field.schema for field in self.fields))

    @functools.cached_property
    def non_null(self) -> AvroSchema:
        """The other branch of a union of null and one type; any other schema as it is."""
        rest = [branch for branch in self.branches if branch.kind != "null"]
        return rest[0] if len(rest) == 1 and len(self.branches) == 2 else self  # noqa: PLR2004

    @functools.cached_property
    def nullable(self) -> bool:
        """Whether null fits."""
        return self.kind == "null" or any(branch.kind == "null" for branch in self.branches)

    @functools.cached_property
    def ambiguous(self) -> bool:
        """Whether this is a union whose values are written as `Branch`."""
        types = [_PYTHON_TYPES[branch.kind] for branch in self.branches]
        return len(set(types)) < len(types)

    @functools.cached_property
    def mixes_numbers(self) -> bool:
        """Whether this is a union of whole and floating-point numbers; an int is never placed in a floating branch."""
        return {"int", "float"} <= {_PYTHON_TYPES[branch.kind] for branch in self.branches}

    def derived(
        self, build: Callable[[AvroSchema, Unpack[Arguments]], Result], *arguments: Unpack[Arguments]
    ) -> Result:
        """Return `build(self, *arguments)`, built once for this schema and equal arguments."""
        return build(self, *arguments)

    def derived_with(
        self,
        other: AvroSchema,
        build: Callable[[AvroSchema, AvroSchema, Unpack[Arguments]], Result],
        *arguments: Unpack[Arguments],
    ) -> Result:
        """Return `build(self, other, *arguments)`, built once for these two schema objects and equal arguments."""
        key = (build, id(other), arguments)
        try:
            _, found = self._pairs[key]
        except KeyError:
            found = build(self, other, *arguments)
            self._pairs[key] = other, found  # holding `other` keeps its id its own
        return found  # type: ignore[no-any-return]

    def validate(self, value: object) -> None:
        """Check type and range of `value` and of everything inside it.

        Raises:
            SchemaError: something does not fit; the message names the field.
        """
        problem = next(_misfits(self, value, ""), None)
        if problem is not None:
            raise SchemaError(problem)

    def fits(self, value: object) -> bool:
        """Whether `value` has the type and range of this schema."""
        return next(_misfits(self, value, ""), None) is None

    def compare(self, left: object, right: object) -> int:
        """Compare two values as Avro's GenericData does: negative, zero or positive.

        Raises:
            OrderingTypeError: maps, which have no order.
        """
        return _compare(self, left, right)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AvroSchema) and (self is other or self.source == other.source)

    def __hash__(self) -> int:
        return hash((self.kind, self.name, tuple(field.name for field in self.fields)))

    def __deepcopy__(self, memo: dict[int, Any]) -> AvroSchema:
        return self  # it does not change

    def __repr__(self) -> str:
        return f"AvroSchema({json.dumps(self.source)})"


def _wrap(source: object, named: dict[str, AvroSchema]) -> AvroSchema:
    if isinstance(source, str) and source in named:
        return named[source]
    if isinstance(source, dict) and isinstance(source.get("type"), dict | list):
        return _wrap(source["type"], named)
    return AvroSchema(source, named)


def branch_of(schema: AvroSchema, value: object) -> tuple[AvroSchema, Value]:
    """Return the branch of the union `schema` that holds `value`, and the value without its `Branch`.

    Raises:
        SchemaError: no branch fits.
    """
    if isinstance(value, Branch):
        for branch in schema.branches:
            if branch.name == value.name:
                return branch, value.value
    else:
        whole = type(value) is int and schema.mixes_numbers
        for branch in schema.branches:
            if _has_type(branch, value) and not (whole and branch.kind in {"float", "double"}):
                return branch, value
    msg = f"{value!r} fits no branch of {json.dumps(schema.source)}"
    raise SchemaError(msg)


def _has_type(schema: AvroSchema, value: object) -> bool:
    wanted = _PYTHON_TYPES[schema.kind]
    if wanted == "float" and type(value) is int:
        return True
    return ("None" if value is None else type(value).__name__) == wanted or (
        wanted in {"dict", "list", "str", "bytes"} and isinstance(value, _CLASSES[wanted])
    )


_CLASSES: dict[str, type] = {"dict": dict, "list": list, "str": str, "bytes": bytes}


_PLAIN: dict[str, frozenset[type]] = {
    "null": frozenset({type(None)}),
    "boolean": frozenset({bool}),
    "double": frozenset({float, int}),
    "string": frozenset({str}),
    "bytes": frozenset({bytes}),
}


def _plain_types(schema: AvroSchema) -> frozenset[type]:
    """Return the Python types of which every value fits."""
    if schema.kind != "union":
        return _PLAIN.get(schema.kind, frozenset())
    if schema.ambiguous or schema.mixes_numbers:
        return frozenset()  # several branches share a type, and the first of them decides which values fit
    return frozenset().union(*map(_plain_types, schema.branches))


def _misfits(schema: AvroSchema, value: Value, path: str) -> Iterator[str]:  # noqa: C901, PLR0912
    where = f"field {path!r}" if path else "the value"
    if schema.kind == "union":
        try:
            branch, plain = branch_of(schema, value)
        except SchemaError as error:
            yield f"{where}: {error}"
            return
        yield from _misfits(branch, plain, path)
        return
    if not _has_type(schema, value):
        expected = schema.name + ("" if schema.nullable else ", which can't be null" if value is None else "")
        yield f"{where}: {value!r} ({type(value).__name__}) is not a valid {expected}"
        return
    match schema.kind:
        case "record":
            for field in schema.fields:
                if field.name in value and type(value[field.name]) in field.schema.derived(_plain_types):
                    continue
                inner = f"{path}.{field.name}" if path else field.name
                if field.name in value:
                    yield from _misfits(field.schema, value[field.name], inner)
                else:
                    yield f"field {inner!r} is missing"
            for name in value.keys() - schema.by_name.keys():
                yield f"{where} has the field {name!r}, which the schema lacks"
        case "array":
            for index, item in enumerate(value):
                yield from _misfits(schema.items, item, f"{path}[{index}]")
        case "map":
            for key, item in value.items():
                yield from _misfits(schema.values, item, f"{path}[{key!r}]")
        case "int" | "long" as kind if not -(1 << _INTEGER_BITS[kind]) <= value < 1 << _INTEGER_BITS[kind]:
            yield f"{where}: {value} is out of the range of {kind}"
        case "float" if _MAX_FLOAT <= abs(value) < float("inf"):
            yield f"{where}: {value} is out of the range of float"
        case "enum" if value not in schema.symbols:
            yield f"{where}: {value!r} is not one of the symbols {', '.join(schema.symbols)}"
        case "fixed" if len(value) != schema.size:
            yield f"{where}: {len(value)} bytes are given, {schema.name} has {schema.size}"
        case _:
            pass


_RULES = {
    "boolean": natural,
    "int": natural,
    "long": natural,
    "float": floating,
    "double": floating,
    "string": natural,
    "bytes": signed_bytes,
}


def _compare(schema: AvroSchema, left: Value, right: Value) -> int:  # noqa: C901, PLR0911, PLR0912 (one case a kind)
    match schema.kind:
        case "record":
            for field in schema.fields:
                result = _compare(field.schema, left[field.name], right[field.name])
                if result:
                    return result
            return 0
        case "array":
            for a, b in zip(left, right, strict=False):
                result = _compare(schema.items, a, b)
                if result:
                    return result
            return len(left) - len(right)
        case "enum":
            return schema.symbols.index(left) - schema.symbols.index(right)
        case "union":
            (left_branch, left), (right_branch, right) = branch_of(schema, left), branch_of(schema, right)
            if left_branch is not right_branch:
                return schema.branches.index(left_branch) - schema.branches.index(right_branch)
            return _compare(left_branch, left, right)
        case "fixed":
            return int(left > right) - int(left < right)
        case "null":
            return 0
        case "map":
            raise OrderingTypeError.from_map()
        case kind:
            return _RULES[kind](left, right)
