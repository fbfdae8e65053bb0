"""The operation infer_merge_config: how a release completes merge settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bridge.config.inference import MergeSettings, infer, infer_for_creation, infer_for_writes, mode_of_payload
from mergers import RecordMergeMode
from payloads.errors import PayloadBridgeError
from payloads.ordering_fields import java_split
from tests.conformance.avro_json import VectorFormatError
from tests.conformance.vector import Vector, stage

if TYPE_CHECKING:
    from tests.conformance.payload_ops import Observed


class NoArgumentError(PayloadBridgeError):
    """The recorded call never reached Hudi: Java's reflection takes a lone null for an empty list of arguments."""


def infer_merge_config(vector: Vector) -> Observed:
    """Call the function that the vector names."""
    arguments: dict[str, Any] = vector.raw["args"]
    function = vector.raw["function"]
    if function == "inferRecordMergeModeFromPayloadClass":
        return {"merge_mode": _name(_mode_of(arguments["payload_class"], vector))}
    given = MergeSettings(_mode(arguments["merge_mode"]), arguments["payload_class"], arguments["strategy_id"])
    ordering = tuple(java_split(arguments["ordering_fields"] or "", ","))
    version, release = arguments["table_version"], vector.release
    with stage("op"):
        match function:
            case "inferMergingConfigsForV9TableCreation":
                return {"map": infer_for_creation(given, ordering, version, release)}
            case "inferMergingConfigsForWrites":
                settings = infer_for_writes(given, ordering, version, release)
            case "inferMergingConfigsForPreV9Table" | "inferCorrectMergingBehavior":
                settings = infer(given, ordering, version, release)
            case other:
                msg = f"unknown function {other!r}"
                raise VectorFormatError(msg)
    mode, payload, strategy = settings
    return {"merge_mode": mode.name, "payload_class": payload, "strategy_id": strategy}


def _mode_of(payload: str | None, vector: Vector) -> RecordMergeMode | None:
    with stage("op"):
        if payload is None:
            msg = "a class name is needed"
            raise NoArgumentError(msg)
        return mode_of_payload(payload, vector.release)


def _mode(name: str | None) -> RecordMergeMode | None:
    return RecordMergeMode[name] if name else None


def _name(mode: RecordMergeMode | None) -> str | None:
    return None if mode is None else mode.name
