"""Pins: how many answers a directory has, kind by kind, and which of its optional vectors fail; kept in `pins.json`.

The file lies in the directory that it pins. Other directories have none, and are taken as they come.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    Counts = Mapping[str, int]

FILE = "pins.json"
REPLAY = "replay from "
_LEVELS = 2  # a folder of one release, and one history in it, are below what is pinned


class Change(NamedTuple):
    """A count that is not the pinned one; a drop hides answers."""

    label: str
    pinned: int
    found: int

    @property
    def is_drop(self) -> bool:
        """Whether there are fewer than pinned."""
        return self.found < self.pinned

    def __str__(self) -> str:
        return f"{self.label}: {self.pinned} pinned, {self.found} found"


@dataclass
class Pins:
    """What a directory had when it was pinned.

    Attributes:
        counts: how many, by section (vectors, histories, or replay and a folder) and label.
        optional_failures: the ids of the optional vectors that fail, each with the reason.
    """

    counts: dict[str, dict[str, int]] = field(default_factory=dict)
    optional_failures: dict[str, str] = field(default_factory=dict)

    def changes(self, section: str, found: Counts, concerns: Callable[[str], bool] = lambda _: True) -> list[Change]:
        """Return the counts that differ, for the labels that were asked for."""
        pinned = {label: count for label, count in self.counts.get(section, {}).items() if concerns(label)}
        labels = sorted(pinned.keys() | found.keys())
        both = (Change(label, pinned.get(label, 0), found.get(label, 0)) for label in labels)
        return [change for change in both if change.pinned != change.found]


class Pinned(NamedTuple):
    """A directory below one with pins.

    Attributes:
        pins: the pins.
        prefix: the path from the pinned directory to this one, with a slash at its end; empty where it is that one.
    """

    pins: Pins
    prefix: str = ""


def find(directory: Path) -> Pinned | None:
    """Return the pins that hold for `directory`; None where it is not pinned."""
    folder = directory.resolve()
    for above in [folder, *folder.parents][: _LEVELS + 1]:
        if (above / FILE).exists():
            path = folder.relative_to(above).as_posix()
            return Pinned(read(above), "" if path == "." else f"{path}/")
    return None


def read(directory: Path) -> Pins:
    """Read the pins of a directory; empty ones where it has none."""
    path = directory / FILE
    if not path.exists():
        return Pins()
    raw = json.loads(path.read_text(encoding="utf-8"))
    failures = {name: group["reason"] for group in raw.get("optional_failures", ()) for name in group["ids"]}
    return Pins(raw["counts"], failures)


def write(directory: Path, pins: Pins) -> None:
    """Write the pins of a directory, a line each."""
    by_reason: dict[str, list[str]] = {}
    for name, reason in sorted(pins.optional_failures.items()):
        by_reason.setdefault(reason, []).append(name)
    counts = {section: dict(sorted(found.items())) for section, found in sorted(pins.counts.items()) if found}
    raw: dict[str, object] = {"counts": counts}
    if by_reason:
        raw["optional_failures"] = [{"reason": reason, "ids": ids} for reason, ids in sorted(by_reason.items())]
    (directory / FILE).write_text(f"{json.dumps(raw, indent=1, ensure_ascii=False)}\n", encoding="utf-8")


def replay_section(left: Path, right: Path) -> str:
    """Name the section, in the pins of `right`, of the replays from the tables below `left`."""
    return f"{REPLAY}{Path(os.path.relpath(left.resolve(), right.resolve())).as_posix()}"


def merged(old: Pins, sections: Mapping[str, Counts], failing: Collection[str], reason: str | None) -> Pins:
    """Return the pins of what was found; reasons stay, and `reason` is that of the failures that are new."""
    failures = {name: old.optional_failures.get(name, reason or "") for name in failing}
    return Pins({**old.counts, **{section: dict(found) for section, found in sections.items()}}, failures)


def drops(old: Pins, new: Pins) -> Iterator[str]:
    """Name the answers that are gone."""
    for section in sorted(old.counts.keys() | new.counts.keys()):
        changes = old.changes(section, new.counts.get(section, {}))
        yield from (f"{section}, {change}" for change in changes if change.is_drop)
