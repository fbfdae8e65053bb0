"""What a plan's compiled class lacks under the plan's release: a refusal before the first job, and warnings."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    """Return what users should know of the classes of plans: dead overrides, and where Hudi does not call a merger."""
    found = [
        warning
        for plan in plans
        for one in _compiled(plan)
        if (linkage := linkage_of(one.name, one.jars, plan.release, is_complete=not one.package)) is not None
        for warning in linkage.warnings
    ]
    return [*merger_warnings(*plans), *dict.fromkeys(found)]


def _compiled(plan: MergePlan) -> list[PayloadRef | MergerRef]:
    """Return the classes of a plan that run as they are compiled."""
    if not plan.runs_java:
        return []
    own = (plan.payload, plan.stored_payload, plan.merger if plan.mode is None else None)
    return [one for one in own if one is not None and one.jars]
