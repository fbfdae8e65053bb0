"""In which tests the session that all share does everything in one task, as that of a command does for small inputs.

A replay of a few rows takes half the CPU time so. That many tasks answer alike is for `test_small_input.py` and for the
tests of engines and merge points, which keep many.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pytest
    from pyspark.sql import SparkSession

MODULES: Final = (
    "tests.bridge.cli",
    "tests.bridge.compare",
    "tests.bridge.demo",
    "tests.bridge.explain",
    "tests.bridge.migration",
    "tests.bridge.pipeline.test_batches",
    "tests.bridge.pipeline.test_operations",
    "tests.bridge.pipeline.test_scope",
    "tests.bridge.pipeline.test_sql_merge",
    "tests.bridge.pipeline.test_standard_paths",
    "tests.bridge.pipeline.test_text_files",
    "tests.bridge.report",
    "tests.bridge.verify",
    "tests.bridge.write",
    "tests.hudi",
    "tests.jvm.test_built_for",
    "tests.jvm.test_called_from_python",
    "tests.jvm.test_class_page",
    "tests.jvm.test_corpus",
    "tests.jvm.test_histories",
    "tests.jvm.test_tables_in_place",
    "tests.test_conformance_spark",
    "tests.test_guide",
    "tests.test_notebook",
)
"""Modules and packages whose tests are of verbs, which few rows answer; but for those that are marked `many_tasks`."""


def settings_of(spark: SparkSession) -> dict[str, str]:
    """Return the settings of one task that a session which runs can take; what only a new one takes is left out."""
    from bridge.spark import small_input  # noqa: PLC0415 (tests without Spark don't load it)

    found = small_input.SETTINGS.items()
    return {name: value for name, value in found if spark.conf.isModifiable(name) or name.startswith("spark.payload")}


def change(spark: SparkSession, settings: Mapping[str, Any]) -> dict[str, str | None]:
    """Set settings, or unset those that are None; return those of before."""
    before = {name: spark.conf.get(name, None) for name in settings}
    for name, value in settings.items():
        spark.conf.unset(name) if value is None else spark.conf.set(name, value)
    return before


class Tasks:
    """Lets a session do as a test wants, from before its first fixture on."""

    def __init__(self) -> None:
        self._spark: SparkSession | None = None
        self._many: dict[str, str | None] | None = None
        self._in_one = False

    def want(self, item: pytest.Item) -> None:
        """Note what a test wants that is about to start."""
        name = getattr(getattr(item, "module", None), "__name__", "")
        is_of_verbs = any(f"{name}.".startswith(f"{one}.") for one in MODULES)
        self._in_one = is_of_verbs and not item.get_closest_marker("many_tasks")
        self._apply()

    def serve(self, spark: SparkSession | None) -> None:
        """Note a session that has started, or that the session ends."""
        self._spark, self._many = spark, None
        self._apply()

    def _apply(self) -> None:
        if self._spark is None or self._in_one == (self._many is not None):
            return
        if self._in_one:
            self._many = change(self._spark, settings_of(self._spark))
        elif self._many is not None:
            change(self._spark, self._many)
            self._many = None
