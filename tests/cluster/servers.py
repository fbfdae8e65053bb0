"""The servers as processes on loopback: Spark's master and workers, S3, Spark Connect; the Python of the workers."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
import venv
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pyspark

from bridge.spark import find_java
from bridge.spark.small_input import INTERPRETED, JAVA_OPTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGES = ("org.apache.hadoop:hadoop-aws:3.3.4", f"org.apache.spark:spark-avro_2.12:{pyspark.__version__}")
"""What the session has besides Spark: a way to S3, and Spark's own reader and writer of Avro."""
KEYS = ("of-this-test", "of-this-test-alone")
"""The credentials of S3; environment and files have none."""

_CONNECT = f"org.apache.spark:spark-connect_2.12:{pyspark.__version__}"
_DEPLOY = "org.apache.spark.deploy"
_HERE = "127.0.0.1"
_OWN = ("payloads", "mergers", "bridge", "hudi_payload_bridge", "_hudi_payload_bridge")
_SECONDS = 120


class Servers(NamedTuple):
    """What runs, and where."""

    folder: Path
    master: str
    s3: str
    connect: str
    python: str

    @property
    def conf(self) -> dict[str, str]:
        """The settings of a session on the cluster that reaches S3."""
        of_s3 = {
            "endpoint": self.s3,
            "endpoint.region": "us-east-1",
            "access.key": KEYS[0],
            "secret.key": KEYS[1],
            "path.style.access": "true",
        }
        return {f"spark.hadoop.fs.s3a.{name}": value for name, value in of_s3.items()} | {
            **INTERPRETED,
            "spark.cores.max": "2",
            "spark.executor.extraJavaOptions": JAVA_OPTIONS,
            "spark.executor.memory": "600m",
            "spark.jars.packages": ",".join(PACKAGES),
            "spark.sql.shuffle.partitions": "2",
            "spark.ui.enabled": "false",
        }


@contextlib.contextmanager
def servers(folder: Path) -> Iterator[Servers]:
    """Start all side by side; they end with the block."""
    python = _python_of_workers(folder / "python")
    os.environ |= {
        "JAVA_HOME": str(find_java()),
        "PYSPARK_PYTHON": python,
        "SPARK_LOCAL_IP": _HERE,
        "SPARK_NO_DAEMONIZE": "1",
        "SPARK_DAEMON_JAVA_OPTS": JAVA_OPTIONS,
        "SPARK_LAUNCHER_OPTS": JAVA_OPTIONS,
        "SPARK_SUBMIT_OPTS": JAVA_OPTIONS,  # of drivers
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    for name in ("PYTHONPATH", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "SPARK_REMOTE", "SPARK_HOME"):
        os.environ.pop(name, None)
    spark_class = str(Path(pyspark.__file__).parent / "bin" / "spark-class")
    master, s3, connect, *workers = _free_ports(5)
    url = f"spark://{_HERE}:{master}"
    commands = {
        master: (spark_class, f"{_DEPLOY}.master.Master", "--host", _HERE, "--port", str(master)),
        s3: (sys.executable, "-m", "moto.server", "-H", _HERE, "-p", str(s3)),
        connect: (
            *(spark_class, f"{_DEPLOY}.SparkSubmit", "--packages", _CONNECT, "--master", "local[1]"),
            *("--class", "org.apache.spark.sql.connect.service.SparkConnectServer"),
            *("--conf", f"spark.connect.grpc.binding.port={connect}", "--conf", "spark.sql.shuffle.partitions=1"),
            *("--conf", "spark.ui.enabled=false", "--driver-java-options", JAVA_OPTIONS),
            *(word for one in INTERPRETED.items() for word in ("--conf", "=".join(one))),
            "spark-internal",
        ),
    }
    for worker in workers:
        ports = ("--host", _HERE, "--port", str(worker))
        commands[worker] = (
            *(spark_class, f"{_DEPLOY}.worker.Worker", *ports, "-c", "2", "-m", "2g"),
            *("-d", str(folder / f"work-{worker}"), url),
        )
    with contextlib.ExitStack() as running:
        processes = {port: running.enter_context(_process(folder, port, command)) for port, command in commands.items()}
        for port, process in processes.items():
            _wait(folder, port, process)
        yield Servers(folder, url, f"http://{_HERE}:{s3}", f"sc://{_HERE}:{connect}", python)


def _free_ports(number: int) -> list[int]:
    """Return ports that nothing listens on, all different."""
    with contextlib.ExitStack() as all_open:
        sockets = [all_open.enter_context(socket.socket()) for _ in range(number)]
        for one in sockets:
            one.bind((_HERE, 0))
        return [int(one.getsockname()[1]) for one in sockets]


@contextlib.contextmanager
def _process(folder: Path, port: int, command: tuple[str, ...]) -> Iterator[subprocess.Popen[bytes]]:
    with (folder / f"{port}.log").open("wb") as log:
        running = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
        try:
            yield running
        finally:
            running.terminate()
            try:
                running.wait(20)
            except subprocess.TimeoutExpired:
                running.kill()
                running.wait()


def _wait(folder: Path, port: int, process: subprocess.Popen[bytes]) -> None:
    """Wait until the port of a server answers.

    Raises:
        RuntimeError: the server has ended, or does not answer; with the end of its log.
    """
    until = time.monotonic() + _SECONDS
    while process.poll() is None and time.monotonic() < until:
        with contextlib.suppress(OSError), socket.create_connection((_HERE, port), 1):
            return
        time.sleep(0.1)
    raise RuntimeError((folder / f"{port}.log").read_text(encoding="utf-8", errors="replace")[-3000:])


def _python_of_workers(folder: Path) -> str:
    """Make a Python with everything that is installed here but this project."""
    venv.create(folder, symlinks=True, with_pip=False)
    (packages,) = folder.glob("lib/python*/site-packages")
    for source in (path for path in sys.path if path.endswith("site-packages")):
        for entry in Path(source).iterdir():
            target = packages / entry.name
            if not entry.name.startswith(_OWN) and not entry.name.endswith(".pth") and not target.exists():
                target.symlink_to(entry)
    python = folder / "bin" / "python"
    found = subprocess.run([python, "-c", "import pyarrow, bridge"], cwd=folder, capture_output=True, check=False)
    if b"No module named 'bridge'" not in found.stderr:
        raise RuntimeError(found.stderr.decode())
    return str(python)
