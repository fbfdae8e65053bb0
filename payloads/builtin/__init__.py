"""The payload classes that Hudi ships, one module a family."""

from __future__ import annotations

from payloads.avro import is_null
from payloads.builtin.base import ALL_RELEASES, BaseAvroPayload, BuiltinPayload, seal
from payloads.builtin.debezium import (
    CHANGE_OPERATION_FIELD,
    POSTGRES_LSN,
    AbstractDebeziumAvroPayload,
    MySqlDebeziumAvroPayload,
    PostgresDebeziumAvroPayload,
)
from payloads.builtin.default import (
    DELETE_FIELD,
    DELETE_MARKER,
    EVENT_TIME_FIELD,
    UPDATE_ON_SAME_ORDERING,
    DefaultHoodieRecordPayload,
)
from payloads.builtin.dms import DMS_OPERATION_FIELD, AWSDmsAvroPayload
from payloads.builtin.event_time import EventTimeAvroPayload
from payloads.builtin.first_value import FirstValueAvroPayload
from payloads.builtin.json_text import HoodieJsonPayload
from payloads.builtin.markers import UNAVAILABLE
from payloads.builtin.non_defaults import OverwriteNonDefaultsWithLatestAvroPayload
from payloads.builtin.oracle import CHANGED_COLUMNS, ORACLE_ORDERING, ORACLE_RETAINED, OracleDebeziumAvroPayload
from payloads.builtin.overwrite import OverwriteWithLatestAvroPayload
from payloads.builtin.partial_update import PartialUpdateAvroPayload
from payloads.builtin.plain import EmptyHoodieRecordPayload, HoodieAvroPayload, RewriteAvroPayload
from payloads.builtin.reverse_order import ReverseOrderHoodieRecordPayload
from payloads.records import MYSQL_SEQUENCE, compare_positions
from payloads.rules import IS_DELETED

__all__ = [
    "ALL_RELEASES",
    "CHANGED_COLUMNS",
    "CHANGE_OPERATION_FIELD",
    "DELETE_FIELD",
    "DELETE_MARKER",
    "DMS_OPERATION_FIELD",
    "EVENT_TIME_FIELD",
    "IS_DELETED",
    "MYSQL_SEQUENCE",
    "ORACLE_ORDERING",
    "ORACLE_RETAINED",
    "POSTGRES_LSN",
    "UNAVAILABLE",
    "UPDATE_ON_SAME_ORDERING",
    "AWSDmsAvroPayload",
    "AbstractDebeziumAvroPayload",
    "BaseAvroPayload",
    "BuiltinPayload",
    "DefaultHoodieRecordPayload",
    "EmptyHoodieRecordPayload",
    "EventTimeAvroPayload",
    "FirstValueAvroPayload",
    "HoodieAvroPayload",
    "HoodieJsonPayload",
    "MySqlDebeziumAvroPayload",
    "OracleDebeziumAvroPayload",
    "OverwriteNonDefaultsWithLatestAvroPayload",
    "OverwriteWithLatestAvroPayload",
    "PartialUpdateAvroPayload",
    "PostgresDebeziumAvroPayload",
    "ReverseOrderHoodieRecordPayload",
    "RewriteAvroPayload",
    "compare_positions",
    "is_null",
]

seal()
