"""What to run next about a table: commands with its path, and with its class where that is the user's own."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Final

from bridge.compare.comparison import is_release
from bridge.config import capabilities
from bridge.report import NextStep
from payloads import HudiRelease, PayloadRef

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bridge.hudi import TableQueries

YOUR_JAR: Final = "YOUR.jar"
"""Stands for the jar of a class that the user has yet to name."""
_HAS_MODES: Final = 8
"""The first table version with merge modes, which `merge-into` needs."""


def class_named(opened: TableQueries, payload: PayloadRef | None = None) -> PayloadRef | None:
    """Return the class that commands must name so that a table can be merged; None where Hudi ships the table's own."""
    if opened.unnamed_class is None:
        return None
    if payload is not None and (payload.is_compiled or payload.is_builtin or ":" in payload.name):
        return payload
    name = opened.properties.merge.payload if payload is None else payload.name
    return None if name is None else PayloadRef(name, jars=YOUR_JAR)


def replay_command(path: str, to: str, payload: PayloadRef | None = None, *, batches: bool = False) -> str:
    """Return the command that shows which rows of a table change, or which keys of the next batches."""
    next_ones = ["--batches", "NEXT"] if batches else []
    return _command("replay", "--table", path, *next_ones, "--to", to, *_options(payload))


def explain_step(
    path: str, release: str, to: str, row: Mapping[str, str], payload: PayloadRef | None = None
) -> NextStep:
    """Return the command that shows the merge calls of one row of a table, as two releases read it."""
    words = [word for name, text in row.items() for word in ("--row", f"{name}={text}")]
    command = _command("explain", "--table", path, "--from", release, "--to", to, *words, *_options(payload))
    return NextStep(command, "the versions of the first of these rows, and each merge call of both readers")


def next_steps(
    path: str, to: str, payload: PayloadRef | None = None, *, refused_by: HudiRelease | None = None
) -> list[NextStep]:
    """Return what to run before a move; if it is refused, also the alternatives.

    Args:
        path: the table.
        to: a release; anything else stands for the newest one.
        payload: the class that commands must name.
        refused_by: the release under which the class still merges, if the move is refused.
    """
    to = to if is_release(to) else HudiRelease.latest().value
    has_jar = payload is not None and payload.jars and not payload.is_builtin
    by_hudi = payload if has_jar else None  # the bundle runs no class in Python
    copied = _command("rehearse", path, "--to", to, "--copy", "COPY", *_named(by_hudi))
    steps = [
        NextStep(replay_command(path, to, payload, batches=True), "what your next batches become after the upgrade"),
        NextStep(copied, "what Hudi itself makes of a copy"),
    ][: 1 if is_release(to) and HudiRelease.parse(to).is_preview else 2]
    if refused_by is None:
        return steps
    tried = _command("migrate", "--table", path, "--batches", "NEXT", "--to", to, *_options(payload))
    steps.append(NextStep(f"{tried} --merger package.module:Class", "a merger of your own, tried on your batches"))
    target = capabilities(HudiRelease(to))
    if target.created_version < _HAS_MODES:
        return steps
    bundle = ["--bundle", f"org.apache.hudi:hudi-spark{target.newest_spark}-bundle_2.12:{target.bundle}"]
    by = ["--release", str(refused_by)]
    copied = _command("snapshot", path, *by, *_options(payload), "--out", "NEW", "--out-table-format", "hudi", *bundle)
    own = _options(payload) or ["--payload", "CLASS"]
    merged = _command("merge-into", "NEW", "--incoming", "NEXT", *own, *by, *bundle)
    return [
        *steps,
        NextStep(copied, f"to keep the class: first a table of Hudi {to} with the rows of today"),
        NextStep(merged, "then each batch, merged by the class and committed by Hudi's writer"),
    ]


def name_class(verb: str, path: str, *more: str, payload: PayloadRef | None) -> NextStep:
    """Return the command that asks the same, and names the class of the table."""
    return NextStep(_command(verb, path, *more, *_options(payload)), "the same with your class, so that rows are read")


def read_all(verb: str, path: str, *more: str, payload: PayloadRef | None = None) -> NextStep:
    """Return the command that reads all file slices, if a sample was read."""
    return NextStep(_command(verb, path, *more, *_options(payload), "--slices", "all"), "the rows of all file slices")


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
