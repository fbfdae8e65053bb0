"""IGNORE_DEFAULTS: the partial update mode in which a value equal to the default of its column does not overwrite."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, Literal

from mergers.errors import MergerConfigError
from mergers.strategies.partial_update import PartialUpdate
from payloads.avro import Branch, default_value
from payloads.builtin import is_null
from payloads.errors import SchemaError
from payloads.release import ByRelease, HudiRelease
from payloads.rules import DATA, META_COLUMNS, Default, FirstNonDefault, Role, Take
from payloads.user import same_record

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mergers.strategies.partial_update import Gap
    from payloads.avro import AvroSchema, Field
    from payloads.rules import Column

Fidelity = Literal["hudi", "intended"]

_REFUSED = ByRelease("fixed", {"1.2": "union"})
"""The type whose defaults can't be read; null defaults of union columns don't matter."""

_ADVICE = {
    "fixed": "drop the default, use bytes, or go to 1.2",
    "union": "drop the default, or make the column a union of null and one type",
}

_CACHED = range(-128, 128)
"""The integers that Java caches as one object each."""


class IgnoreDefaults(PartialUpdate):
    """Fills a column whose value is its default; null if the default is null or not declared.

    Hudi tests whether value and default are the same *object*. So, with `fidelity="hudi"`, booleans and integers from
    -128 to 127 can be gaps; other numbers, text, bytes, enum symbols and collections that equal their default
    overwrite. With `fidelity="intended"` the values are compared, as the mode promises and no release does.
    """

    def __init__(self, release: HudiRelease = HudiRelease.latest(), fidelity: Fidelity = "hudi") -> None:
        """Choose what counts as a default; releases differ in the types whose defaults they reject.

        Raises:
            MergerConfigError: there is no such fidelity.
        """
        if fidelity not in {"hudi", "intended"}:
            msg = f"unknown fidelity {fidelity!r}; use 'hudi' or 'intended'"
            raise MergerConfigError(msg)
        self.fidelity = fidelity
        self._test = _same_value if fidelity == "intended" else _same_object
        self._refused = "" if fidelity == "intended" else _REFUSED.at(release)

    def columns(self, schema: AvroSchema) -> Mapping[str, Column] | None:
        """Return that a default leaves the earlier value; None if a default can't be read."""
        try:
            names = [name for name, _ in self.gaps(schema)]
        except SchemaError:
            return None
        by = Default.VALUE if self.fidelity == "intended" else Default.OBJECT
        filled = FirstNonDefault((Take(Role.LATER), Take(Role.EARLIER)), by)
        return {DATA: filled, **{name: filled for name in names if name in META_COLUMNS}}

    def gaps(self, schema: AvroSchema) -> tuple[tuple[str, Gap], ...]:
        """Return the test of every column.

        Raises:
            SchemaError: a column has a default of a type that the release can't read (fidelity `hudi`): fixed in 1.1,
                a union other than null and one type in 1.2.
        """
        return schema.derived(_gaps, self._test, self._refused)


def _gaps(schema: AvroSchema, test: Callable[[Field], Gap], refused: str) -> tuple[tuple[str, Gap], ...]:
    return tuple((field.name, _gap(field, test, refused)) for field in schema.fields)


def _gap(field: Field, test: Callable[[Field], Gap], refused: str) -> Gap:
    if not field.has_default or field.default is None:
        return is_null
    kind = field.schema.non_null.kind if refused == "union" else _first_branch(field.schema).kind
    if kind == refused:
        msg = (
            f"the column {field.name!r} is of the type {kind} and has a default; IGNORE_DEFAULTS fails on that in "
            f"this release of Hudi (Unsupported type: {kind.upper()}): {_ADVICE[kind]}"
        )
        raise SchemaError(msg)
    return test(field)


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
    """Return a default as it is in a row, with the precision of its column."""
    default = default_value(field.schema, field.default)
    if _first_branch(field.schema).kind == "float" and not isinstance(default, Branch):
        return struct.unpack("f", struct.pack("f", default))[0]
    return default


def _never(value: Any) -> bool:  # noqa: ARG001
    return False
