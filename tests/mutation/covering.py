"""Which tests cover a line, and how long each takes: one run of the tests under coverage, recorded once."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest
from coverage import Coverage, CoverageData

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable
    from pathlib import Path

UNIT: Final = ("-m", "not spark and not java")
"""The tests that a mutant may run: without Spark and without Java."""

_ABOUT_THE_TREE: Final = (
    "tests/test_api_pages.py",
    "tests/test_architecture.py",
    "tests/test_ci.py",
    "tests/test_contributing.py",
    "tests/test_deep.py",
    "tests/test_guide.py",
    "tests/test_imports.py",
)
"""Tests of pages and of the shape of the code, which say nothing about what it does."""

_OUTSIDE: Final = "outside of tests"
"""The context of lines that run while modules are imported and tests are collected."""


class Timed(NamedTuple):
    """A test and its CPU seconds, with its fixtures, under coverage."""

    test: str
    seconds: float


class Covering:
    """The recorded run: tests by file and line."""

    def __init__(self, folder: Path, tree: Path) -> None:
        self._tree = tree
        self._seconds: dict[str, float] = json.loads((folder / "seconds.json").read_text("utf-8"))
        self._data = CoverageData(str(folder / "coverage.db"))
        self._data.read()
        self._by_file: dict[str, dict[int, list[str]]] = {}

    def of_lines(self, file: str, first: int, last: int) -> list[Timed]:
        """Return the tests that ran one of these lines, the fastest first."""
        by_line = self._lines(file)
        return self._timed(test for line in range(first, last + 1) for test in by_line.get(line, ()))

    def of_file(self, file: str) -> list[Timed]:
        """Return the tests that ran any function of a file, the fastest first."""
        return self._timed(test for tests in self._lines(file).values() for test in tests)

    def of_folder(self, folder: str) -> list[Timed]:
        """Return the tests in a folder, the fastest first."""
        return self._timed(test for test in self._seconds if test.startswith(f"{folder}/"))

    def _lines(self, file: str) -> dict[int, list[str]]:
        if file not in self._by_file:
            self._by_file[file] = self._data.contexts_by_lineno(str(self._tree / file))
        return self._by_file[file]

    def _timed(self, tests: Iterable[str]) -> list[Timed]:
        return sorted(
            (Timed(test, self._seconds[test]) for test in set(tests) if test in self._seconds),
            key=lambda timed: (timed.seconds, timed.test),
        )


def record(folder: Path, tree: Path, packages: Iterable[str]) -> int:
    """Run the tests in `tree`, the working directory, and write what they cover to `folder`.

    Returns:
        pytest's exit code.
    """
    coverage = Coverage(
        data_file=str(folder / "coverage.db"), config_file=False, source=[str(tree / package) for package in packages]
    )
    recorder = _Recorder(coverage)
    coverage.erase()
    coverage.start()
    coverage.switch_context(_OUTSIDE)
    ignored = [f"--ignore={path}" for path in _ABOUT_THE_TREE]
    status = pytest.main(["-q", "-n", "0", "-p", "no:cacheprovider", *UNIT, *ignored, "tests"], plugins=[recorder])
    coverage.stop()
    coverage.save()
    (folder / "seconds.json").write_text(json.dumps(recorder.seconds, indent=0), "utf-8")
    return int(status)


class _Recorder:
    """Gives each test its own context, and takes its time."""

    def __init__(self, coverage: Coverage) -> None:
        self._coverage = coverage
        self.seconds: dict[str, float] = {}

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        self._coverage.switch_context(item.nodeid)
        start = time.process_time()
        result = yield
        self.seconds[item.nodeid] = time.process_time() - start
        self._coverage.switch_context(_OUTSIDE)
        return result
