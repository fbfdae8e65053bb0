"""What became of a bad input: rows, or one sentence; everything else is a failure."""

from __future__ import annotations

import errno
import re
import traceback
from typing import TYPE_CHECKING, Final, NamedTuple

from payloads import PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.testing import Result

ANSWERED, REFUSED, MISUSED = "answered", "refused", "refused as a command line"
WRONG, TRACEBACK, LINES, INTERNALS, CODE = "wrong rows", "traceback", "several lines", "internals", "exit code"
LEFT, SLOW, ACCEPTED = "something left", "no answer in time", "a wrong type accepted"
GOOD: Final = (ANSWERED, REFUSED, MISUSED)
SECONDS: Final = 60.0
_MISUSE, _FAILED = 2, 3
_AROUND = re.compile(r"(warning: |scope: |Usage: |Try '|.*: \d+ of \d+ settings apply|\s*$)")
"""Lines that may stand beside the sentence."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_INTERNAL = re.compile(
    r"org\.apache\.(?!hudi)|java\.(?!util\.Properties)|scala\.|pyarrow|Py4J|Traceback|please report it|codec can't|"
    r"NoneType(?! is not a merger)|object has no|not subscriptable|unhashable| at 0x[0-9a-f]{8}|<lambda>|"
    r"\b(Key|Index|Type|Value|Attribute|Unicode\w+)Error"
)


class Outcome(NamedTuple):
    """What became of an input: one of the words above, and what was said."""

    kind: str
    told: str


def of_command(result: Result) -> Outcome:  # noqa: PLR0911 (one case an outcome)
    """Judge what a command said, but for its rows."""
    lines = [line for line in result.stderr.splitlines() if not _AROUND.match(line)]
    told = " / ".join(lines)
    if "Traceback (most recent" in result.stderr or "please report it" in result.stderr:
        return Outcome(TRACEBACK, result.stderr[-1500:])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        return Outcome(TRACEBACK, "".join(traceback.format_exception(result.exception))[-1500:])
    if _CONTROL.search(result.stderr) or _CONTROL.search(result.stdout):
        return Outcome(LINES, f"control characters: {result.output[:600]!r}")
    is_report = result.exit_code == _FAILED and not lines and result.stdout.strip()  # something was not checked
    if result.exit_code in {0, 1} or is_report:
        return Outcome(LINES, told) if lines else Outcome(ANSWERED, "")
    if result.exit_code not in {_MISUSE, _FAILED}:
        return Outcome(CODE, f"{result.exit_code}: {told}")
    if len(lines) != 1 or not lines[0].lower().startswith("error: "):
        return Outcome(LINES, told)
    if _INTERNAL.search(told):
        return Outcome(INTERNALS, told)
    return Outcome(MISUSED if result.exit_code == _MISUSE else REFUSED, told)


def of_call(call: Callable[[], object], *, takes: bool) -> Outcome:
    """Judge what a function did; `takes` is whether it may take the argument."""
    try:
        call()
    except PayloadBridgeError as error:
        told = str(error)
        if "\n" in told.strip() or _CONTROL.search(told):
            return Outcome(LINES, told)
        return Outcome(INTERNALS if _INTERNAL.search(told) else REFUSED, told)
    except OSError as error:  # a name that no system takes
        return Outcome(REFUSED if error.errno == errno.ENAMETOOLONG else TRACEBACK, str(error))
    except Exception as error:  # noqa: BLE001 (whatever else is raised is what this looks for)
        return Outcome(TRACEBACK, "".join(traceback.format_exception(error))[-1500:])
    return Outcome(ANSWERED if takes else ACCEPTED, "")
