"""The start of the driver's JVM, as PySpark starts it, but it leaves standard output alone and is not left behind."""

from __future__ import annotations

import os
import subprocess
import traceback
from typing import TYPE_CHECKING, Final

from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import launch_gateway

from bridge.spark.java_names import remembering

if TYPE_CHECKING:
    from collections.abc import Mapping

_STDERR: Final = 2


def start_java(settings: Mapping[str, str]) -> None:
    """Start the driver's JVM, where there is none, as PySpark does, but with its standard output on standard error.

    Standard output is that of the program whose session it is: Java, Ivy and compiled classes print beside it.
    """
    if SparkContext._gateway is not None or "PYSPARK_GATEWAY_PORT" in os.environ:  # noqa: SLF001 (PySpark's only mark)
        return
    try:
        os.fstat(_STDERR)
    except OSError:  # it is closed
        return
    conf = SparkConf().setAll(list(settings.items()))
    try:
        gateway = launch_gateway(conf, {"stdout": _STDERR})  # type: ignore[no-untyped-call]
    except BaseException as error:
        _kill_started(error)
        raise
    gateway.jvm = remembering(gateway.jvm)
    SparkContext._ensure_initialized(gateway=gateway)  # noqa: SLF001 (as above)


def _kill_started(error: BaseException) -> None:
    """Kill the JVM whose start a signal has interrupted: PySpark knows it no longer, and it would run for good."""
    for frame, _ in traceback.walk_tb(error.__traceback__):
        process = frame.f_locals.get("proc")
        if isinstance(process, subprocess.Popen):
            process.kill()
            process.wait()
