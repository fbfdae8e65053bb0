"""An upgrade as Java takes it: the release that takes a table over, with its own jars and calls."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, cast

from bridge.engines.jvm.jars import jars_of
from bridge.engines.jvm.job import Calls, rows
from bridge.engines.jvm.merger import with_strategy_id

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType

    from bridge.engines.job import Job
    from bridge.engines.jvm.job import Json
    from bridge.programs import Handover


def with_successor(spark: SparkSession, job: Job, data: StructType, *, is_java8: bool) -> Job:
    """Return a job whose upgrade, if it has one, is described in JSON values.

    Raises:
        PlanError, MergeConfigError: see `Calls`, of the release that it is upgraded to.
        EngineError, PlanError, PayloadNotFoundError, PayloadConstructorError: see `jars_of`, of that release.
    """
    if "handover" not in job.arguments:
        return job
    arguments = dict(job.arguments)
    change = cast("Handover", arguments.pop("handover"))
    arguments["successor"] = _successor(spark, job, change, rows(job, data, is_java8=is_java8))
    return dataclasses.replace(job, arguments=arguments)


def _successor(spark: SparkSession, job: Job, change: Handover, described: Json) -> Json | None:
    """Describe the next release; None where the first one goes on, as copy-on-write reads merge nothing."""
    only_reads = change.after == job.arguments["commits"]
    upgraded = change.upgraded
    if not job.arguments["log_updates"] and upgraded is None and only_reads:
        return None
    # As in `bridge.programs.takeover`: only a log has something that is merged before the upgrade.
    kept = change.kept if job.arguments["log_updates"] or upgraded is None else upgraded
    new = kept if upgraded is None else upgraded
    plans = {"before": kept, "upgraded": new, "upgrading": change.upgrading or new}
    calls = {name: Calls(with_strategy_id(spark, plan), may_call_none=True) for name, plan in plans.items()}
    classes = tuple(dict.fromkeys(name for one in calls.values() for name in one.classes))
    jars = jars_of(spark, calls["upgraded"].reference, new.release, classes)
    told = {
        **described,
        **{name: one.described(job.schema) for name, one in calls.items()},
        **{name: job.arguments[name] for name in ("commits", "compact_after", "log_updates")},
        "after": change.after,
        "compacts": upgraded is not None,
        "only_reads": only_reads,
    }
    return {"after": change.after, "description": json.dumps(told), "jars": list(jars.names)}
