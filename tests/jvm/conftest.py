"""Fixtures of the tests that run real Java classes, and what happens if their jars can't be resolved."""

from __future__ import annotations

import fcntl
from typing import TYPE_CHECKING

import pytest

from bridge.engines.jvm.jars import bundles_of
from bridge.errors import EngineError
from payloads import HudiRelease, PayloadRef
from tests.jvm.both_engines import BothEngines
from tests.jvm.java_compiler import RELEASES, JavaCompiler

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "/jvm/" in item.path.as_posix():
            item.add_marker(pytest.mark.java)


@pytest.fixture(scope="session")
def bundles(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> SparkSession:
    """Return the session once every Hudi bundle is there; the tests are skipped without."""
    # Ivy lets two processes write one file of its cache, and fails: the workers of a run take turns.
    with (tmp_path_factory.getbasetemp().parent / "bundles.lock").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        try:
            for release in RELEASES:
                bundles_of(spark, PayloadRef("-"), release)
        except EngineError as error:
            pytest.skip(str(error))
    return spark


@pytest.fixture(scope="session")
def java_compiler(
    bundles: SparkSession, pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> JavaCompiler:
    """Return the compiler; its jars outlast the run where pytest keeps a cache."""
    cache = getattr(pytestconfig, "cache", None)
    folder = tmp_path_factory.mktemp("jars") if cache is None else cache.mkdir("hudi-payload-bridge-jars")
    return JavaCompiler(bundles, folder)


@pytest.fixture(scope="session")
def jar(java_compiler: JavaCompiler) -> Path:
    """Return the jar of all payloads in tests/jvm/java, compiled for 0.15."""
    return java_compiler.jar_of(HudiRelease.V0_15)


@pytest.fixture(scope="session")
def both_engines(bundles: SparkSession, jar: Path) -> BothEngines:
    return BothEngines(bundles, jar)
