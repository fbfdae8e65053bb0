"""What to run next about a table: commands with its path, and with its class where that is the user's own."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from bridge.compare import is_release
from payloads import HudiRelease, PayloadRef

if TYPE_CHECKING:
    from bridge.hudi import TableQueries


def class_named(opened: TableQueries, payload: PayloadRef | None = None) -> PayloadRef | None:
    """Return the class that commands must name so that a table can be merged; None where Hudi ships the table's own."""
    if opened.unnamed_class is None:
        return None
    stored = opened.properties.merge.payload
    return payload or (None if stored is None else PayloadRef(stored, jars="YOUR.jar"))


def replay_command(path: str, to: str, payload: PayloadRef | None = None, *, batches: bool = False) -> str:
    """Return the command that shows which rows of a table change, or which keys of the next batches."""
    next_ones = ["--batches", "NEXT"] if batches else []
    return _command("replay", "--table", path, *next_ones, "--to", to, *_options(payload))


def next_steps(path: str, to: str, payload: PayloadRef | None = None, *, refused: bool = False) -> list[str]:
    """Return what to run before a move; where it is refused, also what takes its place.

    Args:
        path: the table.
        to: a release; anything else stands for the newest one.
        payload: the class that commands must name.
        refused: whether the move is refused.
    """
    to = to if is_release(to) else HudiRelease.latest().value
    by_hudi = payload if payload is not None and payload.jars else None  # the bundle runs no class in Python
    copied = _command("rehearse", path, "--to", to, "--copy", "COPY", *_named(by_hudi))
    steps = [
        f"{replay_command(path, to, payload, batches=True)}: the result of your next batches after the upgrade",
        f"{copied}: what Hudi itself does to a copy",
    ]
    if refused:
        own = _options(payload) or ["--payload", "CLASS"]
        steps += [
            f"{_command('merge-into', path, '--incoming', 'NEXT', *own)}: your class decides, Hudi's writer commits",
            "payload-bridge migrate with --merger package.module:Class: a merger of your own, tried on your batches",
        ]
    return steps


def read_all(verb: str, path: str, *more: str, payload: PayloadRef | None = None) -> str:
    """Return the command that asks the same of all file slices, where a sample was read."""
    return f"{_command(verb, path, *more, *_options(payload), '--slices', 'all')}: reads the rows of all file slices"


def _command(*words: str) -> str:
    return f"payload-bridge {shlex.join(words)}"


def _named(payload: PayloadRef | None) -> list[str]:
    if payload is None:
        return []
    return ["--payload", payload.name, *(word for path in payload.jars for word in ("--jar", path))]


def _options(payload: PayloadRef | None) -> list[str]:
    if payload is None:
        return []
    more = [word for package in payload.package for word in ("--package", package)]
    built = [] if payload.built_for is None else ["--built-for", str(payload.built_for)]
    return [*_named(payload), *more, *built]
