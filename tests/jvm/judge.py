"""Answers vectors of the conformance format with the real classes of a release, in the session's JVM."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from bridge.engines.jvm.gateway import Driver
from bridge.engines.jvm.jars import jars_of
from payloads import PayloadRef

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import SparkSession

    from payloads import HudiRelease
    from tests.jvm.java_compiler import JavaCompiler


class Judge:
    """The real classes of one release."""

    def __init__(self, spark: SparkSession, release: HudiRelease, compiler: JavaCompiler) -> None:
        """Load what asks them."""
        payload = PayloadRef("HoodieAvroPayload", jar=str(compiler.jar_of(release)))
        self._driver = Driver(spark)
        self._judge = self._driver.class_in(jars_of(spark, payload, release).paths, "Judge")

    def answered(self, vectors: Sequence[dict[str, Any]], schemas: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the vectors with what the real classes answer as `expect`."""
        asked = "".join(f"{json.dumps(line)}\n" for line in (schemas, *vectors))
        told = str(self._driver.call(self._judge, "answers", asked))
        answers = [json.loads(line) for line in told.split("\n") if line]
        assert [answer["id"] for answer in answers] == [vector["id"] for vector in vectors]
        return [vector | answer for vector, answer in zip(vectors, answers, strict=True)]

    def key_and_path(self, key: float, part: str | None) -> tuple[str, str]:
        """Return the record key and the partition path that Hudi's key generators make of two columns."""
        record_key, path = self._driver.call(self._judge, "keyAndPath", key, part)
        return str(record_key), str(path)
