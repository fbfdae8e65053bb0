"""The Spark session of a verb, without the line that Java prints for Spark 4 before logging is set up."""

from __future__ import annotations

import contextlib
import importlib
import os
import threading
from typing import TYPE_CHECKING

import pyspark
from pyspark.sql import SparkSession

from bridge.cli.run import current_run
from bridge.cli.session import session_settings
from bridge.cli.writing import check_storage, stop_if_dry
from bridge.spark import session_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bridge.spark import SessionOptions

_GREETING = b"WARNING: Using incubator modules: jdk.incubator.vector"


def quiet_session(*, small: bool = False) -> SparkSession:
    """Return the active session, or the one that the verb's options describe.

    Anything else that Java prints still reaches standard error. Meanwhile loads, in a thread, the modules that PySpark
    loads with the first frame.

    Raises:
        JavaNotFoundError: there is no Java that Spark can run on.
        EngineError: what the options name can't be reached, or Spark does not start.
        UsageError: the options contradict each other.
        InputError: what is to be written is there already, on a storage.
        DryRunEnd: the verb has `--dry-run`.
    """
    options = session_settings()
    stop_if_dry()
    spark = _session(options, small=small)
    check_storage(spark)
    if (run := current_run()) is not None:
        run.use(spark)
    return spark


def _session(options: SessionOptions, *, small: bool) -> SparkSession:
    if SparkSession.getActiveSession() is not None:
        return session_of(options)
    threading.Thread(target=importlib.import_module, args=("pandas",), daemon=True).start()
    with contextlib.nullcontext() if pyspark.__version__.startswith("3.") else _without_greeting():
        return session_of(options, small=small)


@contextlib.contextmanager
def _without_greeting() -> Iterator[None]:
    """Let child processes that start here write their standard error through a filter, as long as they live."""
    original = os.dup(2)
    readable, writable = os.pipe()
    os.dup2(writable, 2)
    os.close(writable)
    threading.Thread(target=_copy, args=(readable, original), daemon=True).start()
    try:
        yield
    finally:
        os.dup2(original, 2)


def _copy(readable: int, original: int) -> None:
    with os.fdopen(readable, "rb") as lines, os.fdopen(original, "wb", buffering=0) as stderr:
        for line in lines:
            if not line.startswith(_GREETING):
                stderr.write(line)
