"""OracleDebeziumAvroPayload: change rows of Oracle, whose `_changed_columns` says which columns count.

Source: the class of apache/hudi#19322, which no release has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from payloads.builtin.debezium import CHANGE_OPERATION_FIELD, DELETE_OPERATION, has_delete_operation
from payloads.builtin.markers import MARKERS, marker_kinds, marker_tests
from payloads.builtin.partial_update import PartialUpdateAvroPayload
from payloads.builtin.rules import BOTH_ORDERED, COMPARED, NEWER, OLDER, ORDERED, by_columns, flag_or_text
from payloads.errors import PayloadBridgeError, SchemaError
from payloads.java import joined_names, listed_names
from payloads.ordering_fields import ordering_fields
from payloads.release import releases
from payloads.rules import (
    IS_DELETED,
    Against,
    AllOf,
    AnyOf,
    ByArrival,
    ByOrdering,
    Case,
    Effect,
    FirstNonMarker,
    IfElse,
    IsDelete,
    IsEmpty,
    IsListed,
    JoinedLists,
    LaterIs,
    MergeRule,
    Needs,
    Not,
    Point,
    Role,
    Take,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from payloads.api import HoodieRecordPayload, Props, Sentinel
    from payloads.avro import AvroSchema, Record, Value
    from payloads.rules import Column, Later

CHANGED_COLUMNS: Final = "_changed_columns"
ORACLE_ORDERING: Final = "_event_ordering"
ORACLE_RETAINED: Final = (
    "_event_scn",
    "_event_commit_scn",
    ORACLE_ORDERING,
    "_debezium_metadata",
    CHANGE_OPERATION_FIELD,
    "_upstream_event_processed_ts_ms",
    "db_shard_source_partition",
    "_event_origin_ts_ms",
    IS_DELETED,
)
"""The columns about the change itself: they are always those of the later version."""


class OracleDebeziumAvroPayload(PartialUpdateAvroPayload):
    """A change row of Oracle, merged column by column: `_changed_columns` lists those that the row sends.

    The listed columns and the columns about the change come from the later version; all columns do if it lists none.
    The others come from the earlier version, as do texts and bytes that hold Debezium's marker. The lists are joined: a
    row merged from two changes lists what either sends. A later delete (`_change_operation_type` = d in any case, or
    `_hoodie_is_deleted`) deletes the row; nothing is taken from an earlier delete.

    Only Hudi 1.3 (preview) has it: the rules are taken from sources and were not compared with a release. Its tables of
    version 9 merge by EVENT_TIME_ORDERING/FILL_UNCHANGED instead.

    Added in 0.2.0.
    """

    __slots__ = ()

    java_name = "org.apache.hudi.common.model.debezium.OracleDebeziumAvroPayload"
    shipped = releases(since="1.3", until="1.3")
    own_overloads = frozenset({"pre_combine", "combine_and_get_update_value", "get_insert_value"})

    def is_delete_record(self, record: Record) -> bool:
        """Whether the operation is a delete, or `_hoodie_is_deleted` is true; either column may be missing."""
        return has_delete_operation(record) or super().is_delete_record(record)

    _java_is_delete_record = is_delete_record

    def get_insert_value(self, schema: AvroSchema, props: Props | bool | None = None) -> Record | Sentinel | None:  # noqa: FBT001 (an overload of Java)
        """Return the record; None if there is none, or, without `props`, if it is a delete.

        Java's overload with properties gives a delete its record on purpose; `is_deleted` tells that it is one.
        """
        return super().get_insert_value(schema) if props is None else self.record

    def pre_combine(
        self,
        older: HoodieRecordPayload,
        schema: AvroSchema | None = None,
        props: Props | None = None,
    ) -> HoodieRecordPayload:
        """Return a new payload with the merged record, deletes included, and the greater ordering value.

        Returns `older` if it is a later delete, and `self` if there is nothing to merge or merging fails.

        Raises:
            OrderingTypeError: the ordering values have different Java classes.
        """
        if schema is None:
            return super().pre_combine(older, schema, props)
        self.check_family(older)
        if self.record is None:
            return self
        older_is_later = older.ordering_value > self.ordering_value
        theirs = older.get_insert_value(schema)
        if theirs is None:
            return older if older_is_later else self
        try:
            merged = self._merged_by_lists(theirs, schema, stored_is_later=older_is_later, is_pre_combining=True)  # type: ignore[arg-type]  # no sentinel
        except PayloadBridgeError:
            return self
        later = older if older_is_later else self
        return OracleDebeziumAvroPayload.for_release(self.release)(merged, later.ordering_value)

    def combine_and_get_update_value(
        self,
        current: Record,
        schema: AvroSchema,
        props: Props | None = None,
    ) -> Record | Sentinel | None:
        """Return a new record merged with `current`, or None if the later version is a delete.

        If the earlier version is a delete, the later record is returned unchanged. Without `props` the incoming version
        is the later one.

        Raises:
            NullOrderingError, OrderingTypeError: a list of ordering values contains null or is too short.
            SchemaError: a record lacks a field, or null remains in a field that refuses it.
            PayloadFailedError: a union with a string branch holds another type; Hudi casts it to text.
        """
        stored_is_later = props is not None and self._stored_is_later(current, schema, props)
        return self._merged_by_lists(current, schema, stored_is_later=stored_is_later, is_pre_combining=False)

    def _merged_by_lists(
        self, current: Record, schema: AvroSchema, *, stored_is_later: bool, is_pre_combining: bool
    ) -> Record | None:
        if self.record is None:
            return None
        later, earlier = (current, self.record) if stored_is_later else (self.record, current)
        if self._java_is_delete_record(later):
            return later if is_pre_combining else None
        if self._java_is_delete_record(earlier):
            return later
        listed = listed_names(later.get(CHANGED_COLUMNS))
        is_marker = schema.derived(_tests_by_name)
        merged: Record = {}
        for field in schema.fields:
            name = field.name
            for record in (later, earlier):
                if name not in record:
                    msg = f"{type(self).__name__}: {SchemaError.from_missing_field(name, record)}"
                    raise SchemaError(msg)
            value = later[name]
            if name == CHANGED_COLUMNS:
                value = joined_names(listed, listed_names(earlier[name]))
            elif name not in ORACLE_RETAINED and (
                (name in is_marker and is_marker[name](value)) or (listed and name not in listed)
            ):
                value = earlier[name]
            if value is None and not (field.schema.nullable or field.has_default):
                msg = f"{type(self).__name__}: the field {name!r} does not accept null and has no default"
                raise SchemaError(msg)
            merged[name] = value
        return merged

    @classmethod
    def rule(cls, point: Point, schema: AvroSchema, props: Props) -> MergeRule | None:
        """Return the rule; None if a column that it reads is not text, or a union of types may hold the marker."""
        deletes = flag_or_text(schema, CHANGE_OPERATION_FIELD, DELETE_OPERATION)
        columns = _columns_of(schema)
        if deletes is None or columns is None:
            return None
        if point is Point.ALONE:
            return MergeRule(cases=(ORDERED, Case(IsEmpty(NEWER), Effect.DELETE)), otherwise=Effect.INCOMING)
        rest = (Effect.NEW, columns, (Needs.COMPLETE,))
        if point is Point.BATCH:
            older_is_later = Case(AllOf((LaterIs(OLDER), IsDelete(OLDER))), Effect.CURRENT)
            cases = (
                BOTH_ORDERED,
                Case(IsEmpty(NEWER), Effect.INCOMING),
                older_is_later,
                Case(IsDelete(OLDER), Effect.INCOMING),
            )
            return MergeRule(ByOrdering(), deletes, cases, *rest)
        fields = ordering_fields(props, cls.release)
        later: Later | None = ByArrival()
        if fields is not None:
            later = by_columns(schema, fields, props, against=Against.CARRIED, tie=NEWER)
        deleted = Case(AllOf((COMPARED, AnyOf((IsEmpty(NEWER), IsDelete(Role.LATER))))), Effect.DELETE)
        whole = Case(IsDelete(Role.EARLIER), Effect.WINNER)
        return None if later is None else MergeRule(later, deletes, (ORDERED, deleted, whole), *rest)


def _tests_by_name(schema: AvroSchema) -> dict[str, Callable[[Value], bool]]:
    return dict(marker_tests(schema))


def _columns_of(schema: AvroSchema) -> dict[str, Column] | None:
    """Return the value of each column; None where the marker or the list can't be read as the class reads it."""
    kinds = dict(marker_kinds(schema))
    lists = CHANGED_COLUMNS in schema.by_name
    if lists and schema.by_name[CHANGED_COLUMNS].schema.non_null.kind != "string":
        return None
    if any(schema.by_name[name].schema.non_null.kind not in MARKERS for name in kinds):
        return None
    is_delete = AnyOf((IsDelete(Role.LATER), IsDelete(Role.EARLIER)))
    found: dict[str, Column] = {}
    for name in schema.by_name:
        own: Column = Take(Role.LATER)
        if name == CHANGED_COLUMNS:
            found[name] = IfElse(is_delete, own, JoinedLists())
            continue
        if name in ORACLE_RETAINED:
            found[name] = own
            continue
        if name in kinds:
            own = FirstNonMarker((Take(Role.LATER), Take(Role.EARLIER)), MARKERS[kinds[name]])
        if lists:
            sent = AnyOf(
                (Not(IsListed(Role.LATER, CHANGED_COLUMNS, None)), IsListed(Role.LATER, CHANGED_COLUMNS, name))
            )
            own = IfElse(sent, own, Take(Role.EARLIER))
        found[name] = own if own == Take(Role.LATER) else IfElse(is_delete, Take(Role.LATER), own)
    return found
