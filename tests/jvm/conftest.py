"""Fixtures of the tests that run real Java classes, and what happens if their jars can't be resolved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bridge.engines.jvm.jars import bundles_of
from bridge.errors import EngineError
from payloads import HudiRelease, PayloadRef
from tests.jvm.java_compiler import EXAMPLES, compiled

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "/jvm/" in item.path.as_posix():
            item.add_marker(pytest.mark.java)


@pytest.fixture(scope="session")
def bundles(spark: SparkSession) -> SparkSession:
    """Return the session once every Hudi bundle is there; the tests are skipped without."""
    try:
        for release in HudiRelease:
            bundles_of(spark, PayloadRef("-"), release)
    except EngineError as error:
        pytest.skip(str(error))
    return spark


@pytest.fixture(scope="session")
def jar(bundles: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the jar of the examples, compiled for 0.15."""
    sources = {EXAMPLES.name: EXAMPLES.read_text("utf-8")}
    return compiled(bundles, sources, HudiRelease.V0_15, tmp_path_factory.mktemp("examples"))
