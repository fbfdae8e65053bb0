"""One mutant against its tests, in a process of its own that stops at the first failure."""

from __future__ import annotations

import enum
import importlib
import os
import resource
import signal
import sys
import time
import traceback
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from pathlib import Path

    from tests.mutation.covering import Timed
    from tests.mutation.mutants import Mutant

_MEMORY: Final = 6 << 30
"""Bytes that a mutant may take; a loop that never ends may fill a list."""

_LEAST_SECONDS: Final = 30
_SLOWER: Final = 4
"""CPU seconds of a mutant, by those that its tests took: more means that it doesn't end."""

_WAITING: Final = 10
"""Seconds on the clock for a CPU second, before a mutant counts as stuck."""

_REWRITE: Final = "ignore::pytest.PytestAssertRewriteWarning"
"""pytest finds libraries imported that it would look into."""

_LIBRARIES: Final = ("click", "fastavro", "hypothesis", "pandas", "pyarrow", "pyspark.sql.types", "rich")
"""Loaded once, before the processes part."""


class Outcome(enum.StrEnum):
    """What became of a mutant."""

    CAUGHT = "caught"
    STUCK = "stuck"
    """It ran out of time or memory, which a run of the tests would notice."""
    SURVIVED = "survived"
    UNCOVERED = "uncovered"
    """No test without Spark and Java runs its line."""


_OUTCOMES: Final = {
    pytest.ExitCode.OK: Outcome.SURVIVED,
    pytest.ExitCode.TESTS_FAILED: Outcome.CAUGHT,
    pytest.ExitCode.INTERRUPTED: Outcome.CAUGHT,  # a test file can't be imported
}


class Trial(NamedTuple):
    """The outcome, the test that failed, and the seconds on the clock."""

    outcome: Outcome
    test: str
    seconds: float


def load_libraries() -> None:
    """Import what every trial needs, so that a trial starts in no time."""
    for name in _LIBRARIES:
        importlib.import_module(name)


def run(tree: Path, mutant: Mutant, tests: Sequence[Timed], output: Path) -> Trial:
    """Run the tests in `tree`, the working directory, with the mutant in its file, which is restored afterwards."""
    if not tests:
        return Trial(Outcome.UNCOVERED, "", 0)
    start = time.monotonic()
    cpu_seconds = int(_LEAST_SECONDS + _SLOWER * sum(timed.seconds for timed in tests))
    failed = output.with_suffix(".failed")
    failed.unlink(missing_ok=True)
    with _in_place(tree / mutant.file, mutant):
        child = os.fork()
        if child == 0:
            _be_a_trial([timed.test for timed in tests], cpu_seconds, output, failed)
        status = _wait(child, cpu_seconds * _WAITING)
    test = failed.read_text("utf-8") if failed.exists() else ""
    seconds = time.monotonic() - start
    if status is None or os.WIFSIGNALED(status):
        return Trial(Outcome.STUCK, test, seconds)
    outcome = _OUTCOMES.get(os.WEXITSTATUS(status))
    if outcome is None:
        message = f"{mutant.id}: pytest did not run; see {output}"
        raise RuntimeError(message)
    return Trial(outcome, test, seconds)


@contextmanager
def _in_place(path: Path, mutant: Mutant) -> Generator[None]:
    before, times = path.read_bytes(), path.stat()
    path.write_text(mutant.code(before.decode("utf-8")), "utf-8")
    os.utime(path, (1, 1))  # so that no compiled file of an earlier mutant is taken for this one
    try:
        yield
    finally:
        path.write_bytes(before)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def _be_a_trial(tests: list[str], cpu_seconds: int, output: Path, failed: Path) -> None:
    """Run the tests and end the process."""
    status: int = pytest.ExitCode.INTERNAL_ERROR
    try:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
        resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
        sys.dont_write_bytecode = True
        with output.open("w", encoding="utf-8") as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
        status = _run_file_by_file(tests, failed)
        sys.stdout.flush()
    except BaseException:  # noqa: BLE001 (the process ends here, whatever happened)
        os.write(2, traceback.format_exc().encode())
    finally:
        os._exit(status)


def _run_file_by_file(tests: list[str], failed: Path) -> int:
    """Run the files in their order, each in a session of its own: only a mutant that survives pays for all of them."""
    options = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider", "--tb=short", "-W", _REWRITE]
    for file in dict.fromkeys(test.partition("::")[0] for test in tests):
        status = pytest.main([*options, file], plugins=[_Chosen(tests, failed)])
        if status not in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}:
            return int(status)
    return 0


def _wait(child: int, seconds: float) -> int | None:
    """Return the exit status, or None where the process took too long and was ended."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status
        time.sleep(0.02)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


class _Chosen:
    """Keeps the chosen tests in their order and writes down which one failed.

    An entry without `::` stands for all tests of its file.
    """

    def __init__(self, tests: list[str], failed: Path) -> None:
        self._rank = {test: rank for rank, test in enumerate(tests)}
        self._failed = failed

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        ranks = {item: self._rank_of(item) for item in items}
        chosen = [item for item in items if ranks[item] is not None and not item.get_closest_marker("spark")]
        config.hook.pytest_deselected(items=[item for item in items if item not in set(chosen)])
        items[:] = sorted(chosen, key=lambda item: ranks[item] or 0)

    def _rank_of(self, item: pytest.Item) -> int | None:
        file = item.nodeid.partition("::")[0]
        return self._rank.get(item.nodeid, self._rank.get(file))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._failed.write_text(report.nodeid, "utf-8")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._failed.write_text(report.nodeid, "utf-8")
