"""Answers vectors of the conformance format with the real classes of a release: no session, one JVM a call."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyspark

from bridge.engines.jvm.jars import bundle_for, resolve
from bridge.spark.session import find_java
from tests.jvm.java_compiler import compiled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import SparkSession

    from payloads import HudiRelease

_SOURCE = Path(__file__).parent / "java" / "Judge.java"
_SPARK_JARS = Path(pyspark.__file__).parent / "jars"


class Judge:
    """The real classes of one release."""

    def __init__(self, spark: SparkSession, release: HudiRelease, folder: Path) -> None:
        """Compile what asks them into `folder`."""
        jar = compiled(spark, {_SOURCE.name: _SOURCE.read_text("utf-8")}, release, folder)
        self._class_path = [str(jar), *map(str, resolve(spark, bundle_for(spark, release))), f"{_SPARK_JARS}/*"]

    def answered(self, vectors: Sequence[dict[str, Any]], schemas: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the vectors with what the real classes answer as `expect`."""
        lines = [schemas, *vectors]
        command = [
            str(find_java() / "bin" / "java"),
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Duser.timezone=UTC",
        ]
        done = subprocess.run(
            [*command, "-cp", ":".join(self._class_path), "Judge"],
            input="".join(f"{json.dumps(line)}\n" for line in lines).encode(),
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()[-4000:]
        answers = [json.loads(line) for line in done.stdout.decode().split("\n") if line]
        assert [answer["id"] for answer in answers] == [vector["id"] for vector in vectors]
        return [vector | answer for vector, answer in zip(vectors, answers, strict=True)]
