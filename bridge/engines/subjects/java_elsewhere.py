"""Repeating the merges of a compiled class in separate JVMs, under other conditions than the driver's."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
import threading
import time
from typing import IO, TYPE_CHECKING, Any, Final

from bridge.engines.jvm import ClassCalls, Driver
from mergers.laws import CLOCKS, ZONES, Aspect, ElsewhereError, answered, ending, started

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bridge.engines.jvm import PayloadCalls
    from mergers.laws import Algebra, Answers, Conditions, Jobs

_TIMEOUT: Final = 120
_IDENTITY_HASHES: Final = (5, 3, 0, 1)
"""How HotSpot makes identity hashes: 5 by thread, as ever; 3 one after the other, 0 at random, 1 by address."""
_LOCALES: Final = (None, ("en", "US"), ("tr", "TR"), None)
_KEPT: Final = ("-D", "--add-")
"""The options of the driver's JVM that others start with; none of its memory or its debugger."""


class OtherJvms:
    """Starts JVMs that repeat the merges of a compiled class."""

    aspects = tuple(aspect for aspect in Aspect if aspect is not Aspect.HASHES)  # Java's texts hash alike everywhere

    def __init__(self, calls: PayloadCalls, run_by: Callable[[ClassCalls], Algebra]) -> None:
        """Prepare; `run_by` returns the operations of the class as other calls run them."""
        self._driver = Driver(calls.spark)
        self._settings = calls.spark.sparkContext.getConf().getAll()
        self._jars = calls.jars
        self._run_by = run_by
        self._now = time.time_ns()

    def answers(self, jobs: Jobs, conditions: Sequence[Conditions]) -> list[Answers | ElsewhereError]:
        """Return the results of a JVM for each of the conditions; they start together and reply in turn."""
        with contextlib.ExitStack() as stack:
            jvms = [stack.enter_context(self._running(one)) for one in conditions]
            return [self._answered(jvm, jobs, one) for jvm, one in zip(jvms, conditions, strict=True)]

    def _answered(self, jvm: _Jvm, jobs: Jobs, conditions: Conditions) -> Answers | ElsewhereError:
        with jvm.watched():
            # A call without a reply counts as an error of the merge, so check whether the process is alive.
            found = answered(self._run_by(ClassCalls(jvm.ask)), jobs, conditions)
        return jvm.failure() or found

    @contextlib.contextmanager
    def _running(self, conditions: Conditions) -> Iterator[_Jvm]:
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as errors:
            command = self._command(conditions, folder)
            process = started(command, conditions, folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors)
            try:
                yield _Jvm(process, errors)
            finally:
                process.kill()
                process.communicate()

    def _command(self, conditions: Conditions, folder: str) -> list[str]:
        java: Any = self._driver.jvm.java.lang
        helper, *_ = self._jars.paths
        start = CLOCKS[conditions.clock] or self._now
        return [
            os.path.join(java.System.getProperty("java.home"), "bin", "java"),  # noqa: PTH118 (Java's own text)
            *(word for word in self._driver.java_options() if word.startswith(_KEPT)),
            *("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:+IgnoreUnrecognizedVMOptions"),
            *("-XX:+UnlockExperimentalVMOptions", f"-XX:hashCode={_IDENTITY_HASHES[conditions.identity]}"),
            *(f"-D{name}={value}" for name, value in self._settings if name.startswith("spark.kryo")),
            *_environment_options(conditions.environment, folder),
            f"-Dpayload.bridge.varied={start},{conditions.randomness}",
            *("-cp", os.pathsep.join((helper, java.System.getProperty("java.class.path")))),
            *("bridge.jvm.Elsewhere", *self._jars.paths),
        ]


def _environment_options(setting: int, folder: str) -> list[str]:
    """Return the options for what Java takes from its environment once it starts."""
    locale, zone = _LOCALES[setting], ZONES[setting]
    if locale is None or zone is None:
        return []
    language, country = locale
    return [
        f"-Duser.timezone=GMT{zone:+03}:00",
        f"-Duser.language={language}",
        f"-Duser.country={country}",
        f"-Duser.name=user{setting}",
        f"-Duser.home={folder}",
    ]


class _Jvm:
    """A JVM that runs steps."""

    def __init__(self, process: subprocess.Popen[bytes], errors: IO[bytes]) -> None:
        self._process = process
        self._errors = errors
        self._is_late = False
        self._is_silent = False

    def ask(self, script: str) -> str:
        """Return the reply to a script.

        Raises:
            ElsewhereError: the process has ended.
        """
        sent, received = self._process.stdin, self._process.stdout
        line = b""
        if sent is not None and received is not None:
            with contextlib.suppress(OSError):
                sent.write(script.encode() + b"\n")
                sent.flush()
                line = received.readline()
        if not line:
            self._is_silent = True
            msg = "the other JVM has ended"
            raise ElsewhereError(msg)
        return line.decode()

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        """End the process if the block takes too long."""
        timer = threading.Timer(_TIMEOUT, self._end)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _end(self) -> None:
        self._is_late = True
        self._process.kill()

    def failure(self) -> ElsewhereError | None:
        """Return why the process sent no reply, or None if it did."""
        if self._is_late:
            return ElsewhereError(f"another JVM sent no reply within {_TIMEOUT} seconds")
        if not self._is_silent:
            return None
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_TIMEOUT)
        self._process.kill()
        code = self._process.wait()
        self._errors.seek(0)
        return ElsewhereError(f"another JVM ended with {ending(code, self._errors.read())}")
