"""IGNORE_DEFAULTS: the partial update mode in which a value equal to the default of its column does not overwrite."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, Literal

from mergers.errors import MergerConfigError
from mergers.strategies.partial_update import PartialUpdate
from payloads.builtin.non_defaults import is_null
from payloads.errors import SchemaError
from payloads.records import same_record
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

    def __init__(self, fidelity: Fidelity = "hudi") -> None:
        """Choose what counts as a default.

        Raises:
            MergerConfigError: there is no such fidelity.
        """
        if fidelity not in {"hudi", "intended"}:
            msg = f"unknown fidelity {fidelity!r}; use 'hudi' or 'intended'"
            raise MergerConfigError(msg)
        self.fidelity = fidelity
        self._test = _same_object if fidelity == "hudi" else _same_value

    def gaps(self, schema: AvroSchema) -> tuple[tuple[str, Gap], ...]:
        """Return the test of every column.

        Raises:
            SchemaError: a column of a fixed type has a default, which Hudi can't read (fidelity `hudi`).
        """
        key = (IgnoreDefaults, self.fidelity)
        found: tuple[tuple[str, Gap], ...] | None = schema.memo.get(key)
        if found is None:
            found = schema.memo[key] = tuple((field.name, self._gap(field)) for field in schema.fields)
        return found

    def _gap(self, field: Field) -> Gap:
        return self._test(field) if field.has_default and field.default is not None else is_null


def _same_object(field: Field) -> Gap:
    union, default = field.schema, field.default
    schema = union.branches[0] if union.branches else union  # the branch that the default of a union belongs to
    if schema.kind == "fixed":
        msg = (
            f"the column {field.name!r} is of the type fixed and has a default; Hudi fails on that in IGNORE_DEFAULTS "
            "(Unsupported Avro type: FIXED): drop the default, or use bytes"
        )
        raise SchemaError(msg)
    is_cached = schema.kind == "boolean" or (schema.kind in {"int", "long"} and default in _CACHED)
    if not is_cached:
        return _never
    if union.ambiguous:
        wanted = Branch(schema.name, default)
        return lambda value: isinstance(value, Branch) and value == wanted
    return lambda value: type(value) is type(default) and value == default


def _same_value(field: Field) -> Gap:
    default = {"": _as_stored(field.schema, default_value(field.schema, field.default))}
    return lambda value: same_record({"": value}, default)


def _as_stored(schema: AvroSchema, default: Any) -> Any:  # noqa: ANN401 (an Avro value)
    """Return a default with the precision that a column of `schema` has."""
    schema = schema.branches[0] if schema.branches else schema
    if schema.kind == "float" and not isinstance(default, Branch):
        return struct.unpack("f", struct.pack("f", default))[0]
    return default


def _never(value: Any) -> bool:  # noqa: ANN401, ARG001
    return False
