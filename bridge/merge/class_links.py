"""What a plan's compiled class lacks under the plan's release: a refusal before the first job, and warnings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.config import capabilities, keys, option_warnings
from bridge.linkage import check_class, linkage_of
from bridge.merge.merger_writer import merger_warnings
from bridge.plan import TableType
from payloads import HudiRelease, PayloadRef

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    found += [*filter(None, map(keys.key_hint, plan.props)), *_named_mergers(plan), *_small_files(plan)]
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


def _named_mergers(plan: MergePlan) -> Iterator[str]:
    """Give a sentence on each option that names merger classes, which 0.x reads under the older name, from 0.13 on."""
    first = HudiRelease.V0_13
    for name in (keys.IMPLEMENTATIONS.key, *keys.IMPLEMENTATIONS.aliases):
        classes = plan.props.get(name)
        if classes is None or capabilities(plan.release).merge_modes or classes.endswith(".HoodieAvroRecordMerger"):
            continue
        if name == keys.IMPLEMENTATIONS.key or plan.release < first:
            since = HudiRelease.V1_0 if name == keys.IMPLEMENTATIONS.key else first
            yield f"{name} has no effect in Hudi {plan.release}, which reads it from {since} on"
        else:
            yield f"{name}={classes} is not followed: Hudi {plan.release} then runs a merger, not the payload class"


def _small_files(plan: MergePlan) -> Iterator[str]:
    """Give a sentence on the number of small files that a batch rewrites, where a plan does not say what is small."""
    candidates = plan.props.get(keys.SMALL_FILE_CANDIDATES)
    is_followed = int(plan.props.get(keys.SMALL_FILE_LIMIT, "0")) > 0
    if candidates is not None and not is_followed and plan.table_type is TableType.MERGE_ON_READ:
        yield (
            f"{keys.SMALL_FILE_CANDIDATES}={candidates} is not followed without {keys.SMALL_FILE_LIMIT}, which is 100 "
            "MiB by default in Hudi: if a partition gets new keys, small files are updated at once; set it, too"
        )


def _compiled(plan: MergePlan) -> list[PayloadRef | MergerRef]:
    """Return the classes of a plan that run as they are compiled."""
    if not plan.runs_java:
        return []
    own = (plan.payload, plan.stored_payload, plan.merger if plan.mode is None else None)
    return [one for one in own if one is not None and one.jars]
