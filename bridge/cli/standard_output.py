"""Standard output while a verb runs: it is for the report alone, and what else prints goes to standard error."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING

from payloads.user import Capped

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def prints_to_stderr() -> Iterator[None]:
    """Send to standard error what this process and those that it starts print: classes of users, Java, Ivy.

    What Python prints here is capped.
    """
    with contextlib.redirect_stdout(Capped(sys.stderr, "the class")), _descriptor_to_stderr():
        yield


@contextlib.contextmanager
def _descriptor_to_stderr() -> Iterator[None]:
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
