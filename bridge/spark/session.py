"""The Spark session: the active one, one of a cluster or of Spark Connect, or one inside this process."""

from __future__ import annotations

import atexit
import contextlib
import dataclasses
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import urllib.parse
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
from py4j.protocol import Py4JError, Py4JNetworkError
from pyspark import SparkContext
from pyspark.find_spark_home import _find_spark_home
from pyspark.sql import SparkSession

from bridge.errors import EngineError, ParameterError, sentence_of
from bridge.spark import arrow_batches, class_archive, small_input
from bridge.spark.failures import PySparkException
from bridge.spark.java import find_java
from bridge.spark.java_start import start_java
from bridge.spark.lines import check_python, line_of

if TYPE_CHECKING:
    from collections.abc import Mapping

_LOGGING = Path(__file__).with_name("log4j2.properties")
FAILURES = "PAYLOAD_BRIDGE_FAILURES"
"""The variable of the environment, of workers on this machine alone, that names the folder of noted failures."""
_GIB = 1 << 30
_CONNECT_SECONDS = 10
_DYING = 5
"""How many seconds the end of a Java process is waited for."""
_HEAP = "spark.driver.memory"
_PARTITIONS = 32  # of a shuffle, by core, at most


@dataclasses.dataclass(frozen=True)
class SessionOptions:
    """Where Spark runs, as the user chose.

    Attributes:
        master: the Spark master: spark://HOST:PORT, yarn, k8s://URL or local[N]; None for this machine, all cores.
        remote: the Spark Connect server: sc://HOST:PORT; None for SPARK_REMOTE, if it is set.
        conf: settings of Spark, such as spark.executor.memory=8g or spark.hadoop.fs.s3a.endpoint=URL.
        packages: Maven packages that Spark needs to reach a storage, such as org.apache.hadoop:hadoop-aws:3.3.4.
    """

    master: str | None = None
    remote: str | None = None
    conf: Mapping[str, str] = dataclasses.field(default_factory=dict)
    packages: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check where it runs.

        Raises:
            ParameterError: in two places.
        """
        if self.master and self.remote:
            msg = "`master` and `remote` are two ways to run; give one"
            raise ParameterError(msg)


def session_of(options: SessionOptions | None = None, *, small: bool = False) -> SparkSession:
    """Return the active session, or that of spark-submit; else start one where `options` say.

    Java then prints to standard error, so that standard output is that of the program alone.

    Without a master it runs inside this process, on all cores. `small` is as in `local_session`, and has no effect
    elsewhere.

    Raises:
        JavaNotFoundError: there is no Java that Spark can run on.
        EngineError: master or server can't be reached, or Spark does not start, or not with this Python.
    """
    options = options or SessionOptions()
    check_python()
    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    remote = options.remote or os.environ.get("SPARK_REMOTE")
    if remote is not None:
        return _connected(remote, options)
    if _is_submitted():
        submitted = SparkSession.builder.getOrCreate()
        system = submitted.sparkContext._jvm.java.lang.System  # type: ignore[union-attr]  # noqa: SLF001 (PySpark's only way to the JVM)
        system.setOut(system.err)  # what this program prints goes through the stream that was there before
        return submitted
    conf = dict(options.conf)
    master = options.master or conf.pop("spark.master", None)
    if options.packages:
        conf["spark.jars.packages"] = ",".join(filter(None, (conf.get("spark.jars.packages"), *options.packages)))
    if master is None or is_local(master):
        return _local(master, small=small, conf=conf)
    _check_reachable(master, "the master", "spark")
    os.environ.setdefault("JAVA_HOME", str(find_java()))
    settings = _COMMON | arrow_batches.settings(conf) | {"spark.driver.extraJavaOptions": _java_options()}
    return _started(master, settings | conf)


def local_session(cores: int | None = None, *, small: bool = False) -> SparkSession:
    """Return a Spark session inside this process, or the active one, unchanged.

    It has `cores` cores, by default all of the machine, and a heap sized to the machine's memory. It sets
    `PYSPARK_PYTHON` and `JAVA_HOME` of this process: workers must run this interpreter, because they import the same
    packages, and Spark starts the Java that `find_java` returns. With `small`, which is for small inputs only, the
    session starts faster and runs everything in one task.

    Raises:
        JavaNotFoundError: there is no Java that Spark can run on.
        EngineError: this PySpark does not run with this Python.
    """
    check_python()
    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    return _local(None if cores is None else f"local[{cores}]", small=small, conf={})


def is_local(master: str) -> bool:
    """Whether executors of this master are threads of the driver."""
    return master.startswith("local") and not master.startswith("local-cluster")


def is_connect(spark: SparkSession) -> bool:
    """Whether a session is one of Spark Connect, whose driver is elsewhere."""
    return not hasattr(spark, "_jsparkSession")


def _local(master: str | None, *, small: bool, conf: Mapping[str, str]) -> SparkSession:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    java_home = find_java()
    os.environ["JAVA_HOME"] = str(java_home)
    os.environ.setdefault("SPARK_LAUNCHER_OPTS", small_input.JAVA_OPTIONS)  # of a Java VM that only prints a command
    settings = _settings(master, java_home if small else None) | arrow_batches.settings(conf)
    _note_failures()
    return _started(_tried_twice(master or "local[*]"), settings | dict(conf))


def _tried_twice(master: str) -> str:
    """Return a local master that tries a task again, as clusters do, so that a worker's death can be looked into.

    >>> _tried_twice("local[*]"), _tried_twice("local"), _tried_twice("local[2,3]")
    ('local[*,2]', 'local[1,2]', 'local[2,3]')
    """
    if master == "local":
        return "local[1,2]"
    return f"{master[:-1]},2]" if master.endswith("]") and "," not in master else master


def _note_failures() -> None:
    """Name the folder in which a worker notes why a task failed, so that the second attempt does not repeat it all."""
    if FAILURES not in os.environ:
        folder = os.environ[FAILURES] = tempfile.mkdtemp(prefix="payload-bridge-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)


def _started(master: str, settings: Mapping[str, str]) -> SparkSession:
    builder = SparkSession.builder.master(master).appName("payload-bridge")
    for name, value in settings.items():
        builder = builder.config(name, value)
    try:
        start_java({"spark.master": master, **settings})
        return builder.getOrCreate()
    except (PySparkException, Py4JError) as error:
        # Java's launcher has written its reason to standard error; settings may hold secrets and are not repeated.
        why = "see the lines above" if isinstance(error, PySparkException) else sentence_of(error).rstrip(".")
        msg = f"Spark does not start with the master {master}: {why}; check its address, the settings and the packages"
        raise EngineError(msg) from error


def java_has_ended(error: Exception) -> bool:
    """Whether the driver's JVM, which this process has started, is no longer there: nothing more can come of Spark.

    A killed process gives up its connections some time before it ends: after an `error` of one it is waited for.
    """
    process = getattr(SparkContext._gateway, "proc", None)  # noqa: SLF001 (as above)
    if process is not None and isinstance(error, (ConnectionError, Py4JNetworkError)):
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_DYING)
    return process is not None and process.poll() is not None


def _is_submitted() -> bool:
    """Whether spark-submit started this process, and no session of its own has been in it."""
    return "PYSPARK_GATEWAY_PORT" in os.environ and SparkContext._gateway is None  # noqa: SLF001 (PySpark's only mark)


def _connected(url: str, options: SessionOptions) -> SparkSession:
    """Return a session of a Spark Connect server; its URL may hold a token and is not repeated in messages."""
    if not line_of().connect:
        msg = (
            f"Spark Connect can't send code to workers before 3.5, and this is PySpark {pyspark.__version__}; "
            "run in a classic session, or use PySpark from 3.5 on"
        )
        raise EngineError(msg)
    _check_reachable(url, "the Spark Connect server", "sc")
    builder = SparkSession.builder.remote(url)
    for name, value in options.conf.items():
        builder = builder.config(name, value)
    try:
        return builder.getOrCreate()
    except ImportError as error:
        msg = (
            f"Spark Connect needs more packages ({error.name or error}); run pip install 'hudi-payload-bridge[connect]'"
        )
        raise EngineError(msg) from error


def _check_reachable(url: str, what: str, scheme: str) -> None:
    """Try host and port of a URL, because Spark itself tries for minutes.

    Raises:
        EngineError: nothing answers there; other schemes are not tried.
    """
    failures = []
    hosts = url.removeprefix(f"{scheme}://").split("/")[0] if url.startswith(f"{scheme}://") else ""
    for host in filter(None, hosts.split(",")):
        parts = urllib.parse.urlsplit(f"//{host}")
        named = f"{parts.hostname}:{parts.port or 15002}"
        try:
            with socket.create_connection((parts.hostname or "", parts.port or 15002), _CONNECT_SECONDS):
                return
        except OSError as error:
            failures.append(f"{named}: {error.strerror or error}")
    if failures:
        msg = f"{what} can't be reached ({'; '.join(failures)}); check its address, and that it runs"
        raise EngineError(msg)


def _java_options() -> str:
    # A payload's error keeps its message and stack, however often it was thrown before.
    return f"-Dlog4j2.configurationFile={_LOGGING.as_uri()} -XX:-OmitStackTraceInFastThrow"


_COMMON = {
    # Spark keeps 100 compiled classes, fewer than one native merge may have, which then compiles them all each time.
    "spark.sql.codegen.cache.maxEntries": "1000",
    # Java only interprets a method of more bytecode; where one would be, Spark runs operators one by one instead.
    "spark.sql.codegen.hugeMethodLimit": "8000",
    "spark.sql.session.timeZone": "UTC",
    "spark.ui.showConsoleProgress": "false",
}
"""Settings of every session that is started here."""


def _settings(master: str | None, small_on: Path | None) -> dict[str, str]:
    """Return Spark's settings; `small_on` is the home of the Java that runs a session for a small input alone."""
    options = _java_options()
    if small_on:
        archive = class_archive.java_options(small_on, Path(_find_spark_home(), "jars"))  # type: ignore[no-untyped-call]
        options = f"{options} {small_input.JAVA_OPTIONS} {archive}"
    settings = _COMMON | {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.extraJavaOptions": options.strip(),
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
    }
    if small_on:
        return settings | small_input.SETTINGS
    # Adaptive execution joins the partitions that the data does not fill.
    settings |= {"spark.sql.shuffle.partitions": str(_PARTITIONS * _cores(master))}
    heap = _heap_gib(_memory(), _available())
    return settings if heap is None else settings | {_HEAP: f"{heap}g"}


def _cores(master: str | None) -> int:
    """Return the cores of a local master; `local[2, 3]` allows three failures."""
    found = re.match(r"local\[(\d+)", master or "")
    if found:
        return int(found[1])
    if master == "local":
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _heap_gib(memory: int | None, available: int | None = None) -> int | None:
    """Return the heap for a machine or container: a third, because Python workers need theirs; None: Spark's default.

    Where others use the memory already, it is half of what is available at most.

    >>> _heap_gib(16 * _GIB)
    5
    >>> _heap_gib(16 * _GIB, 6 * _GIB)
    3
    """
    heap = (memory or 0) // 3 // _GIB
    if available is not None:
        heap = min(heap, available // 2 // _GIB)
    return min(heap, 30) if heap > 1 else None  # beyond 32 GiB Java's pointers double


def _memory() -> int | None:
    """Return the bytes of memory of the machine, or of the container where that has less."""
    found = []
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    for limit in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            found.append(int(Path(limit).read_text("ascii")))
        except (OSError, ValueError):  # no such limit
            continue
    return min(found, default=None)


def _available() -> int | None:
    """Return the bytes of memory that programs can still take without swapping; None where Linux does not say."""
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
    except OSError:
        return None
    found = (line.split() for line in lines if line.startswith("MemAvailable:"))
    return next((int(words[1]) << 10 for words in found), None)
