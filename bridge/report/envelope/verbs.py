"""The JSON of each verb, and that of `demo`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypedDict

from bridge.report.envelope.base import Count, Row, TableDifference, TableTypeName
from bridge.report.envelope.classes import Classes, ClassJson, FoundRule, FoundRules, Linked, Links, Listed, Nothing
from bridge.report.envelope.comparison import (
    Differing,
    HeldOfCommit,
    HistoryStatistics,
    ReadDifference,
    ReadersStatistics,
    ReplayedKey,
    ReplayStatistics,
    UpgradedReaders,
)
from bridge.report.envelope.explanation import (
    ExplainedRow,
    ExplainedSide,
    ExplainStatistics,
    LawJson,
    TableRowStatistics,
)
from bridge.report.envelope.inspection import FleetLine, FleetStatistics, Inspected, PlanJson, PlanStatistics
from bridge.report.envelope.merge import (
    DependingKey,
    MergeIntoStatistics,
    MergeStatistics,
    PathsStatistics,
    SimulatedQuarantine,
    SimulatedSnapshot,
    SimulateStatistics,
    SnapshotStatistics,
)
from bridge.report.envelope.migration import Migrated, MigrateStatistics, RehearsedRow, RehearseStatistics
from bridge.report.severity import Severity

if TYPE_CHECKING:
    from typing_extensions import NotRequired


class DemoStatistics(TypedDict):
    """Of the recorded batches."""

    rows_in: Count
    rows_out: dict[str, Count]
    snapshots: Count
    unequal_snapshots: Count
    last_rows: Count
    changed_keys: dict[TableTypeName, Count]
    disagreeing_keys: Count


class DemoAnswer(TypedDict):
    """A snapshot beside that of real Hudi."""

    release: str
    table_type: TableTypeName
    commit: Count
    rows: Count
    expected_rows: Count
    equal: bool


class IssueStatistics(TypedDict):
    """Of a known report; `law_by_release` is the verdict on its law, if it is about one."""

    paths: Count
    distinct_answers: Count
    law: str | None
    law_by_release: NotRequired[dict[str, str]]


class IssueJson(TypedDict):
    """The rows at the end of a path."""

    payload: str
    table: str
    release: str
    new: str | None
    rows: list[Row]
    error: str | None


class Packed(TypedDict):
    """A package in the archive."""

    name: str
    version: str


VERBS: Final[dict[str, tuple[tuple[Any, Any], ...]]] = {
    "check-cluster": ((Nothing, dict[str, str]),),
    "compare-readers": ((ReadersStatistics, ReadDifference),),
    "demo": ((DemoStatistics, DemoAnswer), (IssueStatistics, IssueJson)),
    "diff": ((Differing, TableDifference),),
    "explain": ((ExplainStatistics, ExplainedSide), (TableRowStatistics, ExplainedRow)),
    "history": ((HistoryStatistics, HeldOfCommit),),
    "inspect": ((dict[Severity, Count], Inspected), (FleetStatistics, FleetLine)),
    "merge": ((MergeStatistics, Row),),
    "merge-into": ((MergeIntoStatistics, Row),),
    "migrate": ((MigrateStatistics, Migrated),),
    "pack": ((Nothing, Packed),),
    "payloads": ((Classes, Listed), (Nothing, ClassJson), (Links, Linked), (FoundRules, FoundRule)),
    "plan": ((PlanStatistics, PlanJson),),
    "rehearse": ((RehearseStatistics, RehearsedRow),),
    "replay": ((ReplayStatistics, ReplayedKey), (UpgradedReaders, TableDifference)),
    "simulate": (
        (SimulateStatistics, SimulatedSnapshot | SimulatedQuarantine),
        (PathsStatistics, DependingKey),
    ),
    "snapshot": ((SnapshotStatistics, Row),),
    "verify": ((dict[str, Count], LawJson),),
}
"""The statistics of each verb, and what its results have; several where a verb answers several questions."""
