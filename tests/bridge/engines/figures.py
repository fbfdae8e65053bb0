"""What runs of the agreement wrote down: a line for each combination that agreed, also where several runs write."""

from __future__ import annotations

import collections
import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection


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
        halved: whether each of the two native plans got half of the keys.
        commit: the code that was compared; `+` where files differed from it.
    """

    name: str
    asked: int
    seed: int
    keys: int
    failures: int
    engines: tuple[str, ...]
    seconds: float
    halved: bool
    commit: str

    def __str__(self) -> str:
        by = ", ".join(("python", *self.engines))
        return f"{self.name:64} {self.keys:8,} keys, {self.failures:6,} of them fail: {by}; {self.seconds} s"


def known(
    file: Path | None, wanted: dict[str, tuple[str, ...]], keys: int, seed: int, *, halved: bool
) -> dict[str, Figure]:
    """Return what was written down of combinations with as many keys, in plans as full, and all engines wanted."""
    if file is None or not file.exists():
        return {}
    told = (Figure(**json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines())
    fits = (one for one in told if (one.asked, one.seed) == (keys, seed) and one.halved <= halved)
    return {one.name: one for one in fits if one.name in wanted and set(wanted[one.name]) <= set(one.engines)}


def summary(done: Collection[Figure], wanted: int, failed: int) -> str:
    """Return what agreed, with the commits at which it did."""
    keys, failures = (sum(getattr(one, name) for one in done) for name in ("keys", "failures"))
    commits = collections.Counter(one.commit for one in done)
    at = ", ".join(f"{number} at {commit}" for commit, number in commits.items()) or "none"
    return (
        f"{len(done)} of {wanted} combinations agree ({at}): {keys:,} keys, on {failures:,} of which python fails; "
        f"{failed} differ"
    )


def commit_of_tests() -> str:
    """Return the commit that the tests are of, with `+` if files were changed since; `unknown` outside of Git."""
    asked = ["git", "-C", str(Path(__file__).parent)]
    try:
        commit, changed = (
            subprocess.run([*asked, *words], capture_output=True, text=True, check=True).stdout.strip()
            for words in (("rev-parse", "--short", "HEAD"), ("status", "--porcelain"))
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{commit}{'+' * bool(changed)}"


def write(file: Path | None, figure: Figure) -> None:
    """Write down a figure; a line is written at once, so that those of other runs stay whole."""
    if file is not None:
        with file.open("a", encoding="utf-8") as lines:
            lines.write(f"{json.dumps(figure._asdict())}\n")
