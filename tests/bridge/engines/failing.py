"""Keys that can't be merged, natively: Spark ends a job at the first one; here each is noted and the job goes on."""

from __future__ import annotations

import collections
import contextlib
import re
from typing import TYPE_CHECKING
from unittest import mock

from pyspark.sql import functions as sf

from bridge.engines.native import failures
from bridge.spark import functions
from bridge.spark.small_input import INTERPRETED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import Column, DataFrame, SparkSession

_NOTED = re.compile(r"^\S+ failed at (\S+) \(key part=(?:None|'p\d'), id='(k\d+)'[,)]")


@contextlib.contextmanager
def interpreted(spark: SparkSession) -> Iterator[None]:
    """Let Spark interpret the plans of few rows."""
    before: dict[str, str | None] = {name: spark.conf.get(name, None) for name in INTERPRETED}
    for name, value in INTERPRETED.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, value)


@contextlib.contextmanager
def noting() -> Iterator[None]:
    """Plan what notes the failures of keys, with null for what can't be told, in place of raising the first one."""
    with mock.patch.object(failures, "sf", _Functions()):
        yield


class _Functions:
    """Spark's functions, of which `raise_error` notes the message as a property of the JVM, this process's own."""

    def __getattr__(self, name: str) -> object:
        return getattr(sf, name)

    @staticmethod
    def raise_error(message: Column) -> Column:
        noted = functions.java_method(*map(sf.lit, ("java.lang.System", "setProperty")), message, sf.lit("noted"))
        return sf.when(noted.isNull(), sf.lit(None).cast("string"))


def noted_by(spark: SparkSession, outcomes: DataFrame) -> dict[str, set[str]]:
    """Compute outcomes planned while `noting`; return the record keys that fail, each with the merge points."""
    system = spark.sparkContext._gateway.jvm.java.lang  # type: ignore[union-attr]
    outcomes._collect_as_arrow()
    names = system.String.join("\n", system.System.getProperties().stringPropertyNames()).splitlines()
    found: dict[str, set[str]] = collections.defaultdict(set)
    for name in names:
        told = _NOTED.match(name)
        if told is not None:
            found[told[2]].add(told[1])
            system.System.clearProperty(name)
    return dict(found)
