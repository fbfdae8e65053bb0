"""PartialUpdateAvroPayload: the non-null values of the version with the greater ordering value come first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from payloads.builtin.base import FillRule, PairRule
from payloads.builtin.non_defaults import OverwriteNonDefaultsWithLatestAvroPayload, is_null
from payloads.errors import OrderingTypeError, SchemaError
from payloads.ordering import NATURAL_ORDER, same_class
from payloads.ordering_fields import CONSISTENT_TIMESTAMP, is_true, ordering_fields, ordering_reader
from payloads.release import releases

if TYPE_CHECKING:
    from payloads.api import HoodieRecordPayload, Props, Sentinel
    from payloads.avro import AvroSchema, Field, Record
    from payloads.builtin.non_defaults import Gap
    from payloads.ordering import Ordering

COMMIT_TIME = "_hoodie_commit_time"
META_COLUMNS = (
    COMMIT_TIME,
    "_hoodie_commit_seqno",
    "_hoodie_record_key",
    "_hoodie_partition_path",
    "_hoodie_file_name",
)


class PartialUpdateAvroPayload(OverwriteNonDefaultsWithLatestAvroPayload):
    """Merge field by field: the later version's values, and the earlier version's where the later one has null.

    `ordering_value` says which is later; on a tie, or against a stored row that can't be compared, the incoming one.
    Declared defaults play no part; only `_hoodie_is_deleted` marks a delete.

    Two results are surprising, but they are Hudi's: without meta columns in the schema, data that is older than a
    delete beats it within a batch; and a newer version that leaves `_hoodie_is_deleted` null inherits the flag of an
    older delete.

    Added in 0.1.0.
    """

    __slots__ = ()

    java_name = "org.apache.hudi.common.model.PartialUpdateAvroPayload"
    shipped = releases(since="0.13")

    @staticmethod
    def gap_of(field: Field) -> Gap:  # noqa: ARG004
        """Return the test for null, whatever the default of `field` is."""
        return is_null

    def pre_combine(
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

    @classmethod
    def fill_rule(cls, schema: AvroSchema, props: Props, ordering: Ordering | None) -> FillRule | None:
        """Return the comparison by the one ordering field; None for several, and for truncated timestamps."""
        own = PartialUpdateAvroPayload.combine_and_get_update_value
        if cls.combine_and_get_update_value is not own or is_true(props.get(CONSISTENT_TIMESTAMP)):
            return None
        fields = ordering_fields(props, cls.release)
        if fields is None:
            return FillRule(PairRule(None), makes_rows=True)
        read = ordering_reader(schema, props, cls.release)
        if len(fields) != 1 or ordering is None or read is None or ordering is NATURAL_ORDER:
            return None
        stored = read({fields[0]: ordering.value})  # values of another class are never later
        is_compared = stored is not None and same_class(stored, ordering)
        return FillRule(PairRule(fields[0], (True, True, False)) if is_compared else PairRule(None), makes_rows=True)

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
        if self.record is None or self.flagged:
            return None
        if not stored_is_later:
            return self._merged(self.record, current, schema)
        if COMMIT_TIME in schema.by_name:
            deleted = self.is_delete_record(current)
            return None if deleted else self._merged_with_meta(current, self.record, schema)
        return self._merged(current, self.record, schema)

    def _stored_is_later(self, current: Record, schema: AvroSchema, props: Props) -> bool:
        read = ordering_reader(schema, props, self.release)
        stored = None if read is None else read(current)
        if stored is not None and stored.java_type == "map":
            raise OrderingTypeError.from_map()
        return stored is not None and same_class(stored, self.ordering_value) and stored > self.ordering_value

    def _merged(self, high: Record, low: Record, schema: AvroSchema) -> Record | None:
        return None if self.is_delete_record(high) else self.filled(high, low, schema)

    def _merged_with_meta(self, later: Record, updating: Record, schema: AvroSchema) -> Record:
        """Fill `later` from `updating`, which arrived after it and so gives the meta columns."""
        merged = self.filled(later, updating, schema)
        for name in META_COLUMNS:
            value: Any = updating.get(name)
            if value is not None and name in schema.by_name:
                merged[name] = value
        return merged
