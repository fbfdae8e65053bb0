"""What every engine does, and which engine runs a plan: the only module that knows the engines."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, NamedTuple, Protocol

from pyspark.sql import functions as sf

from bridge.engines.control_columns import ARRIVAL, COMMIT, ORIGIN
from bridge.engines.jvm import attached, for_python
from bridge.engines.jvm import run as run_on_jvm
from bridge.engines.native import HISTORY, LOG_OF_COMMITS, NotLoweredError, lowered
from bridge.engines.native import run as run_natively
from bridge.engines.python import run as run_in_python
from bridge.errors import ParameterError, PlanError
from bridge.merge import check_stated
from bridge.plan import TableType
from bridge.programs import EngineName
from bridge.spark import in_one_task, in_order, quoted
from mergers.columns import has_columns_alone

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructField

    from bridge.engines.job import Job
    from bridge.engines.trusted import Evidence


class Engine(Protocol):
    """Runs the program of a job over sorted versions."""

    def __call__(self, versions: DataFrame, job: Job, fields: tuple[StructField, ...]) -> DataFrame:
        """Return outcomes: the data columns `fields`, and `job.added`; with `job.only_rows` the rows alone.

        All versions of a group of the job are in one partition of `versions`, sorted by `job.order` and origin, commit
        and arrival.
        """


def _run_compiled(versions: DataFrame, job: Job, fields: tuple[StructField, ...]) -> DataFrame:
    """Let Java run the program next to the class, or Python, which calls the class."""
    asked = for_python(versions, job)
    if asked is not None and job.file_groups:
        msg = (
            f"{job.plan.payload_name}: Java alone does not merge this table by its rules; use the python engine, whose "
            "tasks call the class as well"
        )
        raise PlanError(msg)
    return run_on_jvm(versions, job, fields) if asked is None else run_in_python(*asked, fields, attached)


_TRUSTS = ("upsert", "snapshot", "compact", "simulate")
"""The programs that run found rules in place of a user's class."""

_ENGINES: dict[EngineName, Engine] = {EngineName.PYTHON: run_in_python, EngineName.JVM: _run_compiled}


class Choice(NamedTuple):
    """Which engine runs a job.

    Attributes:
        engine: it.
        why: the reason.
        trusted: how the rules were checked that run in place of a class; None for any other run.
    """

    engine: EngineName
    why: str
    trusted: Evidence | None = None

    def told(self, evidence: Sequence[Evidence]) -> Choice:
        """Return the choice with how the rules of its run were checked, if any were."""
        return self._replace(why=evidence[0].sentence, trusted=evidence[0]) if evidence else self


def engine_of(job: Job) -> Choice:
    """Return the engine that runs a job: natively where all comparisons were equal, unless the plan says otherwise.

    Raises:
        PlanError: the plan's engine can't run the job; says why.
        SchemaError: the rule that a class states does not fit the rows.
    """
    plan = job.plan
    if plan.trust_rule:
        _check_trusts(job)
        return Choice(EngineName.NATIVE, "the rule found for the class runs as Spark expressions (trust_rule)")
    check_stated(plan, job.schema)
    name, why = (EngineName.JVM, "the compiled class runs") if plan.runs_java else (EngineName.PYTHON, "as requested")
    if plan.engine in {"auto", "native"} and not plan.runs_java:
        try:
            rule = lowered(job)
        except NotLoweredError as error:
            is_alone = error.refusal == "line" and plan.merger is not None and has_columns_alone(plan.merger.resolve())
            if plan.engine == "native" or is_alone:
                advice = "use the engine auto or python"
                if is_alone:
                    advice = f"add `merge` to {plan.payload_name}, which has only merge_columns, or use PySpark 3.4"
                msg = f"the native engine does not run this: {error}; {advice}"
                raise PlanError(msg) from error
            why = f"not native: {error}"
        else:
            name, why = EngineName.NATIVE, "the rule runs as Spark expressions"
            if rule.gathers and not job.fits_one_task:
                why += "; it collects the versions of a key, which must fit into memory"
    if job.quarantines and job.spec.only_fails:
        msg = f"on_error='quarantine' is not possible in {job.program}: {job.spec.only_fails}; leave it out"
        raise PlanError(msg)
    return Choice(name, why)


def run(
    sides: list[DataFrame], job: Job, fields: tuple[StructField, ...], evidence: list[Evidence] | None = None
) -> DataFrame:
    """Run a job over the sides of a merge: the stored rows, a log, a batch; errors as in `engine_of`.

    With `trust_rule` the rules that stand for the class are found, and checked, before this returns; `evidence` gets
    how they were checked.

    Raises:
        TrustedRuleError: with `trust_rule`, the class gives another row than its rule.
    """
    if job.plan.trust_rule:
        return _run_trusted(sides, job, fields, [] if evidence is None else evidence)
    name = engine_of(job).engine
    if name is EngineName.NATIVE:
        return run_natively(sides, job, fields)
    return _ENGINES[name](_sorted(sides, job), job, fields)


def _check_trusts(job: Job) -> None:
    """Check that found rules run in a job.

    Raises:
        ParameterError: they don't.
    """
    name, msg = job.plan.payload_name, None
    if job.program not in _TRUSTS:
        msg = (
            f"{name}: `trust_rule` is for {', '.join(_TRUSTS)}, which run the rules of users as expressions, not for "
            f"{job.program}; leave it out"
        )
    elif job.program == HISTORY and job.plan.table_type is TableType.MERGE_ON_READ:
        msg = f"{name}: {LOG_OF_COMMITS}, so no rule runs in place of the class (`trust_rule`); leave it out"
    if msg is not None:
        raise ParameterError(msg)


def _run_trusted(
    sides: list[DataFrame], job: Job, fields: tuple[StructField, ...], evidence: list[Evidence]
) -> DataFrame:
    """Run the rules that were found for a class, once the class itself gives the same rows for a sample of the keys."""
    from bridge.engines.trusted import check, found_rules  # noqa: PLC0415 (executors ask no class for its rule)

    _check_trusts(job)
    found = found_rules(job, sides[0].sparkSession)
    stated = dataclasses.replace(job, plan=found.plan(job.plan))
    engine_of(stated)
    payload = job.plan.payload
    is_java = payload is not None and payload.is_compiled and not payload.has_port(job.plan.release)
    asked = dataclasses.replace(job.plan.without_trust(), engine="jvm" if is_java else "python")
    of_class = dataclasses.replace(job, plan=asked)
    told = check(
        sides, of_class, stated, fields, found=found, of_class=run, of_rules=run_natively, size=job.plan.trust_sample
    )
    evidence.append(told)
    return run_natively(sides, stated, fields)


def _sorted(sides: list[DataFrame], job: Job) -> DataFrame:
    """Return the versions of all sides, every key in one task, in the order in which programs take them."""
    versions = sides[0]
    for side in sides[1:]:
        versions = versions.unionByName(side, allowMissingColumns=True)
    control = [quoted(name) for name in (ORIGIN, COMMIT, ARRIVAL) if name in versions.columns]
    order = [*(column for name in job.order for column in in_order(versions, name)), *control]
    if in_one_task(versions.sparkSession):
        shuffled = versions.coalesce(1)
    else:
        if not job.spec.by_partition:
            # Spark compares eight bytes of the first column before all else, and those of keys are often alike.
            order.insert(0, sf.xxhash64(*map(quoted, job.order)))
        grouping = map(quoted, job.grouping)
        shuffled = versions.repartition(*grouping) if job.grouping else versions.repartition(1)
    return shuffled.sortWithinPartitions(*order).drop(ARRIVAL)
