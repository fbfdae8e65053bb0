"""Users' payload classes behind the payload interface: method names, overloads, copies."""

from __future__ import annotations

from payloads.user.adapter import PayloadAdapter
from payloads.user.copies import EditedRecord, copied, copier, same_record
from payloads.user.guard import CALL_TIMEOUT, CallEndedError, CallGuard, error_text, printable
from payloads.user.pair_calls import PairCalls, UserCalls
from payloads.user.payloads import adapt

__all__ = [
    "CALL_TIMEOUT",
    "CallEndedError",
    "CallGuard",
    "EditedRecord",
    "PairCalls",
    "PayloadAdapter",
    "UserCalls",
    "adapt",
    "copied",
    "copier",
    "error_text",
    "printable",
    "same_record",
]
