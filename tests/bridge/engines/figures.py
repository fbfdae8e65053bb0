"""What runs of the agreement wrote down: a line for each combination that agreed, also where several runs write."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path


class Figure(NamedTuple):
    """What agreed in a combination.

    Attributes:
        name: of the combination.
        asked: how many keys were asked for; of those that are drawn, some have no version.
        seed: what they were drawn from.
        keys: how many agreed.
        failures: on how many of them the python engine fails.
        engines: those that were compared with it.
        seconds: how long that took.
    """

    name: str
    asked: int
    seed: int
    keys: int
    failures: int
    engines: tuple[str, ...]
    seconds: float

    def __str__(self) -> str:
        by = ", ".join(("python", *self.engines))
        return f"{self.name:64} {self.keys:8,} keys, {self.failures:6,} of them fail: {by}; {self.seconds} s"


def known(file: Path | None, wanted: dict[str, tuple[str, ...]], keys: int, seed: int) -> dict[str, Figure]:
    """Return what was written down of combinations with as many keys and all engines that are wanted."""
    if file is None or not file.exists():
        return {}
    told = (Figure(**json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines())
    fits = (one for one in told if (one.asked, one.seed) == (keys, seed))
    return {one.name: one for one in fits if one.name in wanted and set(wanted[one.name]) <= set(one.engines)}


def write(file: Path | None, figure: Figure) -> None:
    """Write down a figure; a line is written at once, so that those of other runs stay whole."""
    if file is not None:
        with file.open("a", encoding="utf-8") as lines:
            lines.write(f"{json.dumps(figure._asdict())}\n")
