"""One mutant against its tests, in a process of its own that stops at the first failure."""

from __future__ import annotations

import importlib
import os
import resource
import shutil
import signal
import sys
import time
import traceback
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest

from payloads.backports import StrEnum

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from pathlib import Path

    from tests.mutation.covering import Timed
    from tests.mutation.mutants import Mutant

_MEMORY: Final = 6 << 30
"""Bytes that a mutant may take; a loop that never ends may fill a list."""

_LEAST_SECONDS: Final = 10
_SLOWER: Final = 4
"""CPU seconds of a test, by those that it took without a mutant: more means that it doesn't end."""

_WAITING: Final = 20
"""Seconds on the clock for a CPU second, before a mutant counts as stuck."""

_REWRITE: Final = "ignore::pytest.PytestAssertRewriteWarning"
"""pytest finds libraries imported that it would look into."""

_BEFORE: Final = ".before"
"""The suffix of the unchanged file, next to the changed one."""

_LIBRARIES: Final = ("click", "fastavro", "hypothesis", "pandas", "pyarrow", "pyspark.sql.types", "rich")
"""Loaded once, before the processes part."""


class Outcome(StrEnum):
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
    failed = output.with_suffix(".failed")
    failed.unlink(missing_ok=True)
    with _in_place(tree / mutant.file, mutant):
        child = os.fork()
        if child == 0:
            _be_a_trial(tests, output, failed)
        status = _wait(child, _WAITING * (_LEAST_SECONDS + sum(timed.seconds for timed in tests)))
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
    before = path.with_suffix(_BEFORE)
    shutil.copy2(path, before)
    path.write_text(mutant.code(before.read_text("utf-8")), "utf-8")
    os.utime(path, (1, 1))  # so that no compiled file of an earlier mutant is taken for this one
    try:
        yield
    finally:
        before.replace(path)


def restore(tree: Path) -> None:
    """Put back the file that a run which was ended left changed."""
    for before in tree.rglob(f"*{_BEFORE}"):
        before.replace(before.with_suffix(".py"))


def _be_a_trial(tests: Sequence[Timed], output: Path, failed: Path) -> None:
    """Run the tests and end the process."""
    status: int = pytest.ExitCode.INTERNAL_ERROR
    try:
        os.setsid()
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


def _run_file_by_file(tests: Sequence[Timed], failed: Path) -> int:
    """Run the files in their order, each in a session of its own: only a mutant that survives pays for all of them."""
    options = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider", "--tb=short", "-W", _REWRITE]
    for file in dict.fromkeys(timed.test.partition("::")[0] for timed in tests):
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
    """Keeps the chosen tests in their order, ends the process if one doesn't end, and writes down which one failed.

    An entry without `::` stands for all tests of its file.
    """

    def __init__(self, tests: Sequence[Timed], failed: Path) -> None:
        self._rank = {timed.test: rank for rank, timed in enumerate(tests)}
        self._seconds = dict(tests)
        self._failed = failed

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        ranks = {item: self._rank_of(item) for item in items}
        chosen = [item for item in items if ranks[item] is not None and not item.get_closest_marker("spark")]
        config.hook.pytest_deselected(items=[item for item in items if item not in set(chosen)])
        items[:] = sorted(chosen, key=lambda item: ranks[item] or 0)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        seconds = _LEAST_SECONDS + _SLOWER * self._seconds.get(item.nodeid, _LEAST_SECONDS)
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)  # its signal ends the process

    def _rank_of(self, item: pytest.Item) -> int | None:
        file = item.nodeid.partition("::")[0]
        return self._rank.get(item.nodeid, self._rank.get(file))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._failed.write_text(report.nodeid, "utf-8")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._failed.write_text(report.nodeid, "utf-8")
