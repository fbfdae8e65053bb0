"""What becomes of one file or folder of a table; every change follows from the seed and the number of the mutation."""

from __future__ import annotations

import itertools
import os
import random
import shutil
from typing import TYPE_CHECKING, NamedTuple

from tests.live.damage.contents import CONTENTS
from tests.live.damage.places import PLACES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.live.damage.tables import Subject

_KINDS = {**PLACES, **CONTENTS}


class Mutation(NamedTuple):
    """One mutation of one table.

    Attributes:
        seed, number: what it follows from.
        subject: the table.
        kind: the name of the kind.
        attempt: how many times the draw had found no file before.
    """

    seed: int
    number: int
    subject: Subject
    kind: str
    attempt: int

    def do(self, folder: Path) -> str:
        """Make `folder` a copy of the table with the mutation; return what was done."""
        shutil.copytree(self.subject.folder, folder)
        times = {path: path.stat().st_mtime for path in folder.rglob("*") if path.is_file()}
        chance = random.Random(f"{self.seed} {self.number} {self.attempt}")  # noqa: S311 (seeded on purpose)
        done = _KINDS[self.kind](chance, folder, self.subject)
        for path, time in times.items():  # Hudi 1.2 takes those of instants for completion times
            if path.exists():
                os.utime(path, (time, time))
        return done


def draw(seed: int, number: int, subjects: Sequence[Subject], folder: Path) -> Mutation:
    """Choose the table and the kind of a mutation: one that the table has a file for, tried at `folder`."""
    chance = random.Random(f"{seed} {number}")  # noqa: S311 (seeded on purpose)
    kind = chance.choice(list(_KINDS))
    for attempt in itertools.count():
        drawn = Mutation(seed, number, chance.choice(subjects), kind, attempt)
        done = drawn.do(folder)
        shutil.rmtree(folder)
        if done:
            return drawn
    raise AssertionError
