"""Makes the pins of a directory from what is in it, and says what that changes."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, NamedTuple

from tests.conformance import histories as tables
from tests.conformance import history_report, pins, vector_report
from tests.conformance.vector_report import VectorReport
from tests.conformance.vectors import run, select

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


class Pinning(NamedTuple):
    """New pins.

    Attributes:
        pins: what to write.
        lines: what differs from the pins that are there.
        drops: answers that are gone.
        failures: what fails and can't be pinned: it is required, or has no reason.
    """

    pins: pins.Pins
    lines: list[str]
    drops: list[str]
    failures: list[str]


def pin(directory: Path, lefts: Sequence[Path] = (), reason: str | None = None) -> Pinning:
    """Count what `directory` holds, and the replays to it from `lefts` and from the folders that are pinned already.

    Raises:
        EmptySelectionError: the directory holds nothing.
    """
    old = pins.read(directory)
    sections: dict[str, dict[str, int]] = {}
    failing: list[str] = []
    required: list[str] = []
    if any(directory.rglob("*.jsonl*")):
        report = VectorReport(map(run, select(directory)))
        sections[vector_report.SECTION] = dict(report.counts)
        failing = [verdict.vector.id for verdict in report.failures if report.is_excused(verdict)]
        required = [verdict.vector.id for verdict in report.failures if not report.is_excused(verdict)]
    else:
        found = tables.select(directory)
        sections[history_report.SECTION] = found.counts
        required = [file.id for file in found.unreadable]
        sections |= dict(_replays(directory, lefts, old))
    gone = old.counts.keys() - sections.keys()
    new = pins.merged(old, {**{section: {} for section in gone}, **sections}, failing, reason)
    unexplained = [f"{name}: give the --reason" for name, why in new.optional_failures.items() if not why]
    return Pinning(new, list(_lines(old, new)), list(pins.drops(old, new)), [*required, *unexplained])


def _replays(directory: Path, lefts: Sequence[Path], old: pins.Pins) -> Iterator[tuple[str, dict[str, int]]]:
    from tests.conformance.replays import questions  # noqa: PLC0415 (loads PySpark, which takes seconds)

    pinned = [
        directory / section.removeprefix(pins.REPLAY) for section in old.counts if section.startswith(pins.REPLAY)
    ]
    for left in (*lefts, *pinned):
        counts = collections.Counter(question.label for question in questions(left, directory))
        yield pins.replay_section(left, directory), counts


def _lines(old: pins.Pins, new: pins.Pins) -> Iterator[str]:
    for section, counts in sorted(new.counts.items()):
        yield from (f"{section}, {change}" for change in old.changes(section, counts))
    for name in sorted(old.optional_failures.keys() | new.optional_failures.keys()):
        if name not in new.optional_failures:
            yield f"{name} passes now"
        elif name not in old.optional_failures:
            yield f"{name} fails: {new.optional_failures[name] or 'no reason given'}"
