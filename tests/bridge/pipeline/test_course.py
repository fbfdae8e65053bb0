"""Course: the parameters that verbs share, checked in one place for the API and the command line."""

from __future__ import annotations

import dataclasses
import pickle

import pytest

from bridge import explain
from bridge.errors import ParameterError, PlanError
from bridge.pipeline import Batches, Course, simulate
from bridge.plan import MergePlan, TableType
from payloads import HudiRelease

COW, MOR = TableType
PLAN = MergePlan(payload="DefaultHoodieRecordPayload", release="0.15", key="id", ordering="ts")


def test_the_last_batch_has_a_number_and_steps_are_in_order() -> None:
    course = Course.of(3, [COW], upgrade_after="last", via={2: "1.1@8", 1: HudiRelease.parse("1.0")}, plain=True)
    assert (course.upgrade_after, course.plain, course.compact_after) == (3, True, ())
    steps = course.next_writers(PLAN)
    assert [(one.after, str(one.plan.release)) for one in steps] == [(1, "1.0"), (2, "1.1")]
    assert [one.step for one in steps] == ["1=1.0", "2=1.1@8"]
    assert steps[1].plan.props == {"hoodie.write.table.version": "8"}


def test_compactions_are_named_or_come_every_so_often() -> None:
    assert Course.of(5, [COW, MOR], compact_every=2).compact_after == (2, 4)
    assert Course.of(5, [MOR], compact_after=[4, 1, 4]).compact_after == (1, 4)


@pytest.mark.parametrize(
    ("given", "parameters", "options"),
    [
        ({"upgrade_after": 4}, "upgrade_after 4: the last batch is 3", "--upgrade-after 4: the last batch is 3"),
        ({"upgrade_after": 0}, "upgrade_after 0", "--upgrade-after 0"),
        ({"upgrade_after": "x"}, "upgrade_after x: the last batch is 3", "--upgrade-after x"),
        ({"keep_table_version": True}, "add upgrade_after", "--keep-table-version applies to an upgrade"),
        (
            {"plain": True},
            "plain applies to",
            "--plain applies to the writer",
        ),
        ({"via": {1: "1.0"}}, "via is a step on the way to to", "--via is a step on the way to --to"),
        ({"upgrade_after": 2, "via": {2: "1.0"}}, "before upgrade_after 2", "before --upgrade-after 2"),
        ({"upgrade_after": 3, "via": [(1, "1.0"), (1, "1.1")]}, "each once", "--via names batches"),
        ({"upgrade_after": 2, "via": {1: "1.2@x"}}, "RELEASE@VERSION", "--via has '1.2@x'"),
        ({"plain_after": 3}, "plain_after 3: the last batch is 3; name an earlier one", "--plain-after 3: the last"),
        ({"plain_after": 0}, "plain_after 0", "--plain-after 0"),
        ({"compact_after": [1]}, "set table_type to mor", "set --table-type to mor"),
        ({"compact_every": 1}, "only merge-on-read tables compact", "set --table-type to mor"),
    ],
)
def test_errors_speak_of_parameters_or_of_options(given: dict, parameters: str, options: str) -> None:
    with pytest.raises(PlanError) as raised:
        Course.of(3, [COW], **given)
    again = pickle.loads(pickle.dumps(raised.value))  # noqa: S301 (made here)
    assert isinstance(again, ParameterError)
    assert parameters in str(again)
    assert options in again.of_options()


@pytest.mark.parametrize(
    ("given", "phrase"),
    [
        ({"compact_after": [1], "compact_every": 1}, "exclude each other"),
        ({"compact_after": [4]}, "compact_after 4: the last batch is 3"),
        ({"compact_every": 0}, "write 1 or more"),
    ],
)
def test_a_compaction_comes_after_a_batch(given: dict, phrase: str) -> None:
    with pytest.raises(ParameterError, match=phrase):
        Course.of(3, [MOR], **given)


@pytest.mark.parametrize(
    ("given", "phrase"),
    [
        ({"plain_after": 2}, r"^plain_after 2: the last batch is 2; name an earlier one"),
        ({"compact_after": [2]}, "only merge-on-read tables compact; set table_type to mor"),
        ({"compact_every": 1}, "only merge-on-read tables compact"),
    ],
)
def test_simulate_refuses_in_python_what_the_command_line_refuses(given: dict, phrase: str) -> None:
    with pytest.raises(ParameterError, match=phrase):
        simulate(Batches(("1", "2"), ()), PLAN, **given)
    with pytest.raises(ParameterError, match="compact_after 3: the last batch is 2"):
        simulate(Batches(("1", "2"), ()), dataclasses.replace(PLAN, table_type=MOR), compact_after=[3])


def test_nobody_takes_a_table_over_without_a_second_side() -> None:
    with pytest.raises(ParameterError, match="are for two releases; add to"):
        explain(Batches(("1", "2"), ()), PLAN, {"id": "a"}, upgrade_after=1)


def test_an_error_names_the_option_where_it_is_not_that_of_the_parameter() -> None:
    with pytest.raises(ParameterError, match=r"^operations 3: the last batch is 2") as raised:
        Batches(("1", "2"), ()).written_by({3: "delete"})
    assert raised.value.of_options({"operations": "--operation"}).startswith("--operation 3: the last batch is 2")


def test_each_writer_takes_the_table_of_the_one_before_over() -> None:
    other = MergePlan(payload="DefaultHoodieRecordPayload", release="1.2", key="k", ordering="ts")
    with pytest.raises(PlanError, match="what identifies a row"):
        Course.of(2, [COW], upgrade_after=1).check_writers(PLAN, other)
    Course.of(2, [COW]).check_writers(PLAN, other)
