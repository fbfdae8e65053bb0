"""Fixtures and Hypothesis profiles that every test shares."""

from __future__ import annotations

import gc
import os
from typing import TYPE_CHECKING, Any, TypeVar

import hypothesis
import pytest

from tests.support import lanes, no_java, parallel
from tests.support.one_task import Tasks

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

Report = TypeVar("Report", "pytest.TestReport", "pytest.CollectReport")

# Chosen by HYPOTHESIS_PROFILE. No deadline in any: the first example of a test may load a library. `tests.deep` tries
# thousands of examples; elsewhere few are enough to notice that a property no longer holds at all.
hypothesis.settings.register_profile("dev", deadline=None, max_examples=30)
hypothesis.settings.register_profile("ci", deadline=None, max_examples=30, derandomize=True, print_blob=True)
hypothesis.settings.register_profile(
    # Of tests.deep: without examples of earlier runs, so that a seed repeats a run. Where the environment says CI,
    # Hypothesis derandomizes by default, and the seed would have no effect.
    "deep",
    deadline=None,
    derandomize=False,
    database=None,
    max_examples=int(os.environ.get("HYPOTHESIS_EXAMPLES", "5000")),
    print_blob=True,
)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))
_TASKS = Tasks()
_WATCH = no_java.Watch()
os.environ.setdefault("PAYLOAD_BRIDGE_CACHE", "")  # commands that tests start leave nothing in the user's cache


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist reads the options
def pytest_cmdline_main(config: pytest.Config) -> None:
    parallel.distribute(config)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    parallel.tell(node)
    lanes.tell(node)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    return parallel.scheduler(config, log)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return lanes.is_left_out(collection_path, config) or None


@pytest.hookimpl(tryfirst=True)  # before `-m` is applied
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    lanes.mark(items)
    lanes.without_long(config, items)
    for item in items:
        if "spark" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.spark)
    if parallel.in_groups(config):
        parallel.sort(items)


def pytest_collection_finish() -> None:
    # Py4J holds an object of Java, and all that it refers to, until Python has looked for cycles: it does so rarely
    # while what was collected counts as many objects, and Java's heap grows to gigabytes.
    gc.collect()
    gc.freeze()
    gc.collect()


@pytest.hookimpl(tryfirst=True)  # before fixtures are made
def pytest_runtest_setup(item: pytest.Item) -> None:
    _WATCH.see(item)
    if "spark" in getattr(item, "fixturenames", ()):
        _TASKS.want(item)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    return _failed_if_skipped((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    return _failed_if_skipped((yield))


def _failed_if_skipped(report: Report) -> Report:
    """Let what is skipped fail where CI is true: that something is missing there would go unnoticed."""
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("CI") == "true":
        report.outcome = "failed"
        report.longrepr = f"skipped, which is a failure where CI is true: {report.longreprtext}"
    return report


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    from tests.support.few_rows import session_for_few_rows  # noqa: PLC0415 (tests without Spark don't load it)
    from tests.support.pickled_rows import read_by_java  # noqa: PLC0415 (as above)

    session = session_for_few_rows()
    _TASKS.serve(session)
    with read_by_java():
        yield session
    _TASKS.serve(None)
    session.stop()
