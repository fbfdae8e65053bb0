"""Seventeen small scenarios that distinguish merge rules: a table is written in three batches, of a row or two each.

Where the first batch has a row, it has `ts` 5. `bridge.migration.examples` runs them.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

OPERATIONS: Final = ("Op", "_change_operation_type")
"""The columns in which DMS and Debezium have the operation of a change."""
UNAVAILABLE: Final = "__debezium_unavailable_value"


class VersionKind(enum.Enum):
    """The kind of versions that a scenario is about."""

    DELETES = "deletes"
    LATE_ROWS = "late rows"
    BATCH = "duplicates within a batch"
    TIES = "ties"
    VALUES = "column values"
    ORDERING = "ordering fields"
    CODE = "code that runs"


class ScenarioRow(NamedTuple):
    """A row of a scenario.

    Attributes:
        ts: the ordering value; change feeds have it as their sequence, too.
        v: a column.
        w: another column.
        op: the operation of a change feed.
        is_deleted: whether the row is flagged as deleted.
    """

    ts: int
    v: str
    w: str | None
    op: str = ""
    is_deleted: bool | None = None


class Scenario(NamedTuple):
    """One scenario.

    Attributes:
        about: the kind of versions.
        text: what happens.
        batches: the rows of the first, the second and, where there is one, the third batch.
    """

    about: VersionKind
    text: str
    batches: tuple[tuple[ScenarioRow, ...], ...]


_STORED: Final = (ScenarioRow(5, "v5", "w5"),)
_STORED_NULL: Final = (ScenarioRow(5, "v5", None),)

SCENARIOS: Final[Mapping[str, Scenario]] = {
    "k01": Scenario(
        VersionKind.LATE_ROWS,
        "a late row: ts 3 after ts 5",
        (_STORED, (ScenarioRow(3, "v3", "w3"),)),
    ),
    "k02": Scenario(
        VersionKind.VALUES,
        "a newer row with a null column",
        (_STORED, (ScenarioRow(7, "v7", None),)),
    ),
    "k03": Scenario(
        VersionKind.LATE_ROWS,
        "a late row with a value where the stored column is null",
        (_STORED_NULL, (ScenarioRow(3, "v3", "w3"),)),
    ),
    "k04": Scenario(
        VersionKind.DELETES,
        "a late delete by flag: ts 3 after ts 5",
        (_STORED, (ScenarioRow(3, "v3", "w3", is_deleted=True),)),
    ),
    "k05": Scenario(
        VersionKind.DELETES,
        "a delete by flag of ts 7, then a row of ts 6 in the next batch",
        (_STORED, (ScenarioRow(7, "v7", "w7", is_deleted=True),), (ScenarioRow(6, "v6", "w6"),)),
    ),
    "k06": Scenario(
        VersionKind.BATCH,
        "a new key twice in one batch: ts 5, then ts 3",
        ((), (ScenarioRow(5, "p5", None), ScenarioRow(3, "q3", None))),
    ),
    "k07": Scenario(
        VersionKind.BATCH,
        "a new key twice in one batch: ts 3 with a value, ts 5 with null",
        ((), (ScenarioRow(3, "q3", "w3"), ScenarioRow(5, "p5", None))),
    ),
    "k08": Scenario(
        VersionKind.TIES,
        "a row of the same ts 5",
        (_STORED, (ScenarioRow(5, "tie", "wt"),)),
    ),
    "k09": Scenario(
        VersionKind.BATCH,
        "in one batch a delete by flag of ts 7, then a row of ts 6",
        (_STORED, (ScenarioRow(7, "v7", "w7", is_deleted=True), ScenarioRow(6, "u6", "w6"))),
    ),
    "k10": Scenario(
        VersionKind.DELETES,
        "a row of ts 7 with Op=D",
        (_STORED, (ScenarioRow(7, "v7", None, "D"),)),
    ),
    "k11": Scenario(
        VersionKind.DELETES,
        "a new key with Op=D",
        ((), (ScenarioRow(7, "v7", "w7", "D"),)),
    ),
    "k12": Scenario(
        VersionKind.DELETES,
        "a row of ts 7 with Op=D, then Op=I of ts 8 in the next batch",
        (_STORED, (ScenarioRow(7, "v7", None, "D"),), (ScenarioRow(8, "v8", "w8", "I"),)),
    ),
    "k13": Scenario(
        VersionKind.VALUES,
        "a newer row whose column has the marker for unavailable values",
        (_STORED, (ScenarioRow(7, UNAVAILABLE, "w7"),)),
    ),
    "k14": Scenario(
        VersionKind.DELETES,
        "a delete by flag of an unknown key, then a row of ts 1 in the next batch",
        ((), (ScenarioRow(7, "v7", "w7", is_deleted=True),), (ScenarioRow(1, "v1", "w1"),)),
    ),
    "k15": Scenario(
        VersionKind.LATE_ROWS,
        "a late row of ts 3 with a value, then ts 4 with null in the next batch",
        (_STORED_NULL, (ScenarioRow(3, "v3", "w3"),), (ScenarioRow(4, "v4", None),)),
    ),
    "k16": Scenario(
        VersionKind.BATCH,
        "in one batch Op=D of ts 7, then Op=I of ts 6",
        (_STORED, (ScenarioRow(7, "v7", None, "D"), ScenarioRow(6, "u6", "w6", "I"))),
    ),
    "k17": Scenario(
        VersionKind.DELETES,
        "a late row with Op=D: ts 3 after ts 5",
        (_STORED, (ScenarioRow(3, "v3", None, "D"),)),
    ),
}


class ScenarioDifference(NamedTuple):
    """A scenario with different results on two tables."""

    scenario: Scenario
    left: str
    right: str
