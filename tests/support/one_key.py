"""One key through the commits of a table, in this process: what its tests share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bridge.explain.trace import trace_key
from payloads import HudiRelease, parse_schema
from tests.support import plans
from tests.support.schemas import nullable_schema

if TYPE_CHECKING:
    from bridge import MergePlan

EVENT, COMMIT = "EVENT_TIME_ORDERING", "COMMIT_TIME_ORDERING"
DEFAULT = "DefaultHoodieRecordPayload"
RELEASES = [str(release) for release in HudiRelease]
MODE_RELEASES = ["1.1", "1.2"]
"""The releases whose writers merge by mode."""


def schema_of(**columns: Any) -> Any:
    """Return a schema with `id`, the given nullable columns, and the flag of deletes."""
    return parse_schema(nullable_schema("Row", id="string", **columns, _hoodie_is_deleted="boolean"))


SCHEMA = schema_of(ts="long", v="string", op="string")


def row(ts: Any, v: str | None = None, op: str | None = None, *, deleted: bool | None = None) -> dict[str, Any]:
    return {"id": "a", "ts": ts, "v": v, "op": op, "_hoodie_is_deleted": deleted}


def plan_of(rule: str, release: str, table_type: str = "mor", **settings: Any) -> MergePlan:
    """Return a plan by payload class, or by merge mode where `rule` is one."""
    by = {"merger": rule} if rule in {EVENT, COMMIT} else {"payload": rule}
    return plans.plan_of(**{"payload": None, "release": release, "table_type": table_type} | by | settings)


def rows_after(plan: MergePlan, *commits: list[dict[str, Any]], schema: Any = SCHEMA, **settings: Any) -> list[Any]:
    """Return what a query sees after each commit: the row, None for no row, or the error that ends the table."""
    versions = [(number, one) for number, commit in enumerate(commits, start=1) for one in commit]
    trace = trace_key(versions, plan, schema, commits=len(commits), **settings)
    seen: list[Any] = [trace.row_after(number) for number in range(1, len(commits) + 1)]
    return seen if trace.error is None else [*seen[: max(trace.rows, default=0)], trace.error.__cause__ or trace.error]
