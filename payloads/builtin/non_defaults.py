"""OverwriteNonDefaultsWithLatestAvroPayload, and filling one record from another field by field."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from payloads.avro import AvroSchema, RecordBuilder, Value, default_test
from payloads.builtin.overwrite import OverwriteWithLatestAvroPayload
from payloads.builtin.rules import BOTH_ORDERED, DELETED, NEWER, OLDER, ORDERED, flag, taken
from payloads.errors import SchemaError
from payloads.release import by_release
from payloads.rules import (
    DATA,
    META_COLUMNS,
    ByArrival,
    ByOrdering,
    Case,
    Effect,
    FirstNonDefault,
    IsEmpty,
    MergeRule,
    Needs,
    Point,
    Take,
)

if TYPE_CHECKING:
    from payloads.api import HoodieRecordPayload, Props, Sentinel
    from payloads.avro import Field, Record
    from payloads.rules import Column

Gap = Callable[[Value], bool]
"""Whether a value is a gap, which the other record fills."""


class FieldRule(NamedTuple):
    """How a field of a merged record is chosen; `required` fields refuse null."""

    name: str
    is_gap: Gap
    required: bool


class OverwriteNonDefaultsWithLatestAvroPayload(OverwriteWithLatestAvroPayload):
    """Overwrite field by field: a value equal to the default of its field leaves the stored value.

    Ordering values are compared only within a batch, where ties go to the newer version and no fields are merged.
    Java's `equals` decides what a default is. Values that Avro reads as another class than that of the declared default
    (strings in a union or an array, bytes, fixed, enums, records) therefore always overwrite, and so does null if the
    default is another value.
    """

    __slots__ = ()

    java_name = "org.apache.hudi.common.model.OverwriteNonDefaultsWithLatestAvroPayload"

    # -- within a batch

    def _older_is_empty(self, older: HoodieRecordPayload) -> bool:
        return older.record is None

    def _self_is_empty(self, older: HoodieRecordPayload) -> bool:
        return self._java_is_empty() if self.is_extended else self.record is None

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
    def rule(cls, point: Point, schema: AvroSchema, props: Props) -> MergeRule | None:
        """Return the rule: in a batch the later version; with the stored row the incoming one, filled from it."""
        if point is Point.ALONE:
            return taken(flag(schema))
        if point is Point.BATCH:
            return MergeRule(ByOrdering(), cases=(BOTH_ORDERED, cls.empty_gives_way()))
        filled = FirstNonDefault((Take(NEWER), Take(OLDER)))
        columns: dict[str, Column] = {DATA: filled, **{name: filled for name in META_COLUMNS if name in schema.by_name}}
        cases = (ORDERED, DELETED)
        return MergeRule(ByArrival(), flag(schema), cases, Effect.NEW, columns, (Needs.COMPLETE,))

    @classmethod
    def empty_gives_way(cls) -> Case:
        """Return when the newer one of two versions wins regardless of ordering values."""
        by_older = cls.wins_unordered is OverwriteNonDefaultsWithLatestAvroPayload._older_is_empty
        return Case(IsEmpty(OLDER if by_older else NEWER), Effect.INCOMING)

    # -- against the stored row

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
        if self.is_extended:
            incoming: Any = self._java_insert(schema)
            return None if incoming is None else self._java_merge_records(schema, incoming, current)
        return None if self.flagged or self.record is None else self.filled(self.record, current, schema)

    def merge_records(self, schema: AvroSchema, base_record: Record, merged_record: Record) -> Record | None:
        """Return `base_record` with its gaps filled from `merged_record`; None if it is a delete.

        Java: `mergeRecords`. It calls `setField` for each field of the schema.

        Raises:
            SchemaError: a record lacks a field that is needed, or null remains in a field that refuses it.
        """
        if self._java_is_delete_record(base_record):
            return None
        if not self.sets_fields:
            return self.filled(base_record, merged_record, schema)
        return self._built(
            schema, lambda builder, field: self._java_set_field(base_record, merged_record, builder, field)
        )

    _java_merge_records = merge_records

    def set_field(self, base_record: Record, merged_record: Record, builder: RecordBuilder, field: Field) -> None:
        """Set a field of a merged record: the value of `base_record`, or that of the other record if it is a gap.

        Java: `setField`. It calls `overwriteField` with the value and the default of the field.

        Raises:
            SchemaError: a record lacks the field, or null remains in one that refuses it.
        """
        value = self._value_of(base_record, field)
        self.judged_field = field
        is_gap = self._java_overwrite_field(value, field.defaultVal())
        builder.set(field, self._value_of(merged_record, field) if is_gap else value)

    _java_set_field = set_field

    #: Whether a user's class decides on single fields.
    sets_fields: ClassVar[bool] = False

    def _value_of(self, record: Record, field: Field) -> object:
        if field.name not in record:
            msg = f"{type(self).__name__}: {SchemaError.from_missing_field(field.name, record)}"
            raise SchemaError(msg)
        return record[field.name]

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

    def _built(self, schema: AvroSchema, set_field: Callable[[RecordBuilder, Field], None]) -> Record:
        """Return the record of `schema` that is built by a call for each field."""
        builder = RecordBuilder(schema, type(self).__name__)
        for field in schema.fields:
            set_field(builder, field)
        return builder.build()


def _field_rules(schema: AvroSchema, gap_of: Callable[[Field], Gap]) -> tuple[FieldRule, ...]:
    return tuple(
        FieldRule(field.name, gap_of(field), not (field.schema.nullable or field.has_default))
        for field in schema.fields
    )
