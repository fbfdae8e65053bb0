"""Calls of users' code that have to come back: with a result or an ordinary error, and in time."""

from __future__ import annotations

import contextlib
import ctypes
import io
import os
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, Final, NoReturn, TextIO, TypeVar

from payloads.errors import PayloadConfigError, PayloadFailedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from typing_extensions import Self

CALL_TIMEOUT: Final = 10.0
"""How many seconds a call of a user's class may take unless the user says otherwise."""
MOST_PRINTED: Final = 10_000
"""How many characters of what users' code prints are shown."""
MOST_TEXT: Final = 1_000
"""How many characters of an error of users' code are shown."""

_LOOKS: Final = 20
"""How many times in the time of a call the guard looks whether it is over."""
_SELDOM: Final = 60.0
"""The seconds between two looks at most: timers of the system take no number, however large."""
_IGNORED: Final = 5
"""How often code may swallow the interruption before it counts as not to be ended."""

R = TypeVar("R")


class CallEndedError(PayloadFailedError):
    """A call of a user's class took too long or tried to end the process, and returned nothing."""


class LateError(BaseException):
    """Interrupts a call; no `except Exception` of the called code catches it. Its text, if any, is for the user."""


class ProcessEndedError(BaseException):
    """Raised instead of ending the process."""


class CallGuard:
    """Watches calls of users' code, which may loop, print, and end the process.

    In the main thread a timer of the system interrupts a call, also one that sleeps; in other threads the call is
    interrupted between two steps of Python's interpreter. Code in C that never looks at signals is not interrupted.
    Ctrl-C of the user passes through as KeyboardInterrupt; one that the code raises is an error of the code.

    A call costs less than a microsecond; watching starts with the `with` block, which may be entered again and again.
    """

    def __init__(
        self, name: str, timeout: float | None = CALL_TIMEOUT, give_up: Callable[[str], NoReturn] | None = None
    ) -> None:
        """Prepare.

        Args:
            name: the user's class, for messages.
            timeout: how many seconds a call may take; None for any time.
            give_up: what ends the process where code swallows the interruptions; None to go on interrupting.

        Raises:
            PayloadConfigError: the time is negative, or NaN.
        """
        if timeout is not None and not timeout >= 0:
            msg = f"the time that a call of {name} may take is a number of seconds from 0 on, not {timeout}"
            raise PayloadConfigError(msg)
        self.name = name
        self.timeout = timeout
        self._give_up = give_up
        self._depth = 0
        self._stack = contextlib.ExitStack()
        self._is_running = self._is_late = self._is_users = False
        self._what = ""
        self._started = 0.0
        self._interruptions = 0
        self._recursion = 0

    # -- watching

    def __enter__(self) -> Self:
        if self._depth == 0:
            self._stack = contextlib.ExitStack()
            self._stack.enter_context(contextlib.redirect_stdout(Capped(sys.stderr, self.name)))
            self._stack.enter_context(no_exit())
            self._stack.enter_context(_threads_end())
            self._recursion = sys.getrecursionlimit()
            is_main = threading.current_thread() is threading.main_thread()
            if is_main:
                self._stack.enter_context(self._telling_interrupts())
            if self.timeout is not None:
                by_signal = is_main and hasattr(signal, "setitimer")
                self._stack.enter_context(self._alarm() if by_signal else self._watcher())
        self._depth += 1
        return self

    def __exit__(self, *exception: object) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._stack.close()

    @contextlib.contextmanager
    def _telling_interrupts(self) -> Iterator[None]:
        """Note that it was the user who pressed Ctrl-C."""
        before = signal.getsignal(signal.SIGINT)
        if not callable(before):
            yield
            return
        usual = before

        def noted(number: int, frame: FrameType | None) -> Any:
            self._is_users = True
            return usual(number, frame)

        signal.signal(signal.SIGINT, noted)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    @contextlib.contextmanager
    def _alarm(self) -> Iterator[None]:
        def look(_number: int, _frame: FrameType | None) -> None:
            if self._is_overdue():
                raise LateError

        before = signal.signal(signal.SIGALRM, look)
        signal.setitimer(signal.ITIMER_REAL, self._interval, self._interval)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    @contextlib.contextmanager
    def _watcher(self) -> Iterator[None]:
        thread, ended = ctypes.c_ulong(threading.get_ident()), threading.Event()

        def watch() -> None:
            while not ended.wait(self._interval):
                if self._is_overdue():
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(LateError))

        watcher = threading.Thread(target=watch, name="call-guard", daemon=True)
        watcher.start()
        try:
            yield
        finally:
            ended.set()
            watcher.join()

    @property
    def _interval(self) -> float:
        return min(max((self.timeout or CALL_TIMEOUT) / _LOOKS, 0.001), _SELDOM)

    def _is_overdue(self) -> bool:
        """Whether the call that runs has to be interrupted, which is then noted."""
        if not self._is_running or time.monotonic() - self._started < (self.timeout or 0):
            return False
        self._is_late = True
        self._interruptions += 1
        if self._interruptions > _IGNORED and self._give_up is not None:
            self._give_up(self._too_long())
        return True

    # -- calling

    def call(self, what: str, function: Callable[..., R], *arguments: object) -> R:
        """Call a function of the user's class, of which `what` is the name in messages.

        Raises:
            CallEndedError: it took too long, or tried to end the process.
            Exception: what the function raised.
        """
        if self._is_running:
            return function(*arguments)
        self._what, self._started = what, time.monotonic()
        self._is_late, self._is_users, self._interruptions = False, False, 0
        self._is_running = True
        process = os.getpid()
        try:
            try:
                result = function(*arguments)
            finally:
                self._is_running = False
                end_copy_of(process)
                if sys.getrecursionlimit() < self._recursion:
                    sys.setrecursionlimit(self._recursion)  # our own code needs it
        except LateError:
            raise CallEndedError(self._too_long()) from None
        except ProcessEndedError as error:
            raise CallEndedError(self._ended(str(error))) from None
        except Exception:
            if self._is_late:  # what the interruption made of the call
                raise CallEndedError(self._too_long()) from None
            raise
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) and self._is_users:
                raise
            raise CallEndedError(self._ended(f"{type(error).__name__}({error_text(error)})")) from None
        if self._is_late:
            raise CallEndedError(self._too_long())
        return result

    def _too_long(self) -> str:
        return (
            f"{self.name}: {self._what} took longer than {self.timeout:g} s; if it isn't an endless loop, allow more "
            "time (--call-timeout SECONDS)"
        )

    def _ended(self, how: str) -> str:
        return (
            f"{self.name}: {self._what} raised {how}, which ends the process; return a result or raise an Exception "
            "instead"
        )


def end_copy_of(process: int) -> None:
    """End this process unless it has that id: then it is a copy, which users' code forked and let continue.

    Both would write the same results to the same streams.
    """
    if os.getpid() != process:
        os._exit(1)


@contextlib.contextmanager
def no_exit() -> Iterator[None]:
    """Let os._exit raise, in this process and not in those that code forks."""
    end, own = os._exit, os.getpid()

    def refused(status: int) -> NoReturn:
        if os.getpid() != own:
            end(status)
        msg = f"os._exit({status})"
        raise ProcessEndedError(msg)

    os._exit = refused
    try:
        yield
    finally:
        os._exit = end


@contextlib.contextmanager
def _threads_end() -> Iterator[None]:
    """Let no thread that code starts keep the process from ending: it takes that from the thread that starts it."""
    thread = vars(threading.current_thread())  # its property refuses a thread that has started
    before, thread["_daemonic"] = thread["_daemonic"], True
    try:
        yield
    finally:
        thread["_daemonic"] = before


class Capped(io.TextIOBase):
    """Passes on so much text and no more."""

    def __init__(self, out: TextIO, name: str) -> None:
        self._out = out
        self._name = name
        self._left = MOST_PRINTED

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, text: str) -> int:
        """Pass on what is left to pass on."""
        if self._left > 0:
            shown = text[: self._left].encode("utf-8", "backslashreplace").decode()
            self._left -= len(text)
            self._out.write(shown)
            if self._left <= 0:
                self._out.write(f"\n[{self._name} prints more; further output is not shown]\n")
        return len(text)

    def flush(self) -> None:
        """Flush the stream behind it."""
        self._out.flush()


def error_text(error: BaseException, most: int = MOST_TEXT) -> str:
    """Return the text of an error that users' code raised: abridged, without halves of surrogate pairs."""
    try:
        text = str(error)
    except Exception as second:  # noqa: BLE001 (whatever its own __str__ raises)
        text = f"its text can't be read: {type(second).__name__}"
    return printable(text, most)


def printable(text: str, most: int = MOST_TEXT) -> str:
    """Return a text that every output can take, of at most so many characters."""
    shown = text if len(text) <= most else f"{text[:most]}..."
    return shown.encode("utf-8", "backslashreplace").decode()
