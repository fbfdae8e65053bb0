"""What a directory holds and what was selected: lines that can't be read, and a selection that matches nothing."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

_LISTED = 12


class Unreadable(NamedTuple):
    """A line, or a file, that should be a recorded answer.

    Attributes:
        id: where it is.
        reason: what is wrong with it.
    """

    id: str
    reason: str


class EmptySelectionError(Exception):
    """Nothing recorded matches the selection; the message names what comes close."""


def check(
    directory: Path, what: str, asked: Mapping[str, str | None], known: Mapping[str, Collection[str]], *, found: bool
) -> None:
    """Refuse a selection without members.

    Args:
        directory: where it was looked for.
        what: the plural of what the directory holds.
        asked: the value of each option, None for one that was not given.
        known: the values that the directory has, by option.
        found: whether the selection has members.

    Raises:
        EmptySelectionError: it has none; says which option is to blame and what comes close.
    """
    if found:
        return
    given = {option: value for option, value in asked.items() if value is not None}
    if not given or not any(known.values()):
        msg = f"there are no {what} below {directory}"
        raise EmptySelectionError(msg)
    unknown = {option: value for option, value in given.items() if value not in known[option]}
    if unknown:
        sentences = (_unknown(option, value, sorted(known[option])) for option, value in unknown.items())
        msg = f"{'; '.join(sentences)} (below {directory})"
    else:
        together = " and ".join(f"--{option} {value}" for option, value in given.items())
        msg = f"none of the {what} below {directory} has {together}"
    raise EmptySelectionError(msg)


def _unknown(option: str, value: str, known: list[str]) -> str:
    lower = {name.lower(): name for name in reversed(known)}
    close = difflib.get_close_matches(value.lower(), list(lower), n=3, cutoff=0.5)
    close += [name for name in lower if value.lower() in name and name not in close][:3]
    if close:
        return f"nothing has --{option} {value}; did you mean {', '.join(lower[name] for name in close)}?"
    listed = ", ".join(known[:_LISTED]) + (", ..." if len(known) > _LISTED else "")
    return f"nothing has --{option} {value}; there is {listed}"
