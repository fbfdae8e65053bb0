"""A payload that does what no class should, where the column v says so, and a merger that does; any other row wins."""

from __future__ import annotations

import itertools
import os
import signal
import sys
import time
from typing import TYPE_CHECKING, Any, NoReturn

from mergers import HoodieRecordType
from payloads import OverwriteWithLatestAvroPayload, Record

if TYPE_CHECKING:
    from collections.abc import Callable


class _UnreadableError(Exception):
    def __str__(self) -> str:
        raise ValueError


def _raises(error: BaseException) -> NoReturn:
    raise error


def _prints(record: Record) -> Record:
    print("printed by Python")  # noqa: T201 (it is tried)
    os.write(1, b"written by Python\n")
    return record


def _forks(record: Record) -> Record:
    """Return in two processes."""
    os.fork()
    return record


_DOES: dict[str, Callable[[Record], Any]] = {
    "sys.exit": lambda _: sys.exit(3),
    "GeneratorExit": lambda _: _raises(GeneratorExit()),
    "KeyboardInterrupt": lambda _: _raises(KeyboardInterrupt()),
    "os._exit": lambda _: os._exit(4),
    "surrogate": lambda _: _raises(ValueError("half \ud800 of a pair")),
    "long-message": lambda _: _raises(ValueError("0123456789" * 1_000_000)),
    "unreadable": lambda _: _raises(_UnreadableError()),
    "loop": lambda _: all(True for _ in itertools.count()),
    "sleep": lambda _: time.sleep(3600),
    "other-key": lambda record: {**record, "id": "b"},
    "empty-record": lambda _: {},
    "killed": lambda _: os.kill(os.getpid(), signal.SIGKILL),
    "prints": _prints,
    "forks": _forks,
    "half-a-pair": lambda record: {**record, "v": "a\ud800"},
    "no-text": lambda _: _raises(ValueError()),
}


class Payload(OverwriteWithLatestAvroPayload):
    """A payload."""

    def combine_and_get_update_value(self, current: Record, schema: Any, props: Any = None) -> Any:
        """Misbehave, or overwrite."""
        record: Any = self.get_insert_value(schema)
        does = _DOES.get(record["v"])
        return record if does is None else does(record)


class ColumnMerger:
    """A merger of columns, which does what `how` says where expressions are made."""

    record_type = HoodieRecordType.SPARK
    merging_strategy = "5e1f6e3c-3c3b-4b6f-9d0e-0d6c7f1d2a3c"
    how = "new"

    def merge_columns(self, older: Any, newer: Any, schema: Any, props: Any) -> Any:
        """Misbehave, or take the newer one."""
        does = _DOES.get(self.how)
        return newer.column if does is None else does({})


class Merger:
    """A merger."""

    record_type = HoodieRecordType.AVRO
    merging_strategy = "5e1f6e3c-3c3b-4b6f-9d0e-0d6c7f1d2a3b"

    def merge(self, older: Any, newer: Any, schema: Any, props: Any) -> Any:
        """Misbehave, or take the newer one."""
        does = _DOES.get(newer.record["v"])
        if does is not None:
            newer.record = does(newer.record)
        return newer


class SparkMerger(Merger):
    """A merger of Spark's rows, which Python runs."""

    record_type = HoodieRecordType.SPARK
    merging_strategy = "5e1f6e3c-3c3b-4b6f-9d0e-0d6c7f1d2a3d"
