"""The link check says of each class what Java says once its code runs with the released bundle."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bridge.engines.jvm.gateway import Driver
from bridge.engines.jvm.jars import jars_of
from bridge.linkage import links_to
from payloads import HudiRelease, PayloadRef
from tests.jvm.java_compiler import RELEASES, SOURCES

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from tests.jvm.java_compiler import JavaCompiler

V0_15, V1_0, V1_1, V1_2 = RELEASES
OF_0_15 = (
    "com.acme.Linked$Base",
    "com.acme.Linked$Bytes",
    "com.acme.Linked$ToBytes",
    "com.acme.Linked$Caught",
    "com.acme.Linked$CaughtOther",
    "com.acme.Linked$Unused",
    "com.acme.Linked$InLambda",
    "com.acme.Linked$ByRule",
    "com.acme.Linked$InStatic",
    "com.acme.Linked$InConstructor",
    "com.acme.Linked$AsksParent",
    "com.acme.Linked$Hook",
    "com.acme.Linked$Sets",
    "com.acme.Linked$OfDms",
    "com.acme.Linked$OfFirst",
    "com.acme.Linked$NoBuild",
    "com.acme.Linked$Alone",
    "org.apache.hudi.common.model.LinkedNear",
)


@pytest.fixture(scope="module")
def jars(java_compiler: JavaCompiler) -> list[str]:
    """Return the jars of payloads of 0.15 and of 1.2, and of mergers of both generations."""
    old = {name: (SOURCES / name).read_text("utf-8") for name in ("Linked.java", "LinkedNear.java")}
    new = {"NewLinked.java": (SOURCES / "NewLinked.java").read_text("utf-8")}
    made: list[Path] = [java_compiler.compiled(old, V0_15), java_compiler.compiled(new, V1_2)]
    return [*map(str, made), str(java_compiler.jar_of(V1_0)), str(java_compiler.jar_of(V1_2))]


@pytest.mark.parametrize("release", RELEASES, ids=str)
def test_the_check_says_what_java_says(bundles: SparkSession, jars: list[str], release: HudiRelease) -> None:
    reference = PayloadRef("org.apache.hudi.common.model.DefaultHoodieRecordPayload", jar=jars)
    paths = jars_of(bundles, reference, release).paths
    driver = Driver(bundles)
    probe = driver.class_in(paths, "com.acme.Linked$Probe")
    names = (*OF_0_15, "com.acme.NewLinked", "com.acme.Mergers$Larger", "com.acme.NewMergers$Larger")
    real = {name: {*str(driver.call(probe, "errors", name)).split()} for name in names}
    told = {name: {fault.error for fault in links_to(name, jars)[release].breaking} for name in names}
    assert {name: bool(errors) for name, errors in told.items()} == {
        name: bool(errors) for name, errors in real.items()
    }
    # Java reports a class that is missing by the name of what looked for it.
    alike = {"ClassNotFoundException": "NoClassDefFoundError"}
    assert told == {name: {alike.get(error, error) for error in errors} for name, errors in real.items()}


def test_each_kind_of_fault_is_there(jars: list[str]) -> None:
    """Else the test above compares nothing with nothing."""
    found = {fault.error for name in OF_0_15 for fault in links_to(name, jars)[V1_2].breaking}
    assert found == {"IllegalAccessError", "NoSuchMethodError", "NoClassDefFoundError", "NoSuchMethodException"}
