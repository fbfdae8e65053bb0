"""AvroRecordMerger: any payload behind the merger API (HoodieAvroRecordMerger and its pre-combining variant)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

from mergers.api import (
    EVENT_TIME_BASED_MERGE_STRATEGY_UUID,
    PAYLOAD_BASED_MERGE_STRATEGY_UUID,
    HoodieRecordType,
    OperationMode,
)
from mergers.payload_rules import MERGE_RULES
from mergers.record import HoodieAvroIndexedRecord, HoodieAvroRecord, HoodieRecord
from payloads.arguments import checked
from payloads.errors import PayloadConfigError
from payloads.references import PayloadRef
from payloads.registry import resolve_payload
from payloads.release import ByRelease, HudiRelease
from payloads.user import PayloadAdapter, adapt

if TYPE_CHECKING:
    from payloads.api import HoodieRecordPayload, Props
    from payloads.avro import AvroSchema

Older = TypeVar("Older", bound=HoodieRecord)
Newer = TypeVar("Newer", bound=HoodieRecord)
_STRATEGY = ByRelease(EVENT_TIME_BASED_MERGE_STRATEGY_UUID, {"1.0": PAYLOAD_BASED_MERGE_STRATEGY_UUID})


class AvroRecordMerger:
    """Merges two versions of a record by the rule of a payload class.

    `combine` applies an incoming version to a stored one (combine_and_get_update_value), `pre_combine` combines two
    incoming versions. Without a mode the type of the older record decides: plain data is stored, a payload is incoming.
    A merge point always names the mode that its release uses there.
    """

    record_type: Final = HoodieRecordType.AVRO

    @checked
    def __init__(
        self,
        payload: str | PayloadRef | type[HoodieRecordPayload],
        release: str | HudiRelease = HudiRelease.latest(),
        operation_mode: OperationMode | str | None = None,
        *,
        rows_are_avro: bool = True,
    ) -> None:
        """Resolve the payload class in `release`.

        Args:
            payload: a name, a reference, or a class.
            release: the Hudi release whose rules apply.
            operation_mode: `combine`, `pre_combine`, or None to decide by carrier.
            rows_are_avro: whether the engine's rows are Avro records themselves. Where they are Spark's, from 1.1 on,
                what a payload writes into the incoming record and hands back is lost with the copy it was given.

        Raises:
            PayloadNotFoundError: the release has no such payload.
            PayloadConstructorError: the class is not a payload.
            PayloadConfigError: unknown release or mode.
        """
        self.release = HudiRelease.parse(release)
        self.payload_class = _resolved(payload, self.release)
        try:
            self.operation_mode = None if operation_mode is None else OperationMode(operation_mode)
        except ValueError as error:
            msg = f"unknown operation mode {operation_mode!r}; use 'combine', 'pre_combine' or None"
            raise PayloadConfigError(msg) from error
        self.merging_strategy = _STRATEGY.at(self.release)
        self._payload = payload
        self.rows_are_avro = rows_are_avro
        self._rules = MERGE_RULES.at(self.release)(self.payload_class, self.release, rows_are_avro=rows_are_avro)

    def merge(
        self,
        older: Older,
        newer: Newer,
        schema: AvroSchema,
        props: Props,
    ) -> Older | Newer | HoodieAvroIndexedRecord | None:
        """Return the merged version; `older` or `newer` itself if it is kept.

        Until 1.0 a delete is None, and the newer version (in `pre_combine` both) must be a payload. From 1.1 on the
        result is never None: a delete is a version that is `marked_delete`, and either carrier may be on either side.

        Args:
            older: the earlier version: plain data for a stored row, a payload for an incoming version.
            newer: the incoming version.
            schema: the schema of both.
            props: what the merge point passes to the payload.
        """
        mode = self.operation_mode
        if mode is OperationMode.COMBINE or (mode is None and not isinstance(older, HoodieAvroRecord)):
            merged: Any = self._rules.combine(older, newer, schema, props)
        else:
            merged = self._rules.pre_combine(older, newer, schema, props)
        return merged  # type: ignore[no-any-return]

    def __reduce__(self) -> tuple[object, ...]:
        # A bound payload class has no importable name: travel by what it was made from.
        payload = self._payload
        if isinstance(payload, type):
            payload = (
                payload.user_class
                if issubclass(payload, PayloadAdapter)
                else getattr(payload, "unbound", None) or payload
            )
        return _restore, (payload, self.release, self.operation_mode, self.rows_are_avro)

    def __repr__(self) -> str:
        mode = "None" if self.operation_mode is None else repr(self.operation_mode.value)
        return f"AvroRecordMerger({self.payload_class.__name__!r}, {str(self.release)!r}, {mode})"


def _restore(payload: Any, release: HudiRelease, mode: OperationMode | None, rows_are_avro: bool) -> AvroRecordMerger:  # noqa: FBT001
    return AvroRecordMerger(payload, release, mode, rows_are_avro=rows_are_avro)


def _resolved(payload: str | PayloadRef | type[HoodieRecordPayload], release: HudiRelease) -> type[HoodieRecordPayload]:
    if isinstance(payload, str):
        return resolve_payload(payload, release)
    if isinstance(payload, PayloadRef):
        return payload.resolve(release)
    return adapt(payload, release)
