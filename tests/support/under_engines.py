"""One plan under every engine: the rows of the python engine, or a refusal that names what an engine does not know."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest

from bridge import (
    PlanError,
    append,
    combine_input,
    compact,
    local_session,
    simulate,
    snapshot,
    upsert,
)
from bridge.pipeline import choice_of
from bridge.programs import PROGRAMS, EngineName

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame

    from bridge import MergePlan

Rows = list[tuple[Any, ...]]


def check_engines(
    plan: MergePlan, columns: str, versions: tuple[Rows, Rows], *, unknown: str, without: Mapping[str, str]
) -> dict[str, list[str]]:
    """Run a plan at every merge point; return the rows of the python engine by merge point, as texts in order.

    `auto` must give the same rows, and choose Python for what is `unknown`, by that text.

    Args:
        plan: what merges.
        columns: those of the rows.
        versions: the stored rows, and a batch.
        unknown: what `auto` says of the native engine.
        without: the engines that must refuse the plan, each with what it says.
    """
    spark = local_session(cores=1, small=True)
    try:
        sides = [spark.createDataFrame(rows, columns) for rows in versions]
        found = _rows(plan, "python", *sides)
        assert _rows(plan, "auto", *sides) == found
        for program in (name for name, spec in PROGRAMS.items() if spec.native):
            choice = choice_of(program, plan, sides[1], sides[0])
            assert choice.engine is EngineName.PYTHON, (program, choice)
            assert unknown in choice.why, (program, choice)
        for engine, told in without.items():
            with pytest.raises(PlanError, match=told):
                _rows(plan, engine, *sides)
    finally:
        spark.stop()
    return found


def _rows(plan: MergePlan, engine: str, stored: DataFrame, incoming: DataFrame) -> dict[str, list[str]]:
    one = dataclasses.replace(plan, engine=engine)
    on_read = dataclasses.replace(one, table_type="mor")
    below, log = append(stored, None, incoming, on_read)
    frames = {
        "combine_input": combine_input(incoming, one),
        "upsert": upsert(stored, incoming, one),
        "snapshot": snapshot(below, log, on_read),
        "compact": compact(below, log, on_read),
        "simulate": simulate([stored, incoming], one).outcomes,
    }
    return {name: sorted(str(tuple(row)) for row in frame.collect()) for name, frame in frames.items()}
