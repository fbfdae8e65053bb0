"""PartialUpdateAvroPayload: the non-null values of the version with the greater ordering value come first."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from payloads.avro import is_null
from payloads.builtin.non_defaults import OverwriteNonDefaultsWithLatestAvroPayload
from payloads.builtin.rules import (
    BOTH_ORDERED,
    COMPARED,
    NEWER,
    OLDER,
    ORDERED,
    by_columns,
    flag,
    taken,
)
from payloads.errors import OrderingTypeError, PayloadBridgeError, PayloadFailedError, SchemaError
from payloads.ordering import same_class
from payloads.ordering_fields import ordering_fields, ordering_reader
from payloads.release import releases
from payloads.rules import (
    COMMIT_TIME,
    DATA,
    META_COLUMNS,
    Against,
    AllOf,
    AnyOf,
    ByArrival,
    ByOrdering,
    Case,
    Effect,
    FirstNonNull,
    IsDelete,
    IsEmpty,
    LaterIs,
    MergeRule,
    Needs,
    Point,
    Role,
    Take,
)

if TYPE_CHECKING:
    from payloads.api import HoodieRecordPayload, Props, Sentinel
    from payloads.avro import AvroSchema, Field, Record, RecordBuilder, Value
    from payloads.builtin.non_defaults import Gap
    from payloads.rules import Column, Later


class PartialUpdateAvroPayload(OverwriteNonDefaultsWithLatestAvroPayload):
    """Merge field by field: the later version's values, and the earlier version's where the later one has null.

    `ordering_value` decides which version is later; on a tie, or if the stored row can't be compared, it is the
    incoming one. Declared defaults are ignored; only `_hoodie_is_deleted` marks a delete.

    Two of Hudi's results are surprising. Without meta columns in the schema, older data wins over a delete within a
    batch. A newer version in which `_hoodie_is_deleted` is null inherits the flag of an older delete.
    """

    __slots__ = ()

    java_name = "org.apache.hudi.common.model.PartialUpdateAvroPayload"
    shipped = releases(since="0.13")
    own_overloads = frozenset({"pre_combine", "combine_and_get_update_value"})

    @staticmethod
    def gap_of(field: Field) -> Gap:  # noqa: ARG004
        """Return the test for null, whatever the default of `field` is."""
        return is_null

    def pre_combine(  # noqa: PLR0911 (one of each reason)
        self,
        older: HoodieRecordPayload,
        schema: AvroSchema | None = None,
        props: Props | None = None,
    ) -> HoodieRecordPayload:
        """Return a new payload with the merged record and the greater ordering value.

        `self` comes back where nothing can be merged: a version is empty, the later one is a delete, a field is
        missing. Without `schema` one of the two versions is chosen and nothing is merged. The new payload is a
        PartialUpdateAvroPayload even in a subclass.

        Raises:
            OrderingTypeError, NullOrderingError: the ordering values can't be compared.
        """
        if schema is None:
            return super().pre_combine(older, schema, props)
        self.check_family(older)
        if self.wins_unordered(older):
            return self
        older_is_later = older.ordering_value > self.ordering_value
        if self.is_extended:
            return self._merged_by_hooks(older, schema, older_is_later=older_is_later)
        if older.record is None or self.record is None:
            return self
        try:
            if not older_is_later:
                merged = self._merged(self.record, older.record, schema)
            elif COMMIT_TIME in schema.by_name:
                merged = self._merged_with_meta(older.record, self.record, schema)
            else:
                merged = self._merged(older.record, self.record, schema)
        except SchemaError:
            return self
        if merged is None:
            return self
        later = older if older_is_later else self
        return PartialUpdateAvroPayload.for_release(self.release)(merged, later.ordering_value)

    def _merged_by_hooks(
        self, older: HoodieRecordPayload, schema: AvroSchema, *, older_is_later: bool
    ) -> HoodieRecordPayload:
        merged = None
        try:
            record = older._java_read(schema)  # type: ignore[attr-defined]  # noqa: SLF001 (of the same family)
            if record is not None:
                merged = self._merge_old(record, schema, old_is_newer=older_is_later, is_pre_combining=True)
        except PayloadBridgeError:
            pass
        except Exception as error:  # noqa: BLE001 (Hudi catches whatever merging raises, with a line in its log)
            warnings.warn(
                f"{type(self).__name__}: merging two versions of a batch raised {type(error).__name__}: {error}; as in "
                "Hudi the newer version is kept",
                stacklevel=2,
            )
        if merged is None:
            return self
        later = older if older_is_later else self
        return PartialUpdateAvroPayload.for_release(self.release)(merged, later.ordering_value)

    def _merge_old(
        self, old: Record, schema: AvroSchema, *, old_is_newer: bool, is_pre_combining: bool
    ) -> Record | None:
        """Merge with an older version, or a newer one that came before, by the calls that users' classes override."""
        value = self._java_insert_while_merging(schema, is_pre_combining)
        if value is None:
            if not is_pre_combining:
                return None
            msg = f"{type(self).__name__} has no insert value to combine"
            raise PayloadFailedError(msg)
        if not old_is_newer:
            return self._java_merge_records(schema, value, old)
        if COMMIT_TIME in schema.by_name:
            return self._java_merge_disorder(schema, old, value, is_pre_combining)
        return self._java_merge_records(schema, old, value)

    def get_insert_value(self, schema: AvroSchema, props: Props | bool | None = None) -> Record | Sentinel | None:  # noqa: FBT001 (an overload of Java)
        """Return the record, or None if it is a delete.

        Java has another overload, `getInsertValue(schema, isPreCombining)`: with True, a delete gives its record, too.
        """
        if self.is_extended and not self._java_is_empty() and props is True:
            return self._java_read(schema)
        return super().get_insert_value(schema) if self.is_extended else None if self.flagged else self.record

    def _java_insert_while_merging(self, schema: AvroSchema, is_pre_combining: bool) -> Record | None:  # noqa: FBT001 (as in Java)
        return PartialUpdateAvroPayload.get_insert_value(self, schema, is_pre_combining)  # type: ignore[return-value]

    def merge_disorder_records_with_metadata(
        self,
        schema: AvroSchema,
        old_record: Record,
        updating_record: Record,
        is_pre_combining: bool,  # noqa: FBT001 (as in Java)
    ) -> Record | None:
        """Return `old_record`, the later one, filled from `updating_record`, which provides the meta columns.

        Java: `mergeDisorderRecordsWithMetadata`. None where `old_record` is a delete, unless versions are combined.

        Raises:
            SchemaError: a record lacks a field, or null remains in a field that refuses it.
        """
        if not is_pre_combining and self._java_is_delete_record(old_record):
            return None
        if not self.sets_fields:
            return self._merged_with_meta(old_record, updating_record, schema)

        def set_field(builder: RecordBuilder, field: Field) -> None:
            is_meta = field.name in META_COLUMNS
            pair = (updating_record, old_record) if is_meta else (old_record, updating_record)
            self._java_set_field(*pair, builder, field)

        return self._built(schema, set_field)

    _java_merge_disorder = merge_disorder_records_with_metadata

    def overwrite_field(self, value: Value, default_value: Value) -> bool:
        """Whether the value is null, so that the other record's is used, regardless of defaults (`overwriteField`)."""
        return value is None

    _java_overwrite_field = overwrite_field

    @classmethod
    def rule(cls, point: Point, schema: AvroSchema, props: Props) -> MergeRule | None:
        """Return the rule: the later version, filled from the earlier one; meta columns are the newer version's."""
        if point is Point.ALONE:
            return taken(flag(schema))
        columns: dict[str, Column] = {DATA: FirstNonNull((Take(Role.LATER), Take(Role.EARLIER)))}
        has_meta = COMMIT_TIME in schema.by_name
        of_meta = FirstNonNull((Take(NEWER), Take(OLDER))) if has_meta else columns[DATA]
        columns |= {name: of_meta for name in META_COLUMNS if name in schema.by_name}
        newer_deletes = AllOf((LaterIs(NEWER), IsDelete(NEWER)))
        older_deletes = AllOf((LaterIs(OLDER), IsDelete(OLDER)))
        rest = (Effect.NEW, columns, (Needs.COMPLETE,))
        if point is Point.BATCH:
            kept = AnyOf((IsEmpty(OLDER), IsEmpty(NEWER), newer_deletes, *(() if has_meta else (older_deletes,))))
            first = Case(AllOf((COMPARED, kept)), Effect.INCOMING)
            return MergeRule(ByOrdering(), flag(schema), (BOTH_ORDERED, cls.empty_gives_way(), first), *rest)
        fields = ordering_fields(props, cls.release)
        later: Later | None = ByArrival()
        if fields is not None:
            later = by_columns(schema, fields, props, against=Against.CARRIED, tie=NEWER)
        deleted = Case(AllOf((COMPARED, AnyOf((IsDelete(NEWER), older_deletes)))), Effect.DELETE)
        return None if later is None else MergeRule(later, flag(schema), (ORDERED, deleted), *rest)

    def combine_and_get_update_value(
        self,
        current: Record,
        schema: AvroSchema,
        props: Props | None = None,
    ) -> Record | Sentinel | None:
        """Return a new record merged with `current`, None for a delete (of this version, or a later stored flag).

        A delete wins whatever the ordering values say. The payload's own ordering value is compared, not the field
        of its record; without `props` the incoming version is the later one.

        Raises:
            NullOrderingError, OrderingTypeError: a list of ordering values contains null or is too short.
            SchemaError: a record lacks a field, or null remains in a field that refuses it.
        """
        # The comparison comes first, as in Hudi: it can fail for a delete too.
        stored_is_later = props is not None and self._stored_is_later(current, schema, props)
        if self.is_extended:
            return self._merge_old(current, schema, old_is_newer=stored_is_later, is_pre_combining=False)
        if self.record is None or self.flagged:
            return None
        if not stored_is_later:
            return self._merged(self.record, current, schema)
        if COMMIT_TIME in schema.by_name:
            deleted = self._java_is_delete_record(current)
            return None if deleted else self._merged_with_meta(current, self.record, schema)
        return self._merged(current, self.record, schema)

    def _stored_is_later(self, current: Record, schema: AvroSchema, props: Props) -> bool:
        read = ordering_reader(schema, props, self.release)
        stored = None if read is None else read(current)
        if stored is not None and stored.java_type == "map":
            raise OrderingTypeError.from_map()
        return stored is not None and same_class(stored, self.ordering_value) and stored > self.ordering_value

    def _merged(self, high: Record, low: Record, schema: AvroSchema) -> Record | None:
        return None if self._java_is_delete_record(high) else self.filled(high, low, schema)

    def _merged_with_meta(self, later: Record, updating: Record, schema: AvroSchema) -> Record:
        """Fill `later` from `updating`, which arrived after it and so gives the meta columns."""
        merged = self.filled(later, updating, schema)
        for name in META_COLUMNS:
            value: Value = updating.get(name)
            if value is not None and name in schema.by_name:
                merged[name] = value
        return merged
