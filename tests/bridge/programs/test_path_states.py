"""Which paths a search tries, and which states it takes for one."""

from __future__ import annotations

import dataclasses

import pytest

from bridge import MergePlan, TableType, key_paths
from bridge.merge.carriers import PayloadVersion, StoredRow
from bridge.merge.record_merge import RecordMerge
from bridge.programs.path_search import PathSearch, history_of
from bridge.programs.path_walk import FEW, Path, _State, _state_key, as_given
from mergers import HoodieKey
from payloads import NATURAL_ORDER, NullOrderingError, Ordering, OrderingTypeError, resolve_payload
from tests.support.one_key import DEFAULT, MODE_RELEASES, SCHEMA, plan_of, row
from tests.support.user_payloads import Newest

COW, MOR = TableType
MODULE = __name__


# -- states


def logged(record=None, ordering=NATURAL_ORDER, operation=None):
    return _state_key(_State(log=StoredRow(HoodieKey("a"), record, SCHEMA, None, operation, ordering)), SCHEMA)


def test_states_that_differ_only_in_the_ordering_value_of_a_delete_are_two():
    """A later row is compared with it."""
    five, nine = (logged(None, Ordering("long", number), "D") for number in (5, 9))
    assert five == logged(None, Ordering("long", 5), "D")
    assert len({five, nine, logged(None, Ordering("int", 5), "D"), logged(None, NATURAL_ORDER, "D")}) == 4


def test_states_that_differ_only_in_being_a_delete_are_two():
    same = row(5, "x")
    assert len({logged(same), logged(same, operation="D"), logged(same, operation="U")}) == 3


def test_a_row_in_the_log_and_one_in_the_base_file_are_two_states():
    stored = StoredRow(HoodieKey("a"), row(5, "x"), SCHEMA)
    base, log = _state_key(_State(base=stored), SCHEMA), _state_key(_State(log=stored), SCHEMA)
    assert base != log
    assert base != _state_key(_State(base=stored, log=stored), SCHEMA) != log


def test_states_of_a_payload_differ_by_its_ordering_value():
    payload_class = resolve_payload(DEFAULT, "0.15").for_schema(SCHEMA)

    def key_of(ts):
        return _state_key(_State(log=PayloadVersion(HoodieKey("a"), payload_class(None, Ordering("long", ts)))), SCHEMA)

    assert key_of(5) == key_of(5) != key_of(9)


@pytest.mark.parametrize("release", MODE_RELEASES)
def test_deletes_that_differ_only_in_their_ordering_value_are_followed_apart(release):
    """Joined, the two deletes are one of 9; the row of 7 is held off then, and only then, on some path."""
    plan = plan_of(f"{MODULE}:EarlierDelete", release, ordering="ts")
    versions = [(1, row(1)), (2, row(9, deleted=True)), (3, row(5, deleted=True)), (4, row(7, "back"))]
    search = PathSearch(merge := RecordMerge(plan, SCHEMA), [MOR])
    history = history_of(versions, merge)
    answers = {repr(answer.row and answer.row.record) for answer in search.paths(history).answers}
    each = {
        repr(answer.row and answer.row.record)
        for answer in (search.answer(history, Path(MOR, commits)) for commits in ((1, 1, 1, 1), (1, 2, 1), (1, 1, 2)))
    }
    assert each <= answers


class EarlierDelete:
    """The lower ordering value of two deletes stays; a row replaces a delete that is not later."""

    def __init__(self, record, ordering=None):
        self.record = record
        self.ordering = ordering

    def pre_combine(self, older):
        return older if older.ordering < self.ordering else self

    def combine_and_get_update_value(self, current, schema):
        if self.record is None or self.record["_hoodie_is_deleted"]:
            return None
        return self.record

    def get_insert_value(self, schema):
        return None if self.record["_hoodie_is_deleted"] else self.record


# -- paths


class Pairs:
    """A version that tells whether its commit was exactly the two versions A and B; payload of arrival order."""

    def __init__(self, record, ordering=None):
        self.record = record
        self.merged = 1

    def pre_combine(self, older):
        joined = type(self)(self.record)
        joined.merged = older.merged + 1
        pair = older.merged == 1 and (older.record["v"], self.record["v"]) == ("A", "B")
        joined.record = {**self.record, "v": "AB" if pair else "many"}
        return joined

    def combine_and_get_update_value(self, current, schema):
        return self.record

    def get_insert_value(self, schema):
        return self.record


def pairs_of(count, *, together=False):
    """Return versions of which the last two are A and B, each in a batch of its own, or both in one."""
    letters = ["x"] * (count - 2) + ["A", "B"]
    batches = [*range(1, count), count - 1 if together else count]
    return [(batch, row(batch, v)) for batch, v in zip(batches, letters, strict=True)]


def seen(versions, **settings):
    plan = plan_of(f"{MODULE}:Pairs", "0.15", "cow", ordering=(), **settings)
    return {answer.row.record["v"]: answer.path for answer in key_paths(versions, plan, SCHEMA, [COW]).answers}


@pytest.mark.parametrize("count", [2, FEW, FEW + 1, FEW + 20])
def test_a_path_joins_two_batches_that_follow_each_other(count):
    found = seen(pairs_of(count))
    assert "AB" in found
    assert found["AB"].commits == (*[1] * (count - 2), 2)
    assert found["B"].commits == (1,) * count
    if count > 2:
        assert "many" in found


@pytest.mark.parametrize("count", [2, FEW, FEW + 1, FEW + 20])
def test_a_path_parts_a_batch_into_its_versions(count):
    found = seen(pairs_of(count, together=True))
    assert found["AB"].commits == as_given([batch for batch, _ in pairs_of(count, together=True)])
    assert found["B"].commits == (1,) * count


def test_of_few_versions_every_parting_is_a_path_and_of_many_those_by_batches():
    """With three versions in the middle of batches as the one commit that shows."""

    class_name = f"{MODULE}:Triples"
    for count, is_tried in ((FEW, True), (FEW + 1, False)):
        letters = ["x"] * (count - 4) + ["A", "B", "C", "y"]
        versions = [(number, row(number, v)) for number, v in enumerate(letters, start=1)]
        plan = plan_of(class_name, "0.15", "cow", ordering=())
        rows = [answer.row.record["v"] for answer in key_paths(versions, plan, SCHEMA, [COW]).answers]
        assert any("ABC" in text for text in rows) == is_tried


class Triples(Newest):
    """Adds up the letters of a commit; a stored row remembers that a commit was A, B and C."""

    def pre_combine(self, older):
        return type(self)({**self.record, "v": older.record["v"] + self.record["v"]})

    def combine_and_get_update_value(self, current, schema):
        seen_before = "ABC" if "ABC" in current["op"] or self.record["v"] == "ABC" else ""
        return {**self.record, "v": seen_before, "op": seen_before}

    def get_insert_value(self, schema):
        return {**self.record, "v": "", "op": ""}


def test_the_nearest_of_the_paths_to_an_answer_is_given():
    """The batches as they are come first; of two other paths the one that changes less; copy-on-write before logs."""
    versions = [(1, row(10, "a")), (2, row(20, deleted=True)), (2, row(30, "b")), (3, row(25, "late"))]
    found = key_paths(versions, plan_of(DEFAULT, "0.15", "cow"), SCHEMA)
    first = found.answers[0].path
    assert first == Path(COW, (1, 2, 1))
    assert all(answer.path != first for answer in found.answers[1:])


class CountsCommits(Newest):
    """Counts the commits of its row in `v`."""

    def combine_and_get_update_value(self, current, schema):
        return {**self.record, "v": str(int(current["v"]) + 1)}

    def get_insert_value(self, schema):
        return {**self.record, "v": "1"}


def test_answers_come_in_the_order_of_their_distance_from_the_batches_as_they_are():
    """Joining two batches is one step, and so is parting one; parting both is two."""
    versions = [(1, row(1)), (1, row(2)), (2, row(3)), (2, row(4))]
    plan = plan_of(f"{MODULE}:CountsCommits", "0.15", "cow", ordering=())
    counts = [answer.row.record["v"] for answer in key_paths(versions, plan, SCHEMA, [COW]).answers]
    assert (counts[0], {*counts[1:3]}, counts[3:]) == ("2", {"1", "3"}, ["4"])


# -- errors


class FailsByCommit(Newest):
    """Refuses every merge: two versions of a batch in one way, a stored row in another, and takes no third version."""

    def pre_combine(self, older):
        msg = "two versions of a batch"
        raise NullOrderingError(msg)

    def combine_and_get_update_value(self, current, schema):
        raise OrderingTypeError(current["v"])


def test_errors_of_two_kinds_are_two_answers():
    plan = plan_of(f"{MODULE}:FailsByCommit", "0.15", "cow", ordering=())
    found = key_paths([(1, row(1, "a")), (2, row(2, "b"))], plan, SCHEMA, [COW])
    assert len({answer.path for answer in found.answers}) == 2
    assert found.failure is not None  # every path ends in an error, so that no answer depends on the path


def test_a_plan_of_one_table_type_may_be_searched_for_the_other():
    plan: MergePlan = dataclasses.replace(plan_of(DEFAULT, "1.2", "cow"))
    versions = [(1, row(10, "a")), (2, row(20, deleted=True)), (3, row(15, "b"))]
    assert {answer.path.table_type for answer in key_paths(versions, plan, SCHEMA, [MOR]).answers} == {MOR}
