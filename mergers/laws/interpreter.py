"""Repeating merges in other Python interpreters: what is sent there, how they start, and what comes back."""

from __future__ import annotations

import contextlib
import functools
import importlib
import io
import os
import pickle
import re
import subprocess
import sys
import tempfile
import time
import types
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple

from mergers.laws.conditions import Aspect, environment
from mergers.laws.equality import Failed
from mergers.laws.jobs import ElsewhereError, answered

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mergers.laws.algebra import Algebra
    from mergers.laws.conditions import Conditions
    from mergers.laws.jobs import Answers, Jobs

_TIMEOUT: Final = 60
_TRIES: Final = 8
_SHOWN: Final = 300
_LOGGED: Final = re.compile(r"\b(DEBUG|INFO|WARN|WARNING)\b")
_BY_VALUE: Final = ("cloudpickle", "pyspark.cloudpickle")
"""What sends classes by value, if one of them is installed: those of a script, a notebook or a function."""
_PROGRAM: Final = """
import pickle, sys
sys.path[:] = pickle.load(sys.stdin.buffer)
from mergers.laws.interpreter import answer_jobs
answer_jobs()
"""


class Interpreters:
    """Starts interpreters that repeat merges; the subject is sent by name, or by value if it has no name."""

    aspects = tuple(Aspect)

    def __init__(self, algebra: Algebra) -> None:
        self._algebra = algebra
        self._now = time.time_ns()

    def answers(self, jobs: Jobs, conditions: Sequence[Conditions]) -> list[Answers | ElsewhereError]:
        """Return the results of one interpreter for each of the conditions; all run at once."""
        try:
            sent = self._pickled((self._algebra, jobs))
        except ElsewhereError as error:
            return [error for _ in conditions]
        with contextlib.ExitStack() as stack:
            runs = [stack.enter_context(_running(sent, one, self._now)) for one in conditions]
            return [_answers_of(run) for run in runs]

    def _pickled(self, sent: object) -> bytes:
        """Pickle by name, or by value what another interpreter can't import.

        Raises:
            ElsewhereError: it can't be pickled.
        """
        buffer = io.BytesIO()
        pickler = _Pickler(buffer)
        try:
            pickler.dump(sent)
            if not pickler.unimportable:
                return buffer.getvalue()
            error: Exception | None = None
        except Exception as raised:  # noqa: BLE001 (whatever a user's object raises)
            error = raised
        by_value = _by_value()
        if by_value is None:
            reason = error or f"{', '.join(sorted(pickler.unimportable))} can't be imported there"
            msg = f"it can't be sent to another interpreter ({reason}); put it in a module, or install cloudpickle"
            raise ElsewhereError(msg)
        modules = [sys.modules[name] for name in pickler.unimportable - {"__main__"} if name in sys.modules]
        for module in modules:
            by_value.register_pickle_by_value(module)
        try:
            found: bytes = by_value.dumps(sent)
        except Exception as raised:
            msg = f"it can't be sent to another interpreter ({raised})"
            raise ElsewhereError(msg) from raised
        finally:
            for module in modules:
                by_value.unregister_pickle_by_value(module)
        return found


class _Pickler(pickle.Pickler):
    """Notes the modules of classes and functions that another interpreter would not find."""

    def __init__(self, file: IO[bytes]) -> None:
        super().__init__(file)
        self.unimportable: set[str] = set()

    def persistent_id(self, obj: object) -> None:
        if isinstance(obj, type | types.FunctionType) and not _is_importable(obj.__module__):
            self.unimportable.add(obj.__module__)


@functools.cache
def _is_importable(module: str) -> bool:
    if module == "__main__":
        return False
    top = module.partition(".")[0]
    return top in sys.builtin_module_names or any(
        finder.find_spec(top, None) is not None for finder in sys.meta_path if hasattr(finder, "find_spec")
    )


@functools.cache
def _by_value() -> Any:
    """Return what pickles classes by value; PySpark, which the project needs elsewhere, has it on board."""
    for name in _BY_VALUE:
        with contextlib.suppress(ImportError):
            return importlib.import_module(name)
    return None


# -- a process


class Run(NamedTuple):
    """A process that was started.

    Attributes:
        process: the process.
        output: what it writes on standard output.
        errors: what it writes on standard error.
    """

    process: subprocess.Popen[bytes]
    output: IO[bytes]
    errors: IO[bytes]


@contextlib.contextmanager
def _running(sent: bytes, conditions: Conditions, now: int) -> Iterator[Run]:
    """Start an interpreter that answers jobs, in a folder of its own."""
    path = [os.path.abspath(one) for one in sys.path]  # noqa: PTH100 (what is not a folder stays text)
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        given, output, errors = (stack.enter_context(tempfile.TemporaryFile()) for _ in range(3))
        given.write(pickle.dumps(path) + pickle.dumps((conditions, now)) + sent)
        given.seek(0)
        command = [sys.executable, *["-O"] * sys.flags.optimize, "-c", _PROGRAM]
        process = started(command, conditions, folder, stdin=given, stdout=output, stderr=errors)
        stack.callback(process.wait)
        stack.callback(process.kill)
        yield Run(process, output, errors)


def started(command: Sequence[str], conditions: Conditions, folder: str, **streams: Any) -> subprocess.Popen[bytes]:
    """Start a process under conditions: its variables, its working folder, and the parity of its id."""
    parity = conditions.process % 2 if conditions.process else os.getpid() % 2
    settings: dict[str, Any] = {"env": environment(conditions, folder)}
    if conditions.environment in range(1, 3):
        settings["cwd"] = folder
    for tries_left in reversed(range(_TRIES)):
        process = subprocess.Popen(command, **settings, **streams)  # noqa: S603 (ours, with our own program)
        if process.pid % 2 == parity or not tries_left:
            break
        process.kill()
        process.communicate()
    return process


def _answers_of(run: Run) -> Answers | ElsewhereError:
    try:
        code = run.process.wait(_TIMEOUT)
    except subprocess.TimeoutExpired:
        return ElsewhereError(f"another interpreter sent no result within {_TIMEOUT} seconds")
    if code:
        run.errors.seek(0)
        return ElsewhereError(f"another interpreter ended with {ending(code, run.errors.read())}")
    run.output.seek(0)
    answers: Answers = pickle.load(run.output)  # noqa: S301 (our own process wrote it)
    return answers


def ending(code: int, errors: bytes) -> str:
    """Return how a process ended, with the last line that it wrote as an error and not as a log."""
    lines = [line.strip() for line in errors.decode("utf-8", "replace").split("\n")]
    last = next((line for line in reversed(lines) if line and not _LOGGED.search(line)), "")
    how = f"exit code {code}" if code > 0 else f"signal {-code}"
    return f"{how} ({last[:_SHOWN]})" if last else how


# -- in the other interpreter


def answer_jobs() -> None:
    """Run the jobs on standard input; whatever is printed meanwhile goes to standard error."""
    from mergers.laws.process_conditions import apply_conditions, shuffled_memory  # noqa: PLC0415 (they are for this process alone)

    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    conditions, now = pickle.load(sys.stdin.buffer)  # noqa: S301 (our own process wrote it)
    apply_conditions(conditions, now)
    algebra, jobs = pickle.load(sys.stdin.buffer)  # noqa: S301 (as above)
    move = shuffled_memory(conditions.identity)  # now, as modules that are loaded fill the gaps
    answers = answered(algebra, jobs, conditions, move)
    out.write(pickle.dumps([[_sendable(answer) for answer in row] for row in answers]))
    out.flush()


def _sendable(answer: object) -> object:
    """Return an answer whose error, whatever class it is of, can be read by any interpreter."""
    return Failed(_SentError(answer.error)) if isinstance(answer, Failed) else answer


class _SentError(Exception):
    """Pickles an error by its name and text."""

    def __reduce__(self) -> tuple[object, ...]:
        (error,) = self.args
        return _error_named, (type(error).__name__, str(error))


def _error_named(name: str, message: str) -> Exception:
    made: Exception = type(name, (Exception,), {})(message)
    return made
