"""A process of its own in which a released Hudi bundle works, and a script of ours that tells it what to do."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING, Final

from bridge.compare.bounded_process import run_bounded
from bridge.redaction import current
from bridge.spark import find_java, is_connect, is_local_master
from payloads import PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pyspark.sql import SparkSession

    from bridge.report import JsonObject

_PASSED_ON: Final = "spark.hadoop."
"""Settings of the session that reach the storage, and so the released bundles too."""
_HUDI_SETTINGS: Final = {
    "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
    "spark.kryo.registrator": "org.apache.spark.HoodieSparkKryoRegistrar",
    "spark.sql.extensions": "org.apache.spark.sql.hudi.HoodieSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.hudi.catalog.HoodieCatalog",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.ui.enabled": "false",
}
_EXCEPTION: Final = re.compile(r"^(?:Caused by: |: )?([\w.$]+(?:Exception|Error)): (.+)$", re.MULTILINE)
_LONGEST: Final = 300
LIMIT: Final = 3600
"""The seconds that a bundle may take."""


class NotRunError(PayloadBridgeError):
    """A program that was to work on the table is not at hand."""


def check_local(spark: SparkSession) -> None:
    """Refuse a session whose executors may not reach this machine's files.

    Raises:
        NotRunError: saying what to do.
    """
    if is_connect(spark) or not is_local_master(str(spark.sparkContext.master)):
        msg = "released bundles run on this machine, whose files other executors may not reach; use a local master"
        raise NotRunError(msg)


def run_released(  # noqa: PLR0913 (what a process gets)
    spark: SparkSession,
    bundle: str,
    script: Path,
    task: Mapping[str, object],
    *,
    way_out: str,
    zone: str | None = "UTC",
    jars: Sequence[str] = (),
) -> list[JsonObject]:
    """Run a script with a bundle; return the JSON objects that it printed, one a line.

    A script that ends early may say why in an object with `ended`; else the last line of standard error does.

    Args:
        spark: the session of this process, whose settings of the storage and the Ivy cache the script gets.
        bundle: its Maven coordinate, or the path of its jar.
        script: a file that imports nothing of this project, and takes one JSON object on standard input.
        task: that object; `conf`, Spark's settings, is added.
        way_out: what to do where it takes longer than `LIMIT`.
        zone: the time zone of the process; None for that of this machine, in which its writers name instants.
        jars: paths of jars with classes that the bundle calls.

    Raises:
        NotRunError: the session's executors may not reach this machine's files, the jars can't be resolved, or the
            process ended early, or not in time.
    """
    check_local(spark)
    own = dict(spark.sparkContext.getConf().getAll())
    packages = [one for one in own.get("spark.jars.packages", "").split(",") if one and "hudi" not in one]
    settings = _HUDI_SETTINGS | {key: text for key, text in own.items() if key.startswith(_PASSED_ON)}
    packages, jars = (packages, (bundle, *jars)) if is_jar(bundle) else ([bundle, *packages], jars)
    settings |= {"spark.jars.packages": ",".join(packages)} if packages else {}
    settings |= {"spark.jars": ",".join(jars)} if jars else {}
    settings |= {key: own[key] for key in ("spark.jars.ivy", "spark.driver.memory") if key in own}
    environment = {key: text for key, text in os.environ.items() if not key.startswith(("PYSPARK_", "SPARK_"))}
    environment |= {"JAVA_HOME": str(find_java()), "PYSPARK_PYTHON": sys.executable}
    environment |= {} if zone is None else {"TZ": zone}
    with tempfile.TemporaryDirectory(prefix="payload-bridge-") as here:
        try:
            command = [sys.executable, str(script)]
            ran = run_bounded(command, json.dumps({**task, "conf": settings}), here, environment, LIMIT)
        except subprocess.TimeoutExpired as error:
            msg = f"the process with {bundle} did not end in {LIMIT // 60} minutes and was stopped; {way_out}"
            raise NotRunError(msg) from error
    answers = [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{")]
    said = next((str(one["ended"]) for one in answers if "ended" in one), None)
    if ran.returncode or not answers:
        at = ran.stderr.find("unresolved dependency")
        last = ran.stderr.strip().rpartition("\n")[2] if said is None else said
        why = first_line(ran.stderr[at:]) if at >= 0 else reason_of(last)
        way_out = "; its jars come from Maven Central or the Ivy cache" if at >= 0 else ""
        if "OutOfMemoryError" in why:
            way_out = "; give the session more of spark.driver.memory"
        if "No space left on device" in why or "Disk quota exceeded" in why:
            way_out = "; free some of the disk, or set TMPDIR to a folder on another one"
        if at < 0 and current().is_active:
            why = "redaction hides the message, which may quote values"
        msg = f"the process with {bundle} ended ({why}){way_out}"
        raise NotRunError(msg)
    return answers


def is_jar(bundle: str) -> bool:
    """Whether a bundle is named by the path of its jar, not by a Maven coordinate."""
    return bundle.endswith(".jar")


def reason_of(text: str) -> str:
    """Return the innermost exception that Java names; one without a cause follows a colon in what Py4J raises."""
    causes = _EXCEPTION.findall(text)
    return first_line(f"{causes[-1][0].rpartition('.')[2]}: {causes[-1][1]}" if causes else text)


def first_line(text: str) -> str:
    """Return the first line of a message, cut where it is long."""
    line = next(iter(text.strip().splitlines()), "no message")
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}..."
