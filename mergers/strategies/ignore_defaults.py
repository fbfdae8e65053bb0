"""IGNORE_DEFAULTS: the partial update mode in which a value equal to the default of its column does not overwrite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from mergers.errors import MergerConfigError
from mergers.strategies.partial_update import PartialUpdate
from payloads.avro import default_of, first_branch, is_null, object_test, value_test
from payloads.errors import SchemaError
from payloads.release import ByRelease, HudiRelease
from payloads.rules import DATA, META_COLUMNS, Default, FirstNonDefault, Role, Take

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


def check_fidelity(fidelity: object) -> None:
    """Check that a fidelity is known.

    Raises:
        MergerConfigError: it is unknown; names the known ones.
    """
    if fidelity not in get_args(Fidelity):
        msg = f"unknown fidelity {fidelity!r:.60}; use 'hudi' or 'intended'"
        raise MergerConfigError(msg)


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
        check_fidelity(fidelity)
        self.fidelity = fidelity
        self._test = value_test if fidelity == "intended" else object_test
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
    kind = field.schema.non_null.kind if refused == "union" else first_branch(field.schema).kind
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
        if field.has_default and field.default is not None and not object_test(field)(default_of(field))
    )
