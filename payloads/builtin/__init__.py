"""The payload classes that Hudi ships, one module a family."""

from __future__ import annotations

from payloads.builtin.debezium import MySqlDebeziumAvroPayload, PostgresDebeziumAvroPayload
from payloads.builtin.default import DefaultHoodieRecordPayload
from payloads.builtin.dms import AWSDmsAvroPayload
from payloads.builtin.event_time import EventTimeAvroPayload
from payloads.builtin.first_value import FirstValueAvroPayload
from payloads.builtin.json_text import HoodieJsonPayload
from payloads.builtin.non_defaults import OverwriteNonDefaultsWithLatestAvroPayload
from payloads.builtin.overwrite import OverwriteWithLatestAvroPayload
from payloads.builtin.partial_update import PartialUpdateAvroPayload
from payloads.builtin.plain import EmptyHoodieRecordPayload, HoodieAvroPayload, RewriteAvroPayload
from payloads.builtin.reverse_order import ReverseOrderHoodieRecordPayload

__all__ = [
    "AWSDmsAvroPayload",
    "DefaultHoodieRecordPayload",
    "EmptyHoodieRecordPayload",
    "EventTimeAvroPayload",
    "FirstValueAvroPayload",
    "HoodieAvroPayload",
    "HoodieJsonPayload",
    "MySqlDebeziumAvroPayload",
    "OverwriteNonDefaultsWithLatestAvroPayload",
    "OverwriteWithLatestAvroPayload",
    "PartialUpdateAvroPayload",
    "PostgresDebeziumAvroPayload",
    "ReverseOrderHoodieRecordPayload",
    "RewriteAvroPayload",
]
