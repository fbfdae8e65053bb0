"""The JSON of `inspect` and `plan`."""

# ruff: noqa: TC001 (the types are read when the schema is made)

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

from bridge.report.envelope.base import Count, FindingJson, PropertyChanged
from bridge.report.envelope.comparison import Graded
from bridge.report.severity import Severity

if TYPE_CHECKING:
    from typing_extensions import NotRequired


class SourceJson(TypedDict):
    """Where a value comes from."""

    side: str
    key: str
    value: str


class SettingJson(TypedDict):
    """An effective setting; `others` are without effect."""

    name: str
    value: str | None
    source: SourceJson | None
    others: list[SourceJson]


class PointRuleJson(TypedDict):
    """What decides at a merge point, and why."""

    mode: str | None
    payload: str | None
    why: str


class Deprecated(TypedDict):
    """A property that the release deprecates."""

    side: str
    key: str
    instead: str


class TableClassJson(TypedDict):
    """A payload class that a table or a writer names."""

    name: str
    side: Literal["table", "writer", "default"]
    found: Literal["port", "Python", "jar", "unknown"]
    reason: str


class DamageJson(TypedDict):
    """One kind of damage, with the smallest example."""

    kind: str
    about: str
    number: Count
    partition: str
    key: str
    file: str
    reason: str | None


class SearchJson(TypedDict):
    """What a search for damage has read and found."""

    reader: str
    slices: Count
    slices_read: Count
    rows_not_read: str | None
    found: list[DamageJson]


class JobSettingJson(TypedDict):
    """A line of a settings file, and the option of the writer that it sets."""

    key: str
    value: str
    name: str | None
    why: str


class Inspected(TypedDict):
    """A table under a release."""

    settings: list[SettingJson]
    rules: dict[str, PointRuleJson]
    deprecated: list[Deprecated]
    payloads: list[TableClassJson]
    warnings: list[FindingJson]
    damage: NotRequired[SearchJson]
    config: NotRequired[list[JobSettingJson]]


class FleetStatistics(TypedDict):
    """How many tables there are, and how many could not be inspected."""

    tables: Count
    failed: Count


class FleetLine(TypedDict):
    """One of the inspected tables."""

    table: str
    version: int | None
    table_type: str
    merges_by: str
    written_by: str
    properties: Count
    behaviours: Count
    damage: Count
    next: str
    rows: Count | None
    differing: Count | None
    grade: Graded | None
    failure: str | None
    untried: str | None
    new_batches: Severity
    findings: list[FindingJson]
    severity: Severity


class StepJson(TypedDict):
    """One thing to do."""

    what: str
    sql: str
    options: dict[str, str]
    drop: list[str]
    cli: list[str]
    file: str


class BehaviourJson(TypedDict):
    """A behaviour that changes silently, or may, as `depends_on` says; `keys` of the table have such versions.

    `keys` is null where that was not checked.
    """

    about: str
    case: str
    before: str
    after: str
    is_damage: bool
    depends_on: str
    keys: Count | None


class PlanJson(TypedDict):
    """The plan of a move."""

    before: dict[str, str]
    after: dict[str, str]
    apply: list[StepJson]
    undo: list[StepJson]
    not_undone: list[PropertyChanged]
    behaviours: list[BehaviourJson]
    untried: str | None
    warnings: list[FindingJson]
    evidence: NotRequired[SearchJson]


class PlanStatistics(TypedDict):
    """How many properties and behaviours change, and how many of these with damage."""

    properties: Count
    behaviours: Count
    damage: Count
