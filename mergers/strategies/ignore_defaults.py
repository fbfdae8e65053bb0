"""IGNORE_DEFAULTS: the partial update mode in which a value equal to the default of its column does not overwrite."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, Literal

from mergers.errors import MergerConfigError
from mergers.strategies.partial_update import PartialUpdate
from payloads.builtin.non_defaults import is_null
from payloads.errors import SchemaError
from payloads.records import same_record
from payloads.release import HudiRelease
from payloads.rewrite import default_value
from payloads.schema import Branch

if TYPE_CHECKING:
    from mergers.strategies.partial_update import Gap
    from payloads.schema import AvroSchema, Field

Fidelity = Literal["hudi", "intended"]

_CACHED = range(-128, 128)
"""The whole numbers of which Java keeps one object each."""


class IgnoreDefaults(PartialUpdate):
    """Fills a column where its value is the default of the column; null where no default, or null, is declared.

    Hudi asks whether value and default are one *object*. So, with `fidelity="hudi"`, booleans and the whole numbers
    from -128 to 127 can be gaps; other numbers, text, bytes, enum symbols and collections that equal their default
    overwrite. With `fidelity="intended"` the values are compared: what the mode promises, and what no release does.
    """

    def __init__(self, release: HudiRelease = HudiRelease.latest(), fidelity: Fidelity = "hudi") -> None:
        """Choose what counts as a default; the one difference of releases is a default of type fixed.

        Raises:
            MergerConfigError: there is no such fidelity.
        """
        if fidelity not in {"hudi", "intended"}:
            msg = f"unknown fidelity {fidelity!r}; use 'hudi' or 'intended'"
            raise MergerConfigError(msg)
        self.fidelity = fidelity
        self._test = _same_value if fidelity == "intended" else _same_object
        self._refuses_fixed = fidelity == "hudi" and release < HudiRelease.V1_2

    def gaps(self, schema: AvroSchema) -> tuple[tuple[str, Gap], ...]:
        """Return the test of every column.

        Raises:
            SchemaError: a column of a fixed type has a default, which 1.1 can't read (fidelity `hudi`).
        """
        key = (IgnoreDefaults, self.fidelity, self._refuses_fixed)
        found: tuple[tuple[str, Gap], ...] | None = schema.memo.get(key)
        if found is None:
            found = schema.memo[key] = tuple((field.name, self._gap(field)) for field in schema.fields)
        return found

    def _gap(self, field: Field) -> Gap:
        if not field.has_default or field.default is None:
            return is_null
        if self._refuses_fixed and _first_branch(field.schema).kind == "fixed":
            msg = (
                f"the column {field.name!r} is of the type fixed and has a default; IGNORE_DEFAULTS of Hudi 1.1 fails "
                "on that (Unsupported Avro type: FIXED): drop the default, use bytes, or go to 1.2"
            )
            raise SchemaError(msg)
        return self._test(field)


def missed_defaults(schema: AvroSchema) -> tuple[str, ...]:
    """Return the columns in which Hudi lets the default overwrite: there the two fidelities differ."""
    return tuple(
        field.name
        for field in schema.fields
        if field.has_default and field.default is not None and not _same_object(field)(_default_of(field))
    )


def _first_branch(schema: AvroSchema) -> AvroSchema:
    """Return the type that a default belongs to."""
    return schema.branches[0] if schema.branches else schema


def _same_object(field: Field) -> Gap:
    default, schema = field.default, _first_branch(field.schema)
    is_cached = schema.kind == "boolean" or (schema.kind in {"int", "long"} and default in _CACHED)
    if not is_cached:
        return _never
    if field.schema.ambiguous:
        wanted = Branch(schema.name, default)
        return lambda value: isinstance(value, Branch) and value == wanted
    return lambda value: type(value) is type(default) and value == default


def _same_value(field: Field) -> Gap:
    default = {"": _default_of(field)}
    return lambda value: same_record({"": value}, default)


def _default_of(field: Field) -> Any:
    """Return a default as a row holds it, with the precision of its column."""
    default = default_value(field.schema, field.default)
    if _first_branch(field.schema).kind == "float" and not isinstance(default, Branch):
        return struct.unpack("f", struct.pack("f", default))[0]
    return default


def _never(value: Any) -> bool:  # noqa: ARG001
    return False
