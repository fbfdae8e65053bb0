"""The payload classes that Hudi ships, one module a family."""

from payloads.builtin.default import DefaultHoodieRecordPayload
from payloads.builtin.dms import AWSDmsAvroPayload
from payloads.builtin.overwrite import OverwriteWithLatestAvroPayload

__all__ = ["AWSDmsAvroPayload", "DefaultHoodieRecordPayload", "OverwriteWithLatestAvroPayload"]
