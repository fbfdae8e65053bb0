"""Users' payload classes behind the payload interface: method names, overloads, copies."""

from __future__ import annotations

from payloads.avro import same_record
from payloads.user.adapter import PayloadAdapter
from payloads.user.by_rule import FoundRule, RulePayload, states_rule
from payloads.user.copies import EditedRecord, copied, copier
from payloads.user.guard import (
    CALL_TIMEOUT,
    CallEndedError,
    CallGuard,
    Capped,
    end_copy_of,
    error_text,
    no_exit,
    printable,
)
from payloads.user.pair_calls import PairCalls, UserCalls
from payloads.user.payloads import adapt
from payloads.user.raised import failure_of, sendable
from payloads.user.watch import calls_users_code, watching
from payloads.visible import one_line

__all__ = [
    "CALL_TIMEOUT",
    "CallEndedError",
    "CallGuard",
    "Capped",
    "EditedRecord",
    "FoundRule",
    "PairCalls",
    "PayloadAdapter",
    "RulePayload",
    "UserCalls",
    "adapt",
    "calls_users_code",
    "copied",
    "copier",
    "end_copy_of",
    "error_text",
    "failure_of",
    "no_exit",
    "one_line",
    "printable",
    "same_record",
    "sendable",
    "states_rule",
    "watching",
]
