"""The JSON of `--output json` as types, verb by verb, from which the JSON Schema is generated.

An object has the keys of its type and no others; `NotRequired` ones may be missing.
"""

from __future__ import annotations

from bridge.report.envelope.base import FORMAT, Envelope
from bridge.report.envelope.verbs import VERBS

__all__ = ["FORMAT", "VERBS", "Envelope"]
