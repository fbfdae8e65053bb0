"""What a plan's compiled class lacks under the plan's release: a refusal before the first job, and warnings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.config import capabilities, keys, option_warnings
from bridge.linkage import check_class, linkage_of
from bridge.merge.merger_writer import merger_warnings
from payloads import PayloadRef

if TYPE_CHECKING:
    from bridge.plan import MergePlan
    from mergers import MergerRef


def check_links(plan: MergePlan) -> None:
    """Check that the compiled payload of a plan links to its release, or to that which it was built for.

    The engine asks again with the packages, and asks for mergers, too; this check needs no Spark.

    Raises:
        ClassLinkError: it does not.
    """
    for one in _compiled(plan):
        if isinstance(one, PayloadRef):
            release = (one.built_for or plan.release) if one.recompiled_for(plan.release) else plan.release
            check_class(one.name, one.jars, release, is_complete=not one.package)


def class_warnings(*plans: MergePlan) -> list[str]:
    """Return what users should know of plans: what their classes lack, and which options are not followed."""
    found = [
        warning
        for plan in plans
        for one in _compiled(plan)
        if (linkage := linkage_of(one.name, one.jars, plan.release, is_complete=not one.package)) is not None
        for warning in linkage.warnings
    ]
    ignored = [warning for plan in plans for warning in ignored_options(plan)]
    return [*merger_warnings(*plans), *dict.fromkeys(found), *dict.fromkeys(ignored)]


def ignored_options(plan: MergePlan) -> list[str]:
    """Return a sentence on each option of a plan's writer that Hudi, or this project, does not follow."""
    found, can = option_warnings(plan.props), capabilities(plan.release)
    found += filter(None, map(keys.key_hint, plan.props))
    passed, ordering = plan.props.get(keys.PAYLOAD_ORDERING.key), ",".join(plan.ordering)
    if passed and ordering and passed != ordering:
        found.append(
            f"{keys.PAYLOAD_ORDERING.key}={passed} has no effect: Spark's writer replaces it by the precombine field, "
            f"{ordering}"
        )
    if plan.global_index and not can.merges_moved_rows:
        found.append(f"a global index under Hudi {plan.release}: the rows follow Hudi's sources; no table was recorded")
    marker = [key for key in (keys.DELETE_KEY.key, keys.DELETE_MARKER.key) if plan.props.get(key)]
    if marker and not can.custom_deletes:
        found.append(f"{' and '.join(marker)} have no effect in Hudi {plan.release}, which reads them from 0.14 on")
    if marker and can.fails_custom_deletes is not None:
        found.append(
            f"{marker[0]} works only in part in Hudi {can.fails_custom_deletes}, where writing a marked row fails if "
            f"its key is new (HUDI-6961); the rows here are those of {can.bundle}"
        )
    return found


def _compiled(plan: MergePlan) -> list[PayloadRef | MergerRef]:
    """Return the classes of a plan that run as they are compiled."""
    if not plan.runs_java:
        return []
    own = (plan.payload, plan.stored_payload, plan.merger if plan.mode is None else None)
    return [one for one in own if one is not None and one.jars]
