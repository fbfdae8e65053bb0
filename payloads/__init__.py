"""Record payloads: the interface, the classes that Hudi ships, and users' own classes."""

from __future__ import annotations

from payloads.api import SENTINEL, HoodieRecordPayload
from payloads.avro import NULL_VALUE, AvroSchema, Branch, Record, RecordBuilder, parse_schema
from payloads.builtin import (
    AbstractDebeziumAvroPayload,
    AWSDmsAvroPayload,
    BaseAvroPayload,
    DefaultHoodieRecordPayload,
    EmptyHoodieRecordPayload,
    EventTimeAvroPayload,
    FirstValueAvroPayload,
    HoodieAvroPayload,
    HoodieJsonPayload,
    MySqlDebeziumAvroPayload,
    OracleDebeziumAvroPayload,
    OverwriteNonDefaultsWithLatestAvroPayload,
    OverwriteWithLatestAvroPayload,
    PartialUpdateAvroPayload,
    PostgresDebeziumAvroPayload,
    ReverseOrderHoodieRecordPayload,
    RewriteAvroPayload,
)
from payloads.errors import (
    ArgumentError,
    NullOrderingError,
    OrderingTypeError,
    PayloadBridgeError,
    PayloadConfigError,
    PayloadConstructorError,
    PayloadFailedError,
    PayloadFamilyError,
    PayloadNotFoundError,
    SchemaError,
    UnsupportedPayloadOperationError,
)
from payloads.ordering import NATURAL_ORDER, Ordering
from payloads.references import PayloadRef, StoredPayloadRef
from payloads.registry import builtin_payloads, resolve_payload
from payloads.release import HudiRelease, ReleaseWarning

__all__ = [
    "NATURAL_ORDER",
    "NULL_VALUE",
    "SENTINEL",
    "AWSDmsAvroPayload",
    "AbstractDebeziumAvroPayload",
    "ArgumentError",
    "AvroSchema",
    "BaseAvroPayload",
    "Branch",
    "DefaultHoodieRecordPayload",
    "EmptyHoodieRecordPayload",
    "EventTimeAvroPayload",
    "FirstValueAvroPayload",
    "HoodieAvroPayload",
    "HoodieJsonPayload",
    "HoodieRecordPayload",
    "HudiRelease",
    "MySqlDebeziumAvroPayload",
    "NullOrderingError",
    "OracleDebeziumAvroPayload",
    "Ordering",
    "OrderingTypeError",
    "OverwriteNonDefaultsWithLatestAvroPayload",
    "OverwriteWithLatestAvroPayload",
    "PartialUpdateAvroPayload",
    "PayloadBridgeError",
    "PayloadConfigError",
    "PayloadConstructorError",
    "PayloadFailedError",
    "PayloadFamilyError",
    "PayloadNotFoundError",
    "PayloadRef",
    "PostgresDebeziumAvroPayload",
    "Record",
    "RecordBuilder",
    "ReleaseWarning",
    "ReverseOrderHoodieRecordPayload",
    "RewriteAvroPayload",
    "SchemaError",
    "StoredPayloadRef",
    "UnsupportedPayloadOperationError",
    "builtin_payloads",
    "parse_schema",
    "resolve_payload",
]
