"""OverwriteNonDefaultsWithLatestAvroPayload, and filling one record from another field by field."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from payloads.avro import AvroSchema, Branch
from payloads.builtin.base import FillRule, PairRule
from payloads.builtin.overwrite import OverwriteWithLatestAvroPayload
from payloads.errors import SchemaError
from payloads.release import by_release

if TYPE_CHECKING:
    from payloads.api import HoodieRecordPayload, Props, Sentinel
    from payloads.avro import Field, Record
    from payloads.ordering import Ordering

Gap = Callable[[Any], bool]
"""Whether a value is a gap, which the other record fills."""


class FieldRule(NamedTuple):
    """How a field of a merged record is chosen; `required` fields refuse null."""

    name: str
    is_gap: Gap
    required: bool


class OverwriteNonDefaultsWithLatestAvroPayload(OverwriteWithLatestAvroPayload):
    """Overwrite field by field: a value equal to the default of its field leaves the stored value.

    Ordering decides within a batch alone, ties go to the newer version, and no fields are merged there. Java's
    `equals` decides what a default is: values that Avro reads as a class other than the declared default has
    (strings in a union or an array, bytes, fixed, enums, records) always overwrite, and so does null if the
    default is another value.

    Added in 0.1.0.
    """

    __slots__ = ()

    java_name = "org.apache.hudi.common.model.OverwriteNonDefaultsWithLatestAvroPayload"

    # -- within a batch

    def _older_is_empty(self, older: HoodieRecordPayload) -> bool:
        return older.record is None

    def _self_is_empty(self, older: HoodieRecordPayload) -> bool:
        return self.record is None

    #: When the newer version wins regardless of ordering: against an empty one, from 1.1 if it is empty itself.
    wins_unordered = by_release(_older_is_empty, since={"1.1": _self_is_empty})

    def pre_combine(
        self,
        older: HoodieRecordPayload,
        schema: AvroSchema | None = None,
        props: Props | None = None,
    ) -> HoodieRecordPayload:
        """Return the version with the greater ordering value, the newer one on a tie.

        Raises:
            OrderingTypeError: the ordering values have different Java classes, also those of empty versions.
        """
        self.check_family(older)
        if self.wins_unordered(older):
            return self
        return older if older.ordering_value > self.ordering_value else self

    @classmethod
    def batch_wins(cls) -> tuple[bool, bool, bool] | None:
        """Return that the greater ordering value wins; None for the classes that merge fields."""
        own = OverwriteNonDefaultsWithLatestAvroPayload.pre_combine
        return (True, True, False) if cls.pre_combine is own else None

    # -- against the stored row

    @classmethod
    def fill_rule(cls, schema: AvroSchema, props: Props, ordering: Ordering | None) -> FillRule | None:
        """Return that the incoming row is the later one; None if a column has a default that is not null."""
        own = OverwriteNonDefaultsWithLatestAvroPayload.combine_and_get_update_value
        if cls.combine_and_get_update_value is not own or not _only_nulls_are_gaps(schema, cls.gap_of):
            return None
        return FillRule(PairRule(None), makes_rows=True)

    def combine_and_get_update_value(
        self,
        current: Record,
        schema: AvroSchema,
        props: Props | None = None,
    ) -> Record | Sentinel | None:
        """Return a new record: incoming values, and stored ones where the incoming value is the default.

        A delete gives None. Ordering plays no part, and `_hoodie_is_deleted` is merged like any other field.

        Raises:
            SchemaError: `current` lacks a field that is needed, or null remains in a field that refuses it.
        """
        return None if self.flagged or self.record is None else self.filled(self.record, current, schema)

    @staticmethod
    def gap_of(field: Field) -> Gap:
        """Return the test for values of `field` that do not overwrite."""
        return default_test(field)

    def filled(self, high: Record, low: Record, schema: AvroSchema) -> Record:
        """Return a new record of `schema`: the values of `high`, and those of `low` where `high` has a gap.

        Raises:
            SchemaError: a record lacks a field that is needed, or null remains in a field that refuses it.
        """
        merged = {}
        name = ""
        try:
            for name, is_gap, required in schema.derived(_field_rules, self.gap_of):
                value = high[name]
                if is_gap(value):
                    value = low[name]
                if required and value is None:
                    msg = f"{type(self).__name__}: the field {name!r} does not accept null and has no default"
                    raise SchemaError(msg)
                merged[name] = value
        except KeyError:
            lacking = high if name not in high else low
            msg = f"{type(self).__name__}: {SchemaError.from_missing_field(name, lacking)}"
            raise SchemaError(msg) from None
        return merged


def _field_rules(schema: AvroSchema, gap_of: Callable[[Field], Gap]) -> tuple[FieldRule, ...]:
    return tuple(
        FieldRule(field.name, gap_of(field), not (field.schema.nullable or field.has_default))
        for field in schema.fields
    )


def _only_nulls_are_gaps(schema: AvroSchema, gap_of: Callable[[Field], Gap]) -> bool:
    return all(rule.is_gap is is_null for rule in schema.derived(_field_rules, gap_of))


def is_null(value: Any) -> bool:
    """Whether a value is null."""
    return value is None


def default_test(field: Field) -> Gap:
    """Return the test whether a value equals the default of `field` in Java; null if none, or null, is declared."""
    if not field.has_default or field.default is None:
        return is_null
    return _equality(field.schema, field.default, top_level=True)


def _equality(schema: AvroSchema, default: Any, *, top_level: bool = False) -> Gap:  # noqa: PLR0911 (one a kind)
    """Return the test for values equal to `default`, a JSON value of `schema` (of its first branch in a union)."""
    match schema.kind:
        case "union":
            first = schema.branches[0]
            equal = _equality(first, default)
            if schema.ambiguous:
                return lambda value: isinstance(value, Branch) and value.name == first.name and equal(value.value)
            if schema.mixes_numbers and first.kind in {"float", "double"}:
                return lambda value: isinstance(value, float) and equal(value)  # an int is of the other branch
            return equal
        case "string" if top_level:
            # Hudi turns plain strings, and only these, into Java strings before it compares.
            return lambda value: bool(value == default)
        case "boolean" | "int" | "long":
            return lambda value: type(value) is type(default) and value == default
        case "float" | "double" as kind:
            return _same_number(_rounded(default) if kind == "float" else float(default))
        case "array":
            elements = [_equality(schema.items, element) for element in default]
            return lambda value: (
                isinstance(value, list)
                and len(value) == len(elements)
                and all(equal(item) for equal, item in zip(elements, value, strict=True))
            )
        case "map" if not default:
            return lambda value: value == {}
        case _:
            return _never


def _same_number(default: float) -> Gap:
    sign = math.copysign(1.0, default)
    return lambda value: type(value) in {float, int} and value == default and math.copysign(1.0, value) == sign


def _rounded(default: float) -> float:
    """Return `default` as a Java float holds it."""
    number: float = struct.unpack("f", struct.pack("f", default))[0]
    return number


def _never(value: Any) -> bool:  # noqa: ARG001
    return False
