"""A few random plans under random conditions; `python -m tests.reliability.invariance` runs many."""

from __future__ import annotations

import pytest

from tests.reliability import drawn_plans
from tests.reliability.drawn_plans import RELEASES, draw
from tests.reliability.invariance import CONDITIONS, conditions_of, differences, plain_answer, varied_answer

SEED = 1
DRAWN = ((0, 0), (1, 3), (2, 0), (4, 0))
"""Plans and conditions; under (1, 3) a reason once named two partitions in another order."""
IN_ORDER = (41, 3)
"""A plan of a class that takes what came last, and batches with several rows of a key."""


@pytest.mark.many_tasks
@pytest.mark.parametrize(("number", "machine"), DRAWN)
def test_rows_and_row_counts_are_the_same_under_other_conditions(spark, number, machine):
    plain = plain_answer(spark, SEED, number)
    found, conditions = varied_answer(spark, SEED, number, machine)
    assert found.digest == plain.digest, f"{conditions}: {differences(plain.told, found.told)}"
    assert plain.rows


@pytest.mark.many_tasks
def test_another_order_of_arrival_is_noticed(spark, monkeypatch):
    plain = plain_answer(spark, *IN_ORDER)
    of_rows = drawn_plans.frame_of
    monkeypatch.setattr(drawn_plans, "frame_of", lambda spark, rows, *more: of_rows(spark, rows[::-1], *more))
    assert plain_answer(spark, *IN_ORDER).digest != plain.digest


def test_plans_are_of_every_release_and_kind_and_drawn_alike_everywhere():
    drawn = [draw(SEED, number) for number in range(200)]
    assert drawn == [draw(SEED, number) for number in range(200)]
    assert {one.settings["release"] for one in drawn} == {*RELEASES}
    assert {one.settings["table_type"] for one in drawn} == {"cow", "mor"}
    assert {operation for one in drawn for operation, _ in one.batches} > {"upsert", "insert", "delete"}
    assert len({one.settings.get("payload") or one.settings["merger"] for one in drawn}) > 15
    assert all(one.plan(engine="python") for one in drawn)


def test_conditions_have_every_value():
    drawn = [conditions_of(SEED, number, 0) for number in range(200)]
    assert {name: {settings[name] for settings, _, _ in drawn} for name in CONDITIONS} == {
        name: {*values} for name, values in CONDITIONS.items()
    }
    assert {engine for _, engine, _ in drawn} == {"auto", "python", "native"}
