"""Running a program: the job of a merge point, and the frames that it merges, for the engine that runs it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from bridge import engines
from bridge.engines import IS_DELETE, KIND, Choice, Job
from bridge.errors import PlanError
from bridge.pipeline.layout import Layout, layout_of
from bridge.report import shown_constants

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame

    from bridge.engines.trusted import Evidence
    from bridge.plan import MergePlan
    from bridge.report import Report

_MEASURED = frozenset({"combine_input", "upsert", "append", "snapshot", "compact"})
"""The programs whose small inputs go to the python engine: those of which both engines were measured on few rows."""


def choice_of(program: str, plan: MergePlan, written: DataFrame, *others: DataFrame) -> Choice:
    """Return which engine runs a program on frames, and why; errors as in `layout_of` and `engine_of`."""
    layout = layout_of(plan, written, *others)
    has_entries = any(name in written.columns for name in (IS_DELETE, KIND))
    job = Job(plan, layout.schema, layout.names, program, has_entries=has_entries)
    sized = dataclasses.replace(
        job, fits_one_task=_fits_one_task(plan, written), few_bytes=_few_bytes(plan, program, written, *others)
    )
    return engines.engine_of(sized)


def run(  # noqa: PLR0913 (keyword-only settings of one job)
    sides: list[DataFrame],
    layout: Layout,
    plan: MergePlan,
    *,
    program: str,
    arguments: dict[str, Any] | None = None,
    instant: str | None = None,
    only_rows: bool = False,
    row_counts: bool = False,
    evidence: list[Evidence] | None = None,
) -> DataFrame:
    """Run a program; return outcomes: data columns, `_pb_action` and what the program adds.

    With `only_rows` the result is what `visible` makes of the outcomes, and the engine does not hand over more. With
    `row_counts` it hands over what `row_count_columns` counts, too. `evidence` gets how found rules were checked, if
    they run.
    """
    if only_rows:
        check_that_rows_are_all(plan)
    told = {"arguments": arguments or {}, "instant": instant, "only_rows": only_rows, "row_counts": row_counts}
    return engines.run(sides, job_of(sides, layout, plan, program=program, **told), layout.fields, evidence)


def job_of(sides: list[DataFrame], layout: Layout, plan: MergePlan, *, program: str, **told: Any) -> Job:
    """Return the job of a program on the sides of a merge, the newer one last; `told` are further settings of it."""
    return Job(
        plan,
        layout.schema,
        layout.names,
        program,
        has_entries=any(IS_DELETE in side.columns for side in sides),
        onto_table=layout.onto_table,
        fits_one_task=_fits_one_task(plan, sides[-1]),
        few_bytes=_few_bytes(plan, program, *reversed(sides)),
        **told,
    )


def report_choices(report: Report, choices: Mapping[str, Choice]) -> None:
    """Put into a report which engine ran what, and why."""
    report.plan["ran"] = {name: {"engine": one.engine.value, "why": one.why} for name, one in choices.items()}
    report.body += [f"{name}: engine {one.engine}: {one.why}" for name, one in choices.items()]
    checked = {name: one.trusted for name, one in choices.items() if one.trusted is not None}
    if checked:
        report.plan["trusted"] = {name: one.as_json for name, one in checked.items()}
        report.body += [f"{name}: {told}" for name, one in checked.items() for told in one.found.sentences]
        report.warnings += shown_constants()


def _fits_one_task(plan: MergePlan, newer: DataFrame) -> bool:
    """Ask Spark where it matters: of a user's merger, which may gather the versions of a key.

    The files that a side is read from decide, so that it makes no difference whether it has its control columns.
    """
    return plan.merger is None or plan.mode is not None or engines.fits_one_task(newer)


def _few_bytes(plan: MergePlan, program: str, *sides: DataFrame) -> int | None:
    """Ask Spark, of the newer side first, where it matters: where `auto` may choose; of the same frames as above."""
    may_choose = plan.engine == "auto" and program in _MEASURED and not plan.runs_java
    return engines.few_bytes(*sides) if may_choose else None


def check_that_rows_are_all(plan: MergePlan) -> None:
    """Refuse to give the rows alone where a plan quarantines keys: nobody would see that they are missing.

    Raises:
        PlanError: naming what gives both.
    """
    if plan.on_error == "quarantine":
        msg = "with on_error='quarantine' there are rows beside the result; call merge_frames, which gives both"
        raise PlanError(msg)
