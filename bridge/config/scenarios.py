"""What real Hudi answered in seventeen small scenarios, by payload class, rules and table type: `scenarios.tsv`.

In each scenario a batch stores `ts` 5 (unless it says otherwise), a second and a third batch follow; the answers are
the row after the second and the third one.
"""

from __future__ import annotations

import enum
import functools
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from bridge.config.succession import DEFAULT, EVENT_TIME
from payloads.release import HudiRelease

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bridge.table_type import TableType

_FILE: Final = Path(__file__).with_name("scenarios.tsv")
_NO_CLASS: Final = "none"


class About(enum.Enum):
    """What kind of versions an answer concerns."""

    DELETES = "deletes"
    LATE_ROWS = "late rows"
    BATCH = "duplicates within a batch"
    TIES = "ties"
    VALUES = "column values"
    ORDERING = "ordering fields"
    CODE = "code that runs"


class Rules(enum.Enum):
    """Rules that answer alike: three releases, and table version 9, which replaced the classes."""

    V0_15 = "0.15"
    V1_0 = "1.0"
    V1_1 = "1.1"
    VERSION_9 = "9"

    @classmethod
    def of(cls, release: HudiRelease, table_version: int) -> Rules:
        """Return the rules of a release on a table of this version; 1.1 and 1.2 answer alike."""
        if release >= HudiRelease.V1_1:
            return cls.VERSION_9 if table_version >= 9 else cls.V1_1  # noqa: PLR2004 (the version's name)
        return cls.V1_0 if release is HudiRelease.V1_0 else cls.V0_15


class Scenario(NamedTuple):
    """One scenario.

    Attributes:
        about: what it concerns.
        text: what happens.
        has_operation: whether a row says that it deletes by the operation column of a change feed.
    """

    about: About
    text: str
    has_operation: bool = False


SCENARIOS: Final[Mapping[str, Scenario]] = {
    "k01": Scenario(About.LATE_ROWS, "a late row: ts 3 after ts 5"),
    "k02": Scenario(About.VALUES, "a newer row with a null column"),
    "k03": Scenario(About.LATE_ROWS, "a late row with a value where the stored column is null"),
    "k04": Scenario(About.DELETES, "a late delete by flag: ts 3 after ts 5"),
    "k05": Scenario(About.DELETES, "a delete by flag of ts 7, then a row of ts 6 in the next batch"),
    "k06": Scenario(About.BATCH, "a new key twice in one batch: ts 5, then ts 3"),
    "k07": Scenario(About.BATCH, "a new key twice in one batch: ts 3 with a value, ts 5 with null"),
    "k08": Scenario(About.TIES, "a row of the same ts 5"),
    "k09": Scenario(About.BATCH, "in one batch a delete by flag of ts 7, then a row of ts 6"),
    "k10": Scenario(About.DELETES, "a row of ts 7 with Op=D", has_operation=True),
    "k11": Scenario(About.DELETES, "a new key with Op=D", has_operation=True),
    "k12": Scenario(About.DELETES, "a row of ts 7 with Op=D, then Op=I of ts 8 in the next batch", has_operation=True),
    "k13": Scenario(About.VALUES, "a newer row whose column has the marker for unavailable values"),
    "k14": Scenario(About.DELETES, "a delete by flag of an unknown key, then a row of ts 1 in the next batch"),
    "k15": Scenario(About.LATE_ROWS, "a late row of ts 3 with a value, then ts 4 with null in the next batch"),
    "k16": Scenario(About.BATCH, "in one batch Op=D of ts 7, then Op=I of ts 6", has_operation=True),
    "k17": Scenario(About.DELETES, "a late row with Op=D: ts 3 after ts 5", has_operation=True),
}


class Difference(NamedTuple):
    """A scenario that two sets of rules answer differently."""

    scenario: Scenario
    left: str
    right: str


class Column(NamedTuple):
    """Whose answers: a class by its full name or None for a merge mode inferred from the ordering field, and rules."""

    payload: str | None
    rules: Rules
    table_type: TableType

    @property
    def key(self) -> tuple[str, str, str]:
        """The key in the file; EventTime, recorded in part, answers every scenario as Default does."""
        payload = DEFAULT if self.payload == EVENT_TIME else self.payload
        short = _NO_CLASS if payload is None else payload.rpartition(".")[2]
        return short, self.rules.value, self.table_type.value


def differences(left: Column, right: Column) -> tuple[Difference, ...] | None:
    """Return the scenarios that two columns answer differently; None where one of them was not recorded."""
    answers = _answers()
    if left.key not in answers or right.key not in answers:
        return None
    pairs = zip(SCENARIOS, answers[left.key], answers[right.key], strict=True)
    return tuple(Difference(SCENARIOS[name], _shown(a), _shown(b)) for name, a, b in pairs if a != b)


@functools.cache
def _answers() -> dict[tuple[str, str, str], tuple[str, ...]]:
    header, *lines = (line.split("\t") for line in _FILE.read_text(encoding="utf-8").splitlines())
    if tuple(header[3:]) != tuple(SCENARIOS):
        msg = f"{_FILE.name} does not list the scenarios in their order"
        raise AssertionError(msg)
    return {(payload, rules, table_type): tuple(cells) for payload, rules, table_type, *cells in lines}


def _shown(cell: str) -> str:
    """Write an answer for people: the row, or the rows after either batch where they differ."""
    return ", then ".join(_row(row) for row in cell.split(">"))


def _row(row: str) -> str:
    if row == "-":
        return "no row"
    names = ("ts", "v", "w", "Op")
    return " ".join(f"{name}={value}" for name, value in zip(names, row.split("/"), strict=False))
