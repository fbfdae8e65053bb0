"""The jvm engine: a compiled payload or merger inside Spark's own executors."""

from __future__ import annotations

from bridge.engines.jvm.answers import JavaAnswer
from bridge.engines.jvm.calls import CallStep, PayloadCalls, decoded, ordering_of
from bridge.engines.jvm.engine import run
from bridge.engines.jvm.errors import checked
from bridge.engines.jvm.gateway import Driver
from bridge.engines.jvm.jars import jars_of
from bridge.engines.jvm.payload import JvmPayload, jvm_payload

__all__ = [
    "CallStep",
    "Driver",
    "JavaAnswer",
    "JvmPayload",
    "PayloadCalls",
    "checked",
    "decoded",
    "jars_of",
    "jvm_payload",
    "ordering_of",
    "run",
]
