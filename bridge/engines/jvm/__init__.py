"""The jvm engine: a compiled payload or merger inside Spark's own executors."""

from __future__ import annotations

from bridge.engines.jvm.answers import JavaAnswer
from bridge.engines.jvm.built_for import Recompiled, recompiled, recompiled_class, recompiled_warnings
from bridge.engines.jvm.calls import CallStep, ClassCalls, PayloadCalls, decoded, ordering_of
from bridge.engines.jvm.class_loaders import call_beside
from bridge.engines.jvm.engine import run
from bridge.engines.jvm.errors import checked
from bridge.engines.jvm.gateway import Driver
from bridge.engines.jvm.jars import bundle_for, check_spark, jars_of
from bridge.engines.jvm.merger import with_strategy_id
from bridge.engines.jvm.payload import JvmPayload
from bridge.engines.jvm.python_jobs import attached, for_python, in_driver, in_executors, with_port
from bridge.engines.jvm.references import CompiledPayloadRef, jvm_payload

__all__ = [
    "CallStep",
    "ClassCalls",
    "CompiledPayloadRef",
    "Driver",
    "JavaAnswer",
    "JvmPayload",
    "PayloadCalls",
    "Recompiled",
    "attached",
    "bundle_for",
    "call_beside",
    "check_spark",
    "checked",
    "decoded",
    "for_python",
    "in_driver",
    "in_executors",
    "jars_of",
    "jvm_payload",
    "ordering_of",
    "recompiled",
    "recompiled_class",
    "recompiled_warnings",
    "run",
    "with_port",
    "with_strategy_id",
]
