"""Users' payload classes: their spellings, overloads and copies, behind the payload interface."""

from __future__ import annotations

from payloads.user.adapter import PayloadAdapter
from payloads.user.copies import copied, copier, same_record
from payloads.user.pair_calls import PairCalls
from payloads.user.payloads import adapt

__all__ = [
    "PairCalls",
    "PayloadAdapter",
    "adapt",
    "copied",
    "copier",
    "same_record",
]
