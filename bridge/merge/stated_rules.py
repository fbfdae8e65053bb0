"""Rules that users' classes state: whether they fit the rows of a job."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mergers import resolve_merger
from mergers.compat import RuleMerger
from payloads import PayloadBridgeError, SchemaError
from payloads.ordering_fields import ordering_fields
from payloads.rules import MergeRule, Point, check_rule
from payloads.user import PayloadAdapter, RulePayload

if TYPE_CHECKING:
    from bridge.plan import MergePlan
    from payloads import AvroSchema, HoodieRecordPayload
    from payloads.api import Props


class StatedRules(NamedTuple):
    """The rules that a user's class states, at the merge points of a job.

    Attributes:
        folded: that of two versions of a batch or a log.
        stored: that of one with the stored row.
        alone: that of one without a stored row, of a payload class; None for a merger, which is not asked.
        reads: the ordering fields that a payload class reads of a stored row; None for a merger, which is given one.
    """

    folded: MergeRule
    stored: MergeRule
    alone: MergeRule | None = None
    reads: tuple[str, ...] | None = None


class StatedAt(NamedTuple):
    """A call of a payload class: at which point of its rule, with which schema and properties."""

    point: Point
    schema: AvroSchema
    props: Props


def rules_of_payload(
    payload_class: type[HoodieRecordPayload] | None, folded: StatedAt, stored: StatedAt
) -> StatedRules | None:
    """Return the rules that a user's payload class states; None for a class with methods, and for one of Hudi's."""
    if payload_class is None or not issubclass(payload_class, PayloadAdapter):
        return None
    target = payload_class.target
    if not issubclass(target, RulePayload):
        return None
    reads = ordering_fields(stored.props, payload_class.release) or ()
    alone = target.rule_at(Point.ALONE, stored.schema, stored.props)
    return StatedRules(target.rule_at(*folded), target.rule_at(*stored), alone, reads)


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
