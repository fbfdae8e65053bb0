"""Ending calls of users' code that never end, in a process that makes millions of them: nothing is done per call."""

from __future__ import annotations

import contextlib
import signal
import threading
from typing import TYPE_CHECKING, Final

from payloads import codegen
from payloads.user.guard import LateError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType, FrameType

_SECOND: Final = 1.0
_CALLERS: set[CodeType] = set()


def calls_users_code(code: CodeType) -> None:
    """Note that a function does nothing but call users' code, and prepare that."""
    _CALLERS.add(code)


class _Look:
    """What a signal does once a second: interrupt the call that has run for too many of them."""

    def __init__(self, seconds: int) -> None:
        self._most = seconds
        self._call: FrameType | None = None
        self._seconds = 0

    def __call__(self, _number: int, frame: FrameType | None) -> None:
        call = _call_in(frame)
        if call is None or call is not self._call:
            self._call, self._seconds = call, 0  # it is kept, so that no other frame takes its place in memory
            return
        self._seconds += 1
        if self._seconds >= self._most:
            msg = (
                f"has not ended after {self._most} s; end its loop or what it waits for, or allow more time "
                "(--call-timeout)"
            )
            raise LateError(msg)


def _call_in(frame: FrameType | None) -> FrameType | None:
    """Return the outermost frame that called users' code; None where no such code runs."""
    found = None
    while frame is not None:
        if frame.f_code.co_filename == codegen.CALLS or frame.f_code in _CALLERS:
            found = frame
        frame = frame.f_back
    return found


@contextlib.contextmanager
def watching(seconds: int) -> Iterator[None]:
    """Interrupt calls of users' code that take more than so many seconds, in the main thread; 0 for none.

    Code in C that never looks at signals is not interrupted.
    """
    if not seconds or threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGALRM, _Look(seconds))
    signal.setitimer(signal.ITIMER_REAL, _SECOND, _SECOND)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
