"""Examples of what changes: the scenarios of `bridge.migration.scenarios`, run on two tables by the merge code."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bridge.config import (
    MERGE_PROPERTY_PREFIX,
    OVERWRITE,
    WRITE_TABLE_VERSION,
    TableMergeConfig,
    capabilities,
    created_properties,
)
from bridge.errors import MergeFailedError
from bridge.explain import trace_key
from bridge.migration.scenarios import SCENARIOS, UNAVAILABLE, Scenario, ScenarioDifference, ScenarioRow
from bridge.plan import MergePlan
from bridge.programs import refused_batch
from mergers import RecordMergeMode
from payloads import builtin_payloads, parse_schema
from payloads.errors import PayloadBridgeError

if TYPE_CHECKING:
    from bridge.explain import Trace
    from bridge.migration.move import Answering
    from payloads import Record

_COLUMNS: Final = {
    "key": "string",
    "ts": "long",
    "v": "string",
    "w": "string",
    "Op": "string",
    "_hoodie_is_deleted": "boolean",
    "_change_operation_type": "string",
    "_event_lsn": "long",
    "_event_seq": "string",
    "_event_bin_file": "string",
    "_event_pos": "long",
}
_FIELDS: Final = [{"name": name, "type": ["null", kind], "default": None} for name, kind in _COLUMNS.items()]
_SCHEMA: Final = parse_schema({"type": "record", "name": "example", "fields": _FIELDS})
_COMMITS: Final = 3


class Rows(NamedTuple):
    """The result of a scenario on a table, as text: the row after the second and after the third batch."""

    second: str
    third: str

    def __str__(self) -> str:
        return self.second if self.second == self.third else f"{self.second}, then {self.third}"


def differences(left: Answering, right: Answering) -> tuple[ScenarioDifference, ...] | None:
    """Return the scenarios with different results on two tables; None if the class of one can't run here.

    Only Hudi's own classes are: what a user's class expects of its columns is not known.
    """
    before, after = answers(left), answers(right)
    if before is None or after is None:
        return None
    return tuple(
        ScenarioDifference(scenario, str(before[name]), str(after[name]))
        for name, scenario in SCENARIOS.items()
        if before[name] != after[name]
    )


@functools.cache
def answers(side: Answering) -> dict[str, Rows] | None:
    """Return the result of each scenario on a table; None if its release lacks the class, or rejects the table."""
    known = {name for found in builtin_payloads(side.release) for name in (found.java_name, *found.aliases)}
    if side.payload is not None and side.payload not in known:
        return None
    try:
        plan = plan_of(side)
        if refused_batch(plan, _COMMITS) is not None:  # by then its writer leaves its ordering field out
            plan = dataclasses.replace(plan, ordering=())
    except PayloadBridgeError:
        return None
    return {name: _play(scenario, plan) for name, scenario in SCENARIOS.items()}


def plan_of(side: Answering) -> MergePlan:
    """Return the plan of a table of the scenarios.

    Raises:
        PayloadBridgeError: the release can't make the table.
    """
    release = side.release
    can = capabilities(release)
    # A release without modes takes this class where none is named.
    payload = OVERWRITE if side.payload is None and not can.merge_modes else side.payload
    plan = MergePlan(
        payload=payload,
        merger=RecordMergeMode.EVENT_TIME_ORDERING.name if payload is None else None,
        release=release,
        table_type=side.table_type,
        key=("key",),
        ordering=("ts",) if side.has_ordering else (),
    )
    version = min(side.table_version, can.created_version)
    if not can.merge_modes or (version == can.created_version and not side.properties):
        return plan
    options = {**plan.writer_options(), WRITE_TABLE_VERSION.key: str(version)}
    stored = created_properties(options, side.table_type, release)
    stored |= {MERGE_PROPERTY_PREFIX + key: value for key, value in side.properties}
    return dataclasses.replace(plan, table=TableMergeConfig.from_properties(stored, release))


def _play(scenario: Scenario, plan: MergePlan) -> Rows:
    rows = [(commit, _row(row)) for commit, batch in enumerate(scenario.batches, start=1) for row in batch]
    trace = trace_key(rows, plan, _SCHEMA, commits=_COMMITS)
    return Rows(_shown(trace, 2), _shown(trace, 3))


def _row(version: ScenarioRow) -> Record:
    return {
        "key": "a",
        "ts": version.ts,
        "v": version.v,
        "w": version.w,
        "Op": version.op,
        "_hoodie_is_deleted": version.is_deleted,
        "_change_operation_type": version.op.lower(),
        "_event_lsn": version.ts,
        "_event_seq": f"1.{version.ts}",
        "_event_bin_file": "1",
        "_event_pos": version.ts,
    }


def _shown(trace: Trace, commit: int) -> str:
    """Write the row that is visible after a commit as text."""
    if trace.error is not None:
        reason = trace.error.reason if isinstance(trace.error, MergeFailedError) else str(trace.error)
        return f"an error ({reason})"
    row: Any = trace.row_after(commit)
    if row is None:
        return "no row"
    names = ("ts", "v", "w", "Op") if row["Op"] else ("ts", "v", "w")
    texts = {None: "null", UNAVAILABLE: "(unavailable)"}
    return " ".join(f"{name}={texts.get(row[name], row[name])}" for name in names)
