"""The native engine: a job as one plan of Spark's own expressions."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from pyspark.sql.types import StructField

from bridge.engines.control_columns import ADDED_TYPES, GROUP, visible
from bridge.engines.native.custom import joined_by_merger
from bridge.engines.native.history import through_commits
from bridge.engines.native.lowering import lowered
from bridge.engines.native.merged_history import merged_through_commits
from bridge.engines.native.rules import HISTORY
from bridge.engines.native.stored_join import joined
from bridge.engines.native.versions import Versions
from bridge.engines.native.written_rows import appended, combined
from bridge.engines.written_meta import stamped
from bridge.spark import META_COLUMNS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from bridge.engines.job import Job

_PLANS = {"combine_input": combined, "append": appended, HISTORY: through_commits}
_BY_MERGES = {HISTORY: merged_through_commits}


def run(sides: list[DataFrame], job: Job, fields: tuple[StructField, ...]) -> DataFrame:
    """Run a job on its sides, stored rows first; return what `bridge.engines.Engine` says.

    The failure of a key is raised by Spark where it evaluates the result, in the words of the python engine.

    Raises:
        NotLoweredError: the job needs another engine.
    """
    rule = lowered(job)
    if job.file_groups:  # whose number is a column of the key, as a partition is
        job = dataclasses.replace(job, plan=dataclasses.replace(job.plan, partition=(GROUP,)))
        fields = (StructField(GROUP, ADDED_TYPES[GROUP], nullable=False), *fields)
    versions = Versions(rule, job.plan, fields, by_commit=job.program == HISTORY)
    plans, otherwise = (_BY_MERGES, joined_by_merger) if rule.gathers else (_PLANS, joined)
    plan_of = plans.get(job.program, otherwise)
    outcomes = plan_of(versions, sides, job)
    if job.instant is not None and META_COLUMNS[0] in versions.names:
        outcomes = stamped(outcomes, job.plan, job.instant)
    return visible(outcomes) if job.only_rows else outcomes
