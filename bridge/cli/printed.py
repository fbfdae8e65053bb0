"""Standard output while a verb runs: it is for the report alone, and what else prints goes to standard error."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST: Final = 65_536
_MORE: Final = f"\n(what your classes print beyond {_MOST} characters is left out)\n"


@contextlib.contextmanager
def printing_aside() -> Iterator[None]:
    """Send to standard error what this process and those that it starts print: classes of users, Java, Ivy.

    What Python prints here ends after 65,536 characters.
    """
    with contextlib.redirect_stdout(_Capped()), _descriptor_aside():
        yield


class _Capped(io.TextIOBase):
    """Standard error, up to a limit."""

    def __init__(self) -> None:
        self._left = _MOST

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if self._left > 0:
            sys.stderr.write(text[: self._left])
            self._left -= len(text)
            if self._left <= 0:
                sys.stderr.write(_MORE)
        return len(text)

    def flush(self) -> None:
        sys.stderr.flush()


@contextlib.contextmanager
def _descriptor_aside() -> Iterator[None]:
    """Let descriptor 1 be standard error; processes that start meanwhile keep it so for life."""
    try:
        original = os.dup(1)
    except OSError:  # closed
        yield
        return
    try:
        if sys.__stdout__ is not None:
            sys.__stdout__.flush()
        with contextlib.suppress(OSError):
            os.dup2(2, 1)
        yield
    finally:
        os.dup2(original, 1)
        os.close(original)
