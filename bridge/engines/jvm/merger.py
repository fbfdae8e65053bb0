"""A user's compiled merger before any task starts: whether it can run, its strategy id and record type."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from bridge.config import capabilities
from bridge.engines.jvm.gateway import Driver
from bridge.engines.jvm.jars import Jars, jars_of
from bridge.engines.jvm.job import DEFAULT_PAYLOAD
from bridge.linkage import UserJars, check_class
from mergers import (
    COMMIT_TIME_BASED_MERGE_STRATEGY_UUID,
    EVENT_TIME_BASED_MERGE_STRATEGY_UUID,
    PAYLOAD_BASED_MERGE_STRATEGY_UUID,
    MergerConfigError,
    MergerNotFoundError,
)
from payloads import PayloadRef

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from bridge.plan import MergePlan
    from payloads import HudiRelease

_OF_HUDI = frozenset(
    {
        COMMIT_TIME_BASED_MERGE_STRATEGY_UUID,
        EVENT_TIME_BASED_MERGE_STRATEGY_UUID,
        PAYLOAD_BASED_MERGE_STRATEGY_UUID,
    }
)
_UNTIL_1_0 = "merge(HoodieRecord, Schema, HoodieRecord, Schema, TypedProperties)"
_SINCE_1_1 = "merge(BufferedRecord, BufferedRecord, RecordContext, TypedProperties)"


def with_strategy_id(spark: SparkSession, plan: MergePlan) -> MergePlan:
    """Return the plan with the strategy id of its compiled merger; any other plan as it is.

    Raises:
        EngineError: a jar can't be found.
        MergerNotFoundError: the class is in none of the jars, or can't be loaded.
        MergerConfigError: the class is not a merger of Avro records with the release's interface, or can't be built.
        ClassLinkError: it needs what the release does not have.
    """
    merger = plan.merger
    if merger is None or plan.mode is not None or not merger.is_compiled:
        return plan
    jars = jars_of(spark, PayloadRef(DEFAULT_PAYLOAD, merger.jars, merger.package), plan.release)
    driver = Driver(spark)
    reason, detail = driver.call(driver.class_in(jars.paths, "bridge.jvm.MergerChecks"), "asked", merger.name)
    if reason != "strategy":
        raise _refusal(merger.name, str(reason), detail, jars, plan.release)
    if not detail or detail in _OF_HUDI:
        says = f"returns the strategy id {detail}, which is Hudi's own" if detail else "returns no strategy id"
        msg = f"{merger.name} {says}, so no table would call it; let getMergingStrategy return your own UUID"
        raise MergerConfigError(msg)
    check_class(merger.name, jars.paths[2:], plan.release, is_payload=False)  # the first are ours and Hudi's
    return dataclasses.replace(plan, merger=dataclasses.replace(merger, strategy=str(detail)))


def records_refused(name: str, record_type: str, release: HudiRelease) -> MergerConfigError:
    """Return the error of a compiled merger for records that are not Avro."""
    msg = (
        f"{name} merges {record_type} records: Hudi {release} passes it the engine's own rows (InternalRow in "
        "Spark), and the jvm engine makes Avro records; let getRecordType return AVRO and merge "
        "HoodieAvroIndexedRecord"
    )
    return MergerConfigError(msg)


def _refusal(
    name: str, reason: str, detail: str | None, jars: Jars, release: HudiRelease
) -> MergerConfigError | MergerNotFoundError:
    match reason:
        case "missing":
            return MergerNotFoundError(UserJars(jars.paths[2:]).lacks(name, jars.searched))
        case "broken":
            return MergerNotFoundError(f"{name} can't be loaded: {detail}")
        case "unrelated":
            msg = f"{name} is not a merger: it does not implement org.apache.hudi.common.model.HoodieRecordMerger"
        case "abstract":
            msg = f"{name} is abstract; name a class that extends it"
        case "hidden":
            msg = f"{name} is not public, so Hudi can't instantiate it; make the class public"
        case "constructor":
            msg = f"{name} has no public constructor without parameters; it has {detail or 'none that is public'}"
        case "shape":
            until_1_0, since_1_1 = f"{_UNTIL_1_0} is that until 1.0", f"{_SINCE_1_1} is that of 1.1 and later"
            is_new = capabilities(release).buffered_mergers
            own, other = (_SINCE_1_1, until_1_0) if is_new else (_UNTIL_1_0, since_1_1)
            msg = (
                f"{name} does not have the interface of Hudi {release}, {own}: it {detail}; {other}. Compile it for "
                f"Hudi {release}"
            )
        case "records":
            return records_refused(name, str(detail), release)
        case _:
            msg = f"{name} can't be instantiated ({detail}); fix its constructor, getRecordType or getMergingStrategy"
    return MergerConfigError(msg)
