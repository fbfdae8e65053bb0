"""What to say about files that can't be read."""

from __future__ import annotations

import contextlib
import re
import zlib
from typing import TYPE_CHECKING, NoReturn

from py4j.protocol import Py4JJavaError

from bridge.engines import ARRIVAL
from bridge.errors import InputError
from bridge.redaction import current
from bridge.spark import PySparkException, advice_on
from payloads.errors import SchemaError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bridge.spark import Place

_UNREADABLE = (PySparkException, Py4JJavaError, SchemaError, OSError, EOFError, UnicodeDecodeError, zlib.error)
_CAUSE = re.compile(r"^Caused by: [\w.$]+: (.*)", re.MULTILINE)
_NAMELESS = re.compile(r"[\w.$]*CannotParseJSONFieldException")
_UNLIKE = re.compile(r'Failed to merge incompatible data types "?(.+?)"? and "?(.+?)"?\.', re.DOTALL)


@contextlib.contextmanager
def failures(origin: Place) -> Iterator[None]:
    """Name the file or folder at which reading fails.

    Raises:
        InputError: the block has failed.
    """
    try:
        yield
    except _UNREADABLE as error:
        raise unreadable(origin, error) from error


def unreadable(origin: Place, error: Exception) -> InputError:
    """Return the error for a file or folder, with the reason in one line."""
    if kinds := _UNLIKE.search(str(error)):
        return InputError(
            f"{origin} has files of different schemas (a column is {kinds[1].lower()} in one and {kinds[2].lower()} in "
            "another); put files of different schemas into separate batches, or write them with one schema"
        )
    causes = _CAUSE.findall(str(error)) or str(error).strip().splitlines() or [type(error).__name__]
    reason = (causes[-1] if isinstance(error, Py4JJavaError) else causes[0]).rstrip(". ")
    if _NAMELESS.fullmatch(reason):
        reason = "a value does not have the type of its column"
    if current().is_active:
        reason = "redaction hides the cause, which may quote values"
    advice = advice_on(reason, str(origin), "fix the file or give the right schema")
    return InputError(f"{origin} can't be read: {reason}; {advice}")


def refuse_taken(origin: Place) -> NoReturn:
    """Refuse data with a column that has a name of ours.

    Raises:
        InputError: always.
    """
    msg = f"{origin} has a column {ARRIVAL}, a reserved name; rename the column"
    raise InputError(msg)
