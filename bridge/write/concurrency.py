"""Hudi's own optimistic concurrency control, told to look for conflicts since the stored rows were read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from bridge.config import keys
from bridge.engines import call_beside
from bridge.errors import ConflictError, PlanError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pyspark.sql import SparkSession

TRIES: Final = 5
"""How often a batch is merged, at most, while other writers commit meanwhile."""

_CLASS: Final = "bridge.write.SinceTheRead"
_SOURCE: Final = Path(__file__).parent / "java" / "SinceTheRead.java"
_NEIGHBOUR: Final = "org.apache.hudi.client.transaction.SimpleConcurrentFileWritesConflictResolutionStrategy"
_MODE: Final = "OPTIMISTIC_CONCURRENCY_CONTROL"
_SINGLE: Final = "SINGLE_WRITER"
_CONFLICTS: Final = ("HoodieWriteConflictException", "HoodieEarlyConflictDetectionException")


class RefusedCommitError(ConflictError):
    """Hudi refused a commit because of another writer's; nothing of it shows, and the batch can be merged again."""


def is_locked(options: Mapping[str, str]) -> bool:
    """Whether a writer's options let several writers in, by a lock of the table."""
    return options.get(keys.CONCURRENCY_MODE, _SINGLE).strip().upper() == _MODE


def lock_options(given: Mapping[str, str]) -> dict[str, str]:
    """Return what a writer needs beside the options given, to check from the read; nothing for one writer.

    Raises:
        PlanError: the options name no lock provider, or a concurrency control that checks nothing.
    """
    mode = given.get(keys.CONCURRENCY_MODE, _SINGLE).strip().upper()
    if mode == _SINGLE:
        return {}
    if mode != _MODE:
        msg = f"{keys.CONCURRENCY_MODE}={mode}: another writer's rows would be overwritten; use {_MODE}"
        raise PlanError(msg)
    if not given.get(keys.LOCK_PROVIDER):
        msg = f"{keys.CONCURRENCY_MODE}={mode} needs the table's lock; set {keys.LOCK_PROVIDER}"
        raise PlanError(msg)
    return {keys.CONFLICT_STRATEGY: _CLASS, keys.FAILED_WRITES_POLICY: "LAZY"}


def check_since(spark: SparkSession, completed: Iterable[str]) -> None:
    """Make the commit that this thread begins next conflict with every commit that is not one of `completed`.

    It conflicts, too, if one of `completed` has gone from the timeline, unless it is so old that it was archived.

    Raises:
        EngineError: Hudi can't be given the class that compares them.
    """
    call_beside(spark, _NEIGHBOUR, _SOURCE, _CLASS, "read", ",".join(completed))


def forget_read(spark: SparkSession) -> None:
    """Let later commits of this thread know nothing of what the last one had read.

    Raises:
        EngineError: as in `check_since`.
    """
    call_beside(spark, _NEIGHBOUR, _SOURCE, _CLASS, "forget")


def is_conflict(error: Exception) -> bool:
    """Whether Hudi's writer failed because another one had written meanwhile."""
    told = str(error)
    return any(name in told for name in _CONFLICTS)
