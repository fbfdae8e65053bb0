"""One row met through a global index: where the result goes, what deletes, and what the log says of a moved row."""

from __future__ import annotations

import pyarrow as pa
import pytest

from bridge import MergePlan
from bridge.engines import Job
from bridge.engines.python.worker import merged
from bridge.errors import MergeFailedError
from bridge.merge import Action
from bridge.programs.program import Origin
from payloads import parse_schema
from tests.support.one_key import DEFAULT, RELEASES
from tests.support.schemas import nullable_schema
from tests.support.user_payloads import Newest

OVERWRITE = "OverwriteWithLatestAvroPayload"
KINDS = {"id": "string", "part": "string", "ts": "long", "_hoodie_is_deleted": "boolean"}
SCHEMA = parse_schema(nullable_schema("Row", **KINDS))
STAYS = {"hoodie.index.type": "GLOBAL_SIMPLE", "hoodie.simple.index.update.partition.path": "false"}
MOVES = {**STAYS, "hoodie.simple.index.update.partition.path": "true"}
KEEP, UPDATE, DELETE, INSERT, SKIP = Action.KEEP, Action.UPDATE, Action.DELETE, Action.INSERT, Action.SKIP
LATE, EARLY = 9, 1
MERGING = RELEASES[RELEASES.index("0.14") :]
"""The releases in which the index merges a row that moves."""


def plan_of(payload, release, table_type, props):
    return MergePlan(
        payload=payload, release=release, table_type=table_type, key="id", partition="part", ordering="ts", props=props
    )


def outcomes(plan, part, ts, *, deleted=None):
    """Return what becomes of the row (p0, 5) when a row arrives: partition, ordering value, action, delete entry."""
    return outcomes_of(plan, (part, ts, deleted))


def outcomes_of(plan, *batch, stored=True):
    """Return the same for a batch of rows of the key."""
    parts, orderings, flags = zip(*[("p0", 5, None)] * stored, *batch, strict=True)
    columns = {"id": ["a"] * len(parts), "part": parts, "ts": orderings, "_hoodie_is_deleted": flags}
    types = (pa.string(), pa.string(), pa.int64(), pa.bool_())
    arrays = {name: pa.array(own, kind) for (name, own), kind in zip(columns.items(), types, strict=True)}
    table = pa.table(
        arrays | {"_pb_origin": pa.array([Origin.STORED] * stored + [Origin.INCOMING] * len(batch), pa.int8())}
    )
    logs = plan.table_type.value == "mor"
    program = "append" if logs else "upsert"
    job = Job(plan, SCHEMA, tuple(KINDS), f"{program}_global_index")
    rows = [one for batch in merged(job, table.to_batches()) for one in batch.to_pylist()]
    return {(one["part"], one["ts"], one["_pb_action"], *_entry(one)) for one in rows}


def _entry(row):
    ordering = row.get("_pb_ordering")
    return (f"{ordering['type']} {ordering['value']}",) if ordering else ()


def by_mode(release):
    return release in {"1.1", "1.2"}


@pytest.mark.parametrize("part", ["p0", "p1"])
@pytest.mark.parametrize("props", [MOVES, STAYS], ids=["moves", "stays"])
@pytest.mark.parametrize("release", MERGING)
def test_a_delete_removes_the_row_where_it_is_whatever_partition_it_names(release, props, part):
    for payload in (DEFAULT, OVERWRITE):
        plan = plan_of(payload, release, "cow", props)
        assert outcomes(plan, part, LATE, deleted=True) == {("p0", None, DELETE)}
    logged = plan_of(DEFAULT, release, "mor", props)
    assert outcomes(logged, part, LATE, deleted=True) == {("p0", 5, KEEP), ("p0", None, DELETE, "long 9")}


@pytest.mark.parametrize("table_type", ["cow", "mor"])
@pytest.mark.parametrize("release", ["0.15", "1.2"])
def test_a_delete_of_an_unknown_key_is_ignored_and_counted(release, table_type):
    plan = plan_of(DEFAULT, release, table_type, MOVES)
    assert outcomes_of(plan, ("p1", LATE, True), stored=False) == {("p1", None, SKIP)}


@pytest.mark.parametrize("part", ["p0", "p1"])
@pytest.mark.parametrize("props", [MOVES, STAYS], ids=["moves", "stays"])
@pytest.mark.parametrize("release", MERGING)
def test_a_delete_that_is_too_early_leaves_the_row_of_a_copy_on_write_table(release, props, part):
    """From 1.1 on an index that moves rows merges every delete of an event-time table, so that the row is rewritten.

    In 0.13 no delete of Default is too early.
    """
    found = outcomes(plan_of(DEFAULT, release, "cow", props), part, EARLY, deleted=True)
    rewrites = by_mode(release) and props is MOVES
    assert found == {("p0", 5, UPDATE if rewrites else KEEP)}
    by_arrival = plan_of(OVERWRITE, release, "cow", props)
    assert outcomes(by_arrival, part, EARLY, deleted=True) == {("p0", None, DELETE)}


@pytest.mark.parametrize("part", ["p0", "p1"])
@pytest.mark.parametrize("props", [MOVES, STAYS], ids=["moves", "stays"])
@pytest.mark.parametrize("release", MERGING)
def test_a_delete_that_is_too_early_in_a_merge_on_read_table(release, props, part):
    """Until 1.0 it goes to the log with its own ordering value; from 1.1 on the row that the index found does."""
    found = outcomes(plan_of(DEFAULT, release, "mor", props), part, EARLY, deleted=True)
    logged = ("p0", 5, UPDATE) if by_mode(release) else ("p0", None, DELETE, "long 1")
    assert found == {("p0", 5, KEEP), logged}
    by_arrival = outcomes(plan_of(OVERWRITE, release, "mor", props), part, EARLY, deleted=True)
    assert by_arrival == {("p0", 5, KEEP), ("p0", None, DELETE, "long 1")}


@pytest.mark.parametrize("release", RELEASES)
def test_a_moved_row_leaves_a_delete_that_no_ordering_value_holds_off(release):
    """Integer 0 in the old partition, whatever the row that moves has."""
    for payload, ts in ((DEFAULT, LATE), (OVERWRITE, LATE), (OVERWRITE, EARLY)):
        found = outcomes(plan_of(payload, release, "mor", MOVES), "p1", ts)
        assert found == {("p0", 5, KEEP), ("p0", None, DELETE, "int 0"), ("p1", ts, INSERT)}
        assert outcomes(plan_of(payload, release, "cow", MOVES), "p1", ts) == {("p1", ts, UPDATE)}


@pytest.mark.parametrize("release", MERGING)
def test_a_row_that_loses_does_not_move_the_stored_one(release):
    assert outcomes(plan_of(DEFAULT, release, "cow", MOVES), "p1", EARLY) == {("p0", 5, UPDATE)}
    assert outcomes(plan_of(DEFAULT, release, "mor", MOVES), "p1", EARLY) == {("p0", 5, KEEP), ("p0", 5, UPDATE)}


@pytest.mark.parametrize("release", RELEASES)
def test_an_index_that_leaves_rows_where_they_are_updates_them_there(release):
    for payload in (DEFAULT, OVERWRITE):
        assert outcomes(plan_of(payload, release, "cow", STAYS), "p1", LATE) == {("p0", 9, UPDATE)}
    assert outcomes(plan_of(DEFAULT, release, "cow", STAYS), "p1", EARLY) == {("p0", 5, KEEP)}


@pytest.mark.parametrize("release", RELEASES)
def test_within_one_partition_the_index_of_a_copy_on_write_table_merges_no_row(release):
    """So that a row that loses leaves the stored one as it is, with its meta columns."""
    for props in (MOVES, STAYS):
        assert outcomes(plan_of(DEFAULT, release, "cow", props), "p0", EARLY) == {("p0", 5, KEEP)}
        assert outcomes(plan_of(DEFAULT, release, "cow", props), "p0", LATE) == {("p0", 9, UPDATE)}


@pytest.mark.parametrize("props", [MOVES, STAYS], ids=["moves", "stays"])
@pytest.mark.parametrize("release", MERGING)
def test_the_log_of_a_merge_on_read_table_gets_the_row_that_the_index_merged(release, props):
    """An index that leaves rows where they are merges none until 1.0, and the row goes to the log as it came."""
    found = outcomes(plan_of(DEFAULT, release, "mor", props), "p0", EARLY)
    merges = props is MOVES or by_mode(release)
    assert found == {("p0", 5, KEEP), ("p0", 5 if merges else EARLY, UPDATE)}


@pytest.mark.parametrize("ts", [EARLY, LATE])
@pytest.mark.parametrize("release", RELEASES)
def test_by_arrival_an_index_that_leaves_rows_where_they_are_logs_them_there(release, ts):
    plan = plan_of(OVERWRITE, release, "mor", STAYS)
    if release == "1.1":  # it merges in the lookup, and stores the row twice
        with pytest.raises(MergeFailedError, match="a second time"):
            outcomes(plan, "p1", ts)
        return
    assert outcomes(plan, "p1", ts) == {("p0", 5, KEEP), ("p0", ts, UPDATE)}


@pytest.mark.parametrize("release", ["0.12", "0.13"])
def test_before_0_14_a_row_that_names_another_partition_replaces_the_stored_one_unmerged(release):
    for payload in (DEFAULT, OVERWRITE):
        for ts in (EARLY, LATE):
            plan = plan_of(payload, release, "cow", MOVES)
            assert outcomes(plan, "p1", ts) == {("p1", ts, UPDATE)}
            assert outcomes(plan, "p1", ts, deleted=True) == {("p0", None, DELETE)}
            logged = {("p0", 5, KEEP), ("p0", None, DELETE, "int 0")}
            assert outcomes(plan_of(payload, release, "mor", MOVES), "p1", ts) == {*logged, ("p1", ts, INSERT)}
            assert outcomes(plan_of(payload, release, "mor", MOVES), "p1", ts, deleted=True) == logged
    assert outcomes(plan_of(DEFAULT, release, "cow", MOVES), "p0", EARLY) == {("p0", 5, KEEP)}
    # In 0.13 no delete of Default is too early.
    left = ("p0", None, DELETE) if release == "0.13" else ("p0", 5, KEEP)
    assert outcomes(plan_of(DEFAULT, release, "cow", MOVES), "p0", EARLY, deleted=True) == {left}
    assert outcomes(plan_of(DEFAULT, release, "cow", STAYS), "p1", EARLY, deleted=True) == {left}


class InsertsNothing(Newest):
    """A payload without an insert value, which takes the ordering value of its row for the stored one."""

    def combine_and_get_update_value(self, current, schema):
        return {**current, "ts": self.record["ts"]}

    def get_insert_value(self, schema):
        return None


@pytest.mark.parametrize("part", ["p0", "p1"])
@pytest.mark.parametrize("release", ["0.15", "1.0"])
def test_a_version_without_an_insert_value_is_merged_where_the_row_is(release, part):
    """The index has nothing to merge then, and so moves nothing."""
    plan = plan_of(f"{__name__}:InsertsNothing", release, "cow", MOVES)
    assert outcomes(plan, part, LATE) == {("p0", LATE, UPDATE)}


# -- several rows of one key in a batch, in several partitions


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize(
    ("payload", "batch", "part"),
    [
        (DEFAULT, [("p1", 9), ("p2", 7)], "p1"),
        (DEFAULT, [("p1", 7), ("p2", 9)], "p2"),
        (DEFAULT, [("p1", 9), ("p2", 9)], "p2"),
    ],
)
def test_the_row_that_wins_within_a_batch_names_the_partition(payload, batch, part, release):
    found = outcomes_of(plan_of(payload, release, "cow", MOVES), *((one, ts, None) for one, ts in batch))
    assert found == {(part, 9, UPDATE)}


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("batch", [[("p1", 7, True), ("p2", 9, None)], [("p2", 9, None), ("p1", 7, True)]])
def test_a_delete_that_loses_within_a_batch_does_not_hold_the_row_where_it_was(batch, release):
    assert outcomes_of(plan_of(DEFAULT, release, "cow", MOVES), *batch) == {("p2", 9, UPDATE)}
