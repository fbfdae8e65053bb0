"""Table histories and replays through Spark: those that together have every program and every feature of all.

All of them run in this process (`test_conformance_histories`, `test_conformance_replays`); all of them through Spark is
a long command: `python -m tests.conformance histories DIR --engine auto`, `replay LEFT RIGHT --engine auto`.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import pytest

from bridge.programs import PROGRAMS
from tests.conformance import replays
from tests.conformance.checks import run_by
from tests.conformance.coverage import features_of, features_of_question, features_of_releases, smallest_cover
from tests.conformance.histories import load
from tests.support import DATA
from tests.support.one_task import change

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pyspark.sql import SparkSession

    from payloads import HudiRelease
    from tests.conformance.histories import History
    from tests.conformance.replays import Question

DIRECTORIES = ("histories", "histories-settings", "histories-operations", "histories-merge-into", "histories-upgraded")


@functools.cache
def histories() -> list[History]:
    return [history for name in DIRECTORIES for history in load(DATA / name)]


def test_snapshots_are_real_hudis(spark: SparkSession) -> None:
    chosen = smallest_cover(histories(), features_of)
    strict = change(spark, {"spark.sql.ansi.enabled": "false"})  # as in Spark 3, which recorded the statements
    try:
        found = run_by("auto", chosen, lambda: spark)
    finally:
        change(spark, strict)
    assert len(found) == len(chosen)
    assert [f"{outcome.history}: {outcome.differences}" for outcome in found if outcome.differences] == []


@pytest.mark.parametrize("features", [features_of_question, pytest.param(features_of_releases, marks=pytest.mark.long)])
def test_replay_names_the_keys_on_which_the_real_tables_differ(
    spark: SparkSession, features: Callable[[Question], Iterable[str]]
) -> None:
    folders = ("histories", "histories-upgraded")
    asked = [question for name in folders for question in replays.questions(DATA / "histories", DATA / name)]
    chosen = smallest_cover(asked, features)
    found = list(replays.answers(spark, chosen))
    assert len(found) == len(chosen)
    assert [f"{answer.question}: {answer.problems}" for answer in found if answer.problems] == []


def test_the_chosen_histories_have_what_all_have() -> None:
    every = {feature for history in histories() for feature in features_of(history)}
    chosen = smallest_cover(histories(), features_of)
    assert {feature for history in chosen for feature in features_of(history)} == every
    assert len(chosen) < len(histories()) / 10
    simulations = {f"{name}, {kind}" for name in PROGRAMS if name.startswith("simulate") for kind in ("cow", "mor")}
    assert every >= simulations - {"simulate_small_files, cow"}
    assert every >= {f"{kind} of {release}" for release in _recorded() for kind in ("cow", "mor")}


def _recorded() -> set[HudiRelease]:
    return {history.release for history in histories()}
