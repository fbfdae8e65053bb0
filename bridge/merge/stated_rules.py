"""Rules that users' classes state: whether they fit the rows of a job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mergers import resolve_merger
from mergers.compat import RuleMerger
from payloads import PayloadBridgeError, SchemaError
from payloads.rules import check_rule

if TYPE_CHECKING:
    from bridge.plan import MergePlan
    from payloads import AvroSchema
    from payloads.rules import MergeRule


def check_stated(plan: MergePlan, schema: AvroSchema) -> None:
    """Check the rule that the payload class or the merger of a plan states, if it states one.

    A class that can't be found or used is told where it is used.

    Raises:
        SchemaError: it does not fit the schema; names class, node, column and type.
        PayloadConfigError: it has a node that nothing runs.
    """
    if plan.runs_java:
        return
    try:
        rule = stated_rule(plan)
        payload = None if plan.payload is None else plan.payload.resolve(plan.release)
    except PayloadBridgeError:
        return
    try:
        if rule is not None:
            check_rule(rule, schema)
        elif payload is not None:
            payload.for_schema(schema)
    except SchemaError as error:
        msg = f"{plan.payload_name}: {error}"
        raise SchemaError(msg) from error


def stated_rule(plan: MergePlan) -> MergeRule | None:
    """Return the rule of a plan's merger, completed; None if it has none."""
    if plan.merger is None or plan.mode is not None or plan.runs_java:
        return None
    merger = resolve_merger(plan.merger)
    return merger.rule if isinstance(merger, RuleMerger) else None
