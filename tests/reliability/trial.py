"""One input after another: by a seed and its number, in one session; what became of each is counted."""

from __future__ import annotations

import collections
import contextlib
import faulthandler
import os
import random
import shutil
import tempfile
import time
import unittest.mock
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import hypothesis  # noqa: F401 (which takes its folder from the working directory when it is loaded)
import pyarrow as pa

from bridge.cli import quiet
from tests.reliability import calls, commands
from tests.reliability.outcomes import GOOD, LEFT, SECONDS, SLOW, Outcome
from tests.support.made_table import MadeTable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession
    from typing_extensions import Self

GROUPS: Final = ("functions", "merges", "verbs")
_GIVEN_UP: Final = 600.0


class Found(NamedTuple):
    """What became of an input: whose it was, what was given, and the outcome."""

    target: str
    given: str
    outcome: Outcome

    @property
    def is_good(self) -> bool:
        """Whether it ended as it must."""
        return self.outcome.kind in GOOD


class Trial:
    """Runs inputs in a folder of its own.

    Attributes:
        counts: how many inputs of a target ended in an outcome, by target and outcome.
    """

    def __init__(self, seed: int, group: str | None = None, *, spark: SparkSession | None = None) -> None:
        """Take the session; without one, no function is called that needs it, and no command comes as far."""
        self._seed, self._group, self._spark = seed, group, spark
        self.counts: collections.Counter[tuple[str, str]] = collections.Counter()

    def __enter__(self) -> Self:
        self._before = Path.cwd()
        self._folder = Path(tempfile.mkdtemp(prefix="bad-inputs-"))
        table = MadeTable(self._folder / "tables" / "table", {"id": "string", "part": "string", "ts": "long"})
        table.base("g1", pa.table({"id": ["a", "b"], "part": ["p", "p"], "ts": [1, 2]}))
        table.commit()
        self._world = calls.World(self._spark, table.path, self._folder)
        self._functions = list(calls.PLAIN if self._spark is None else self._world.arguments())
        return self

    def __exit__(self, *_: object) -> None:
        os.chdir(self._before)
        shutil.rmtree(self._folder)

    @property
    def targets(self) -> list[str]:
        """The verbs and functions, in the order in which they take turns."""
        verbs = [f"payload-bridge {verb}" for verb in commands.BASES]
        merges = [f"payload-bridge {verb}" for verb in ("merge", "simulate")]
        groups = {"verbs": verbs, "functions": self._functions, "merges": merges}
        return groups.get(self._group or "", verbs + self._functions)

    @property
    def is_good(self) -> bool:
        """Whether all inputs ended as they must."""
        return all(outcome in GOOD for _, outcome in self.counts)

    def run(self, number: int) -> Found:
        """Run an input; a command that gives no answer for ten minutes ends the process with its stack."""
        draw = random.Random(f"{self._seed} {number}")  # noqa: S311 (no secret)
        target = self.targets[number % len(self.targets)]
        folder = self._folder / "input"
        folder.mkdir()
        os.chdir(folder)
        temporary = _temporary()
        faulthandler.dump_traceback_later(_GIVEN_UP, exit=True)
        began = time.monotonic()
        try:
            with warnings.catch_warnings(), contextlib.ExitStack() as stack:
                warnings.simplefilter("ignore")
                if self._spark is None:
                    stack.enter_context(unittest.mock.patch.object(quiet, "session_of", calls.no_session))
                found = self._found(target, folder, draw)
        finally:
            faulthandler.cancel_dump_traceback_later()
            os.chdir(self._folder)
            shutil.rmtree(folder)
        if (seconds := time.monotonic() - began) > SECONDS and found.is_good:
            found = found._replace(outcome=Outcome(SLOW, f"{seconds:.0f} s"))
        if (left := _temporary() - temporary) and found.is_good:
            found = found._replace(outcome=Outcome(LEFT, str(sorted(left))))
        self.counts[target, found.outcome.kind] += 1
        return found

    def _found(self, target: str, folder: Path, draw: random.Random) -> Found:
        verb = target.removeprefix("payload-bridge ")
        if verb == target:
            return Found(target, *calls.drawn(target, self._world, draw))
        words, outcome = commands.drawn(verb, folder, draw)
        return Found(target, repr(words), outcome)


def _temporary() -> set[str]:
    """Return the folders of the product that a command should remove when it ends."""
    return {path.name for path in Path(tempfile.gettempdir()).glob(".payload-bridge*")}


def table_of(counts: Mapping[tuple[str, str], int]) -> str:
    """Write the counts: a line a target, a column an outcome."""
    kinds = [*GOOD, *sorted({kind for _, kind in counts} - {*GOOD})]
    targets = list(dict.fromkeys(target for target, _ in counts))
    lines = [f"| | {' | '.join(kinds)} |", f"|---|{'---:|' * len(kinds)}"]
    lines += [f"| `{one}` | {' | '.join(str(counts.get((one, kind), 0)) for kind in kinds)} |" for one in targets]
    totals = [sum(number for (_, one), number in counts.items() if one == kind) for kind in kinds]
    return "\n".join([*lines, f"| all | {' | '.join(map(str, totals))} |"])
