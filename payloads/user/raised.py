"""Errors of users' code, turned into one error with a text that can be shown."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING, Final

from payloads.errors import PayloadFailedError
from payloads.user.guard import CallEndedError, LateError, ProcessEndedError, error_text, printable
from payloads.visible import one_line

if TYPE_CHECKING:
    from types import TracebackType

_MOST_SHOWN: Final = 200
_MOST_TRACED: Final = 20_000
"""How many characters a traceback may have that is sent to the driver."""


def failure_of(error: BaseException, call: str, record: object) -> PayloadFailedError:
    """Return the error to raise where a call of users' code raised `error`.

    Args:
        error: what it raised: an Exception, or what would end the process.
        call: what was called, for the message.
        record: what the call was about; its text is abridged.

    Raises:
        KeyboardInterrupt: the user has pressed Ctrl-C.
        LateError: a guard ends the call.
    """
    if isinstance(error, LateError) and error.args:
        return PayloadFailedError(f"{call} {error}")
    if isinstance(error, LateError) or is_interrupt(error):
        raise error
    text, name = one_line(error_text(error)), type(error).__name__
    if isinstance(error, ProcessEndedError):
        return CallEndedError(f"{call} called {text}, which ends the process; raise an Exception instead")
    if not isinstance(error, Exception):
        return CallEndedError(f"{call} raised {name}({text}), which ends the process; raise an Exception instead")
    advice = f"fix the class, or change this record: {shown(record)}"
    if record is None:
        advice = "let the class check whether the record is None, as in a delete without data"
    return PayloadFailedError(f"{call} raised {f'{name}: {text}' if text else name}; {advice}")


def shown(result: object) -> str:
    """Return an object as messages show it, whatever its `__repr__` does."""
    try:
        return printable(one_line(repr(result)), _MOST_SHOWN)
    except Exception:  # noqa: BLE001 (whatever the __repr__ of users' code raises)
        return "an object"


def is_interrupt(error: BaseException) -> bool:
    """Whether an error is the user's Ctrl-C, not a KeyboardInterrupt that a class has raised itself."""
    if not isinstance(error, KeyboardInterrupt):
        return False
    traced = error.__traceback__
    while traced is not None and traced.tb_next is not None:
        traced = traced.tb_next
    return traced is None or not _raises(traced)


def _raises(traced: TracebackType) -> bool:
    """Whether the innermost step of a traceback is a `raise`: a signal interrupts any other."""
    import dis  # noqa: PLC0415 (for this one case)

    at = traced.tb_lasti
    return any(
        step.offset == at and step.opname in {"RAISE_VARARGS", "RERAISE"}
        for step in dis.get_instructions(traced.tb_frame.f_code)
    )


def sendable(error: Exception) -> None:
    """Make an error such that a worker can send it to the driver, as the text of its traceback.

    Spark's worker neither sends half of a surrogate pair nor should it send megabytes; in place of such a traceback
    goes its end.
    """
    text = "".join(traceback.format_exception(error))
    if len(text) <= _MOST_TRACED and printable(text, len(text)) == text:
        return
    cause = error.__cause__ or error.__context__
    lines = "" if cause is None else "".join(traceback.format_tb(cause.__traceback__))
    shortened = "The class raised it here:\n" + printable(lines[-_MOST_TRACED // 2 :], _MOST_TRACED)
    error.__context__ = None
    error.__cause__ = RuntimeError(shortened) if lines else None
