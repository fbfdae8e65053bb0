"""The JSON of `migrate` and `rehearse`."""

# ruff: noqa: TC001 (the types are read when the schema is made)

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

from bridge.report.envelope.base import (
    Count,
    Held,
    KeyDifference,
    PropertyChanged,
    Row,
    ScopeJson,
    Sides,
    TableDifference,
    TableTypeName,
)
from bridge.report.envelope.comparison import ReplayedKey
from bridge.report.envelope.inspection import PlanJson

if TYPE_CHECKING:
    from typing_extensions import NotRequired


class TrialExample(TypedDict):
    """The smallest example of a trial."""

    commit: Count
    difference: KeyDifference
    versions: list[Row]
    row: dict[str, str]


class TrialCounts(TypedDict):
    """How many keys differ after a commit."""

    commit: Count
    only_left: Count
    only_right: Count
    changed: Count


class TrialJson(TypedDict):
    """A candidate on one table type."""

    name: str
    table_type: TableTypeName
    sides: Sides | None
    equal: bool
    refused: str | None
    differing: Count
    commits: list[TrialCounts]
    example: TrialExample | None


class CopyJson(TypedDict):
    """The copy on which a migration ran."""

    path: str
    success: bool
    sha256: str


class PathBeforeAndAfter(TypedDict):
    """A path, and the group of those on which every key ends alike, with the class and with what replaces it."""

    path: str
    before: str
    after: str


class KeysBeforeAndAfter(TypedDict):
    """How many keys have a row that depends on the path, with the class and with what replaces it."""

    before: Count
    after: Count


class PathsAgree(TypedDict):
    """Which paths agree, with `--all-paths`; `agree_now` and `no_longer_agree` are pairs of paths."""

    keys: Count
    paths: list[PathBeforeAndAfter]
    depending: KeysBeforeAndAfter
    agree_now: list[list[str]]
    no_longer_agree: list[list[str]]


class MigrateStatistics(Held):
    """What was tried, and what is recommended."""

    rows_in: Count | None
    checked: bool
    equal: bool
    accepted: bool
    recommended: str | None
    candidates: list[TrialJson]
    scope: NotRequired[ScopeJson]
    copy: NotRequired[CopyJson]
    paths: NotRequired[PathsAgree]


class SkeletonJson(TypedDict):
    """A generated merger."""

    path: str
    text: str
    merger: str
    strategy: str
    releases: str
    by: str


class Migrated(TypedDict):
    """What replaces a class, and how."""

    recommended: str | None
    plans: dict[TableTypeName, PlanJson]
    new_tables: dict[TableTypeName, dict[str, str]]
    differences: list[ReplayedKey]
    skeletons: list[SkeletonJson]
    notes: list[str]


class Totals(TypedDict):
    """How many rows differ, by kind."""

    total: Count
    only_left: Count
    only_right: Count
    changed: Count


class RehearsedJson(TypedDict):
    """A step of a rehearsal."""

    step: str
    as_predicted: bool
    not_as_predicted: Totals | None
    seconds: float


class RehearsalSeconds(TypedDict):
    """How long it took."""

    copy: float
    upgrade: float


class RehearseStatistics(TypedDict):
    """What the bundle did with a copy."""

    verdict: Literal["AS PREDICTED", "NOT AS PREDICTED", "REFUSED BY HUDI"]
    rows_in: Count
    changed_by_upgrade: Totals | None
    not_as_predicted: Totals | None
    refused: str | None
    properties: list[PropertyChanged]
    bytes: Count
    seconds: RehearsalSeconds
    steps: list[RehearsedJson]


class RehearsedRow(TableDifference):
    """A row that the upgrade changes, or that is not as predicted."""

    about: Literal["upgrade", "prediction"]
