"""Hudi's own Spark writer: whether the session has it, and one commit by it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from py4j.protocol import Py4JJavaError

from bridge.config import assumed_writer, capabilities
from bridge.engines import bundle_for
from bridge.errors import EngineError
from bridge.spark import is_connect, place_of
from payloads import HudiRelease

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession

    from bridge.spark import Place

_SOURCE: Final = "org.apache.hudi.DefaultSource"
_KRYO: Final = "org.apache.spark.serializer.KryoSerializer"
WRITER_SETTINGS: Final = {"spark.serializer": _KRYO}
"""What Hudi's writer wants of a session."""


def check_writer_is_there(spark: SparkSession, version: int | None = None) -> None:
    """Check that a session can write Hudi's tables, and leaves one at its version if that is given.

    Raises:
        EngineError: it has no Hudi bundle, or one of another release than the table needs, or is one of Spark Connect.
    """
    if is_connect(spark):
        msg = "a merge into a table needs a session with its own JVM, but this is Spark Connect; use a classic one"
        raise EngineError(msg)
    loader = spark._jsparkSession.sharedState().jarClassLoader()  # noqa: SLF001 (PySpark's only way to it)
    try:
        spark._jvm.java.lang.Class.forName(_SOURCE, False, loader)  # type: ignore[union-attr]  # noqa: SLF001
    except Py4JJavaError as error:
        msg = (
            "this session has no Hudi, whose writer makes the commit; start it with the bundle, by "
            f"spark.jars.packages={bundle_for(spark, HudiRelease.latest())}"
        )
        raise EngineError(msg) from error
    if spark.sparkContext.getConf().get("spark.serializer") != _KRYO:
        msg = f"Hudi's writer needs a session with spark.serializer={_KRYO}; start one with it"
        raise EngineError(msg)
    if version is not None:
        _check_keeps(version, newest_version(spark))


def _check_keeps(version: int, newest: int) -> None:
    """Check that a Hudi writes a table of a version, and that it keeps it; without merge modes only its own has run."""
    bundle = capabilities(assumed_writer(newest))
    has_modes = capabilities(HudiRelease.latest(), version).stored_modes
    if version != newest and not (has_modes and bundle.keeps_version and version in bundle.writable_versions):
        msg = (
            f"the table has version {version}, but this session's Hudi writes {newest}; start it with a bundle that "
            f"creates version {version}, such as {capabilities(assumed_writer(version)).bundle}"
        )
        raise EngineError(msg)


def newest_version(spark: SparkSession) -> int:
    """Return the table version that the session's Hudi writes by itself."""
    versions = spark._jvm.org.apache.hudi.common.table.HoodieTableVersion  # type: ignore[union-attr]  # noqa: SLF001
    return int(versions.current().versionCode())


def bulk_insert(rows: DataFrame, place: Place, options: Mapping[str, str]) -> None:
    """Write rows as a new table, in one commit.

    Raises:
        PySparkException, Py4JJavaError: Hudi refuses, or fails.
    """
    rows.write.format("hudi").options(**options).mode("append").save(_uri(place))


def commit(rows: DataFrame, path: str, options: Mapping[str, str]) -> None:
    """Write rows into a table, in one commit.

    Raises:
        PySparkException, Py4JJavaError: Hudi refuses, or fails, before its commit is complete or after.
    """
    place = place_of(path, rows.sparkSession)
    rows.write.format("hudi").options(**options).mode("append").save(_uri(place))


def _uri(place: Place) -> str:
    return f"{place.scheme}://{place.path}" if place.scheme else f"file:{place.path}"
