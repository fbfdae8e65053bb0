"""What the Avro merger of each release does with two versions and with what the payload returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from mergers.record import (
    DELETE,
    HoodieAvroIndexedRecord,
    HoodieAvroRecord,
    HoodieRecord,
    greater_ordering_value,
    is_commit_time_delete,
    row_ordering_value,
)
from payloads.api import SENTINEL
from payloads.avro import JavaString
from payloads.builtin import HoodieAvroPayload, OverwriteNonDefaultsWithLatestAvroPayload
from payloads.errors import PayloadBridgeError, PayloadConfigError, PayloadConstructorError, SchemaError
from payloads.release import ByRelease

if TYPE_CHECKING:
    from payloads.api import HoodieRecordPayload, Props
    from payloads.avro import AvroSchema, Field, Record
    from payloads.release import HudiRelease

V = TypeVar("V", bound=HoodieRecord)
_NEEDS_SCHEMA = ByRelease(False, {"1.2": True})


class MergeRules(Protocol):
    """The two operations of the payload bridge in one release."""

    def __init__(
        self, payload_class: type[HoodieRecordPayload], release: HudiRelease, *, rows_are_avro: bool = True
    ) -> None:
        """Bind the rules to a payload class, which is bound to `release` itself."""

    def combine(
        self, older: HoodieRecord, newer: HoodieRecord, schema: AvroSchema, props: Props
    ) -> HoodieRecord | None:
        """Apply `newer` to the stored version `older`."""

    def pre_combine(
        self, older: HoodieRecord, newer: HoodieRecord, schema: AvroSchema, props: Props
    ) -> HoodieRecord | None:
        """Combine two incoming versions."""


class OptionRules:
    """Until 1.0: the newer version is a payload, and an absent result is a delete."""

    def __init__(
        self, payload_class: type[HoodieRecordPayload], release: HudiRelease, *, rows_are_avro: bool = True
    ) -> None:
        """Take the arguments of MergeRules; the payloads come with the versions."""

    def combine(
        self, older: HoodieRecord, newer: HoodieRecord, schema: AvroSchema, props: Props
    ) -> HoodieRecord | None:
        """Call the newer payload with the older version's data; None is a delete.

        An older version without data, which is a delete, makes the merge return nothing, whatever the newer one is.
        """
        payload = _payload_in(newer, "newer")
        stored = older.to_indexed_record(schema, props)
        if stored is None or stored.record is None:
            return None
        merged = payload.combine_and_get_update_value(stored.record, schema, props)
        if merged is None:
            return None
        if merged is SENTINEL or merged is stored.record:
            return stored
        return HoodieAvroIndexedRecord(newer.key, merged, schema, newer.operation)

    def pre_combine(self, older: HoodieRecord, newer: HoodieRecord, schema: AvroSchema, props: Props) -> HoodieRecord:
        """Call the newer payload; the version whose payload it returns is kept as it is."""
        payload, previous = _payload_in(newer, "newer"), _payload_in(older, "older")
        merged = payload.pre_combine(previous, schema, props)
        if merged is payload:
            return newer
        if merged is previous:
            return older
        return HoodieAvroRecord(newer.key, merged, newer.operation)


class BufferedRules:
    """From 1.1: versions are buffered records, and a delete is a version whose operation says so.

    Either carrier represents a buffered record: plain data gets a payload built around it, with its
    ordering value; a payload is taken as it is. The result is never None.
    """

    def __init__(
        self, payload_class: type[HoodieRecordPayload], release: HudiRelease, *, rows_are_avro: bool = True
    ) -> None:
        """Build payloads of `payload_class`; `release` decides on deletes that lost their schema."""
        self._payload_class: Any = payload_class
        self._release = release
        self._needs_schema = _NEEDS_SCHEMA.at(release)
        self._rows_are_avro = rows_are_avro
        # It decodes its record anew for each result, so that its own record counts as one that the payload made.
        self._answers_copies = issubclass(payload_class, HoodieAvroPayload)

    def combine(self, older: HoodieRecord, newer: HoodieRecord, schema: AvroSchema, props: Props) -> HoodieRecord:
        """Call the newer payload with the older version's data.

        A delete with the ordering value Integer 0 on either side gives `newer`, without a call. An older version
        without data gives `newer`, whatever the ordering values. A payload that deletes gives the side that is a
        delete, the newer one first, or a new delete without data that has the greater ordering value. A record that the
        payload made becomes a version without operation, so never a delete, ordered by its own fields.
        """
        if is_commit_time_delete(older) or is_commit_time_delete(newer):
            return newer
        payload = self._payload_of(newer)
        stored = older if isinstance(older, HoodieAvroIndexedRecord) else older.to_indexed_record(schema, props)
        if stored is None or stored.record is None:
            return newer
        merged = payload.combine_and_get_update_value(stored.record, schema, props)
        if merged is None:
            return deleted_version(older, newer, schema)
        if merged is SENTINEL or merged is stored.record:
            return older
        if merged is payload.record and not self._answers_copies:
            return _kept(newer, payload) if self._rows_are_avro else newer
        record = self._as_made(merged, payload, schema)  # type: ignore[arg-type]
        ordering = row_ordering_value(record, schema, props, self._release)
        return HoodieAvroIndexedRecord(newer.key, record, schema, None, ordering)

    def pre_combine(self, older: HoodieRecord, newer: HoodieRecord, schema: AvroSchema, props: Props) -> HoodieRecord:
        """Call the newer payload with the older one; commit-time deletes as in `combine`.

        Raises:
            SchemaError: from 1.2 on, the newer version is a delete that lost its schema.
        """
        if is_commit_time_delete(older) or is_commit_time_delete(newer):
            return newer
        payload, previous = self._payload_of(newer), self._payload_of(older)
        if self._needs_schema and getattr(newer, "schema", schema) is None:
            msg = f"the newer version (key {newer.record_key!r}) has no schema; give the delete the table's schema"
            raise SchemaError(msg)
        merged = payload.pre_combine(previous, schema, props)
        if merged is payload:
            return _kept(newer, payload) if self._rows_are_avro else newer
        if merged is previous:
            return older
        record = merged.get_indexed_record(schema, props)
        if record is None or record is SENTINEL:
            return deleted_version(older, newer, schema)
        record = self._as_made(record, merged, schema)  # type: ignore[arg-type]
        ordering = row_ordering_value(record, schema, props, self._release)
        if isinstance(newer, HoodieAvroRecord):
            return HoodieAvroRecord(newer.key, self._payload_class(record, ordering))
        return HoodieAvroIndexedRecord(newer.key, record, schema, None, ordering)

    def _payload_of(self, version: Any) -> HoodieRecordPayload:
        if isinstance(version, HoodieAvroRecord):
            return version.payload
        return payload_around(self._payload_class, version)

    def _as_made(self, made: Record, payload: HoodieRecordPayload, schema: AvroSchema) -> Record:
        """Return a record that `payload` made as it is in Java until it is stored.

        The payloads that merge column by column turn the plain text that they don't leave to the other side into
        Java strings. These can't be compared with Avro strings: neither in a list of ordering values, nor when a later
        version is compared with this one.
        """
        if not self._rows_are_avro or not isinstance(payload, OverwriteNonDefaultsWithLatestAvroPayload):
            return made
        taken = payload.record or {}
        texts = {
            field.name: JavaString(made[field.name])
            for field in schema.derived(_plain_texts)
            if not payload.gap_of(field)(taken.get(field.name))
        }
        return {**made, **texts} if texts else made


def _plain_texts(schema: AvroSchema) -> tuple[Field, ...]:
    """Return the fields whose type is string itself, not a union with it."""
    return tuple(field for field in schema.fields if field.schema.kind == "string")


def payload_around(payload_class: type[HoodieRecordPayload], version: HoodieAvroIndexedRecord) -> HoodieRecordPayload:
    """Return a payload with the data of `version`; a null ordering value is left out.

    Raises:
        PayloadConstructorError: the class can't be made from (record, ordering_value).
    """
    ordering = version.ordering_value
    arguments = (version.record,) if ordering is None else (version.record, ordering)
    try:
        return payload_class(*arguments)
    except PayloadBridgeError:
        raise
    except TypeError as error:
        msg = (
            f"{payload_class.__name__} has no constructor for (record, ordering_value) ({error}); "
            "from 1.0 on a merge builds payloads with it: choose another payload class"
        )
        raise PayloadConstructorError(msg) from error


def deleted_version(older: V, newer: V, schema: AvroSchema) -> V | HoodieAvroIndexedRecord:
    """Return the delete that two versions merge to: the newer one if it is one, else the older, else a new one.

    A new delete has no data, the key of `newer` and the greater ordering value.

    Raises:
        NullOrderingError, OrderingTypeError: neither is a delete and their ordering values can't be compared.
    """
    if newer.marked_delete:
        return newer
    if older.marked_delete:
        return older
    versions: tuple[Any, Any] = older, newer
    ordering = greater_ordering_value(*(version.ordering_value for version in versions))
    return HoodieAvroIndexedRecord(newer.key, None, schema, DELETE, ordering)


def _payload_in(version: HoodieRecord, role: str) -> HoodieRecordPayload:
    if not isinstance(version, HoodieAvroRecord):
        msg = (
            f"the {role} version must be carried by a payload, not by {type(version).__name__}; "
            "only the stored row of a merge in combine mode is plain data"
        )
        raise PayloadConfigError(msg)
    return version.payload


def _kept(newer: HoodieRecord, payload: HoodieRecordPayload) -> HoodieRecord:
    """Return `newer`, with the payload's record where the payload has edited a copy of the data it was built around."""
    if isinstance(newer, HoodieAvroIndexedRecord) and payload.record is not newer.record:
        return HoodieAvroIndexedRecord(newer.key, payload.record, newer.schema, newer.operation, newer.ordering_value)
    return newer


MERGE_RULES: ByRelease[type[MergeRules]] = ByRelease(OptionRules, {"1.1": BufferedRules})
"""The rules of each release."""
