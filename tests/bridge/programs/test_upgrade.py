"""A table of one release that is upgraded to the next one: what the log still says, and by whose rules it is read."""

from __future__ import annotations

import dataclasses

import pytest

from bridge.config import MergeConfigError
from bridge.errors import PlanError
from bridge.merge.record_merge import RecordMerge
from bridge.programs import NextWriter, Table, handover, handovers
from bridge.programs.program import Arrival, Origin
from tests.support.one_key import DEFAULT, MODE_RELEASES, SCHEMA, plan_of, row, rows_after, schema_of

OLD = ["0.15", "1.0"]


class Sum:
    """Adds up `n` over all versions."""

    def __init__(self, record, ordering):
        self.record = record

    def pre_combine(self, older):
        return Sum({**self.record, "n": self.record["n"] + older.record["n"]}, None)

    def combine_and_get_update_value(self, current, schema):
        return {**current, "n": self.record["n"] + current["n"]}

    def get_insert_value(self, schema):
        return self.record


def taken_over(old, new, after, *commits, keep=False, **settings):
    plan = plan_of(DEFAULT, old) if isinstance(old, str) else old
    later = dataclasses.replace(plan, release=new)
    change = handover(plan, later, after=after, keep_table_version=keep)
    return rows_after(plan, *commits, handover=change, **settings)


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("new", MODE_RELEASES)
@pytest.mark.parametrize("old", OLD)
def test_what_was_compacted_before_is_not_folded_again(old, new, keep):
    """The delete of commit 2 went with the compaction, so that the older row of commit 3 is a plain insert."""
    commits = [row(10, "first")], [row(30, deleted=True)], [row(20, "again")], [row(25, "later")]
    seen = taken_over(old, new, 3, *commits, keep=keep, compact_after=(2,))
    assert [one and one["v"] for one in seen] == ["first", None, "again", "later"]


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("new", MODE_RELEASES)
@pytest.mark.parametrize("old", OLD)
def test_each_entry_of_the_log_is_folded_once(old, new, keep):
    counting = schema_of(ts="long", n="long")
    plan = dataclasses.replace(plan_of("tests.bridge.programs.test_upgrade:Sum", old), ordering=())
    commits = [[{"id": "a", "ts": 1, "n": n, "_hoodie_is_deleted": None}] for n in (1, 10, 100, 1000)]
    seen = taken_over(plan, new, 3, *commits, keep=keep, schema=counting)
    assert [one["n"] for one in seen] == [1, 11, 111, 1111]


@pytest.mark.parametrize("new", MODE_RELEASES)
@pytest.mark.parametrize("old", OLD)
def test_a_tombstone_of_the_log_outlives_a_table_that_keeps_its_version_but_not_an_upgrade(old, new):
    """Upgrading compacts the log first, so that a delete holds off older rows no more."""
    commits = [row(10, "first")], [row(30, deleted=True)], [row(20, "old")]
    kept = taken_over(old, new, 2, *commits, keep=True)
    upgraded = taken_over(old, new, 2, *commits)
    assert kept[2] is None
    assert upgraded[2]["v"] == "old"


@pytest.mark.parametrize("new", MODE_RELEASES)
def test_the_batch_that_upgrades_does_not_fill_markers_within_itself(new):
    """Its writer's properties were collected before the upgrade; from the next batch on its duplicates fill too."""
    schema = schema_of(_event_lsn="long", v="string", _change_operation_type="string")

    def change(lsn, v):
        return {"id": "a", "_event_lsn": lsn, "v": v, "_change_operation_type": "u", "_hoodie_is_deleted": None}

    toasted = "__debezium_unavailable_value"
    plan = dataclasses.replace(plan_of("PostgresDebeziumAvroPayload", "1.0", "cow"), ordering=("_event_lsn",))
    commits = [change(1, "old")], [change(2, "within"), change(3, toasted)], [change(4, "with"), change(5, toasted)]
    seen = taken_over(plan, new, 1, *commits, schema=schema)
    assert [one["v"] for one in seen] == ["old", "old", "with"]


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("new", MODE_RELEASES)
def test_commits_before_the_upgrade_go_by_the_old_release(new, keep):
    """In 0.15 a late delete of a stored row wins in a log; from 1.1 on its ordering value decides."""
    late = [row(10, "first")], [row(5, deleted=True)]
    assert taken_over("0.15", new, 2, *late, [row(1, "x")], keep=keep)[1] is None
    by_new = taken_over("0.15", new, 1, *late, keep=keep)
    assert by_new[1] is not None
    assert by_new[1]["v"] == "first"


# -- several keys in one task, and a release that only reads


def shown(new, keys, *, after, commits, keep=False):
    """Return what is visible after each commit of a table of 0.15, for each key, all keys by one program."""
    plan = plan_of(DEFAULT, "0.15")
    change = handover(plan, dataclasses.replace(plan, release=new), after=after, keep_table_version=keep)
    program = Table(RecordMerge(plan, SCHEMA), commits=commits, log_updates=True, handover=change)
    found = []
    for key, versions in keys.items():
        seen = dict.fromkeys(range(1, commits + 1))

        def emit(_action, carrier, first, last, seen=seen):
            seen.update(dict.fromkeys(range(first, last + 1), carrier.record["v"]))

        program.start(program.merge.key_of({"id": key}))
        for commit, version in versions:
            program.accept(Arrival(Origin.INCOMING, commit, {**version, "id": key}, None), emit)
        program.finish(emit)
        found.append(list(seen.values()))
    return found


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("new", MODE_RELEASES)
def test_every_key_of_a_task_begins_under_the_old_release_and_with_an_empty_log(new, keep):
    late = [(1, row(10, "first")), (2, row(5, deleted=True))]
    unlogged = [(1, row(1, "first")), (4, row(2, "last"))]
    keys = {"a": late, "b": late, "c": unlogged}
    one, other, third = shown(new, keys, after=3, commits=4, keep=keep)
    assert one == other
    assert one[1:3] == [None, None]
    assert third == ["first"] * 3 + ["last"]


@pytest.mark.parametrize("new", MODE_RELEASES)
def test_a_release_that_only_reads_shows_the_last_commit_by_its_own_rules(new):
    """0.15 lets a late delete in a log win, and a reader from 1.1 on does not."""
    versions = {"a": [(1, row(10, "first")), (2, row(5, deleted=True))]}
    assert shown(new, versions, after=2, commits=2, keep=True) == [["first", "first"]]


def through(old, releases, *commits, props=None, **settings):
    """Return what a query sees after each commit of a table that is upgraded to the releases, by the commit before."""
    plan = dataclasses.replace(plan_of(DEFAULT, old), props=props or {})
    steps = [NextWriter(after, dataclasses.replace(plan, release=release)) for after, release in releases.items()]
    return rows_after(plan, *commits, handover=handovers(plan, steps, commits=len(commits)), **settings)


NOT_INLINE = {"hoodie.compact.inline": "false"}


def test_an_upgrade_by_way_of_1_0_leaves_the_log_that_a_compaction_was_planned_for():
    """A writer that does not compact inline never runs it, and the next upgrade passes over it: the delete stays."""
    commits = [row(10, "first")], [row(30, deleted=True)], [row(40, "third")], [row(20, "late")]
    seen = through("0.15", {2: "1.0", 3: "1.2"}, *commits, props=NOT_INLINE)
    assert [one and one["v"] for one in seen] == ["first", None, "third", "third"]
    entries = [row(10, "first")], [row(30, deleted=True)], [], [row(20, "late")]
    assert through("0.15", {2: "1.0", 3: "1.2"}, *entries, props=NOT_INLINE)[-1] is None
    assert through("0.15", {2: "1.1", 3: "1.2"}, *entries)[-1]["v"] == "late"


@pytest.mark.parametrize("inline", [None, "true", "false", "FALSE"])
def test_a_writer_of_1_0_that_compacts_inline_runs_what_the_upgrade_has_planned(inline):
    """After its first commit the delete of the old log is gone, so that the row of commit 4 is a plain insert."""
    props = {} if inline is None else {"hoodie.compact.inline": inline}
    commits = [row(10, "first")], [row(30, deleted=True)], [], [row(20, "late")]
    seen = through("0.15", {2: "1.0"}, *commits, props=props)
    late = None if inline in {"false", "FALSE"} else "late"
    assert [one and one["v"] for one in seen] == ["first", None, None, late]


def test_the_first_commit_of_1_0_lies_on_the_log_that_it_compacts_afterwards():
    """The old log does not hold off a late row of that commit, and a delete of that commit holds off later rows."""
    commits = [row(10, "first")], [row(30, deleted=True)], [row(20, "late")], []
    assert [one and one["v"] for one in through("0.15", {2: "1.0"}, *commits)] == ["first", None, "late", "late"]
    commits = [row(10, "first")], [row(30, "second")], [row(40, deleted=True)], [row(35, "late")]
    assert [one and one["v"] for one in through("0.15", {2: "1.0"}, *commits)] == ["first", "second", None, None]


def test_a_key_that_real_1_0_stores_twice_has_both_rows():
    """The compaction that was planned deletes the row; the next one is in a log alone, where no index finds it."""
    commits = [row(10, "first")], [row(30, deleted=True)], [row(40, "again")]
    *seen, _ = through("0.15", {2: "1.0"}, *commits, [])
    assert [one and one["v"] for one in seen] == ["first", None, "again"]
    *seen, error = through("0.15", {2: "1.0"}, *commits, [row(50, "twice")])
    assert [one and one["v"] for one in seen] == ["first", None, "again"]
    assert "after batch 4 the key has 2 rows" in str(error)
    assert through("0.15", {2: "1.0"}, *commits, [row(50, "fine")], props=NOT_INLINE)[-1]["v"] == "fine"


def test_a_delete_that_no_index_finds_does_not_delete_the_next_row():
    """What the first commit of 1.0 deletes is in the log of the old file group; the late row begins another."""
    commits = [row(10, "first")], [row(30, deleted=True)], [row(40, deleted=True)], [row(35, "late")]
    assert [one and one["v"] for one in through("0.15", {2: "1.0"}, *commits)] == ["first", None, None, "late"]


def test_a_compaction_after_an_upgrade_to_1_0_follows_the_one_that_is_planned():
    """Two compactions: each forgets the deletes of its own log."""
    commits = [row(10, "first")], [row(30, deleted=True)], [], [row(20, "late")], [row(15, "later")]
    seen = through("0.15", {2: "1.0"}, *commits, props=NOT_INLINE, compact_after=(4,))
    assert [one and one["v"] for one in seen] == ["first", None, None, "late", "late"]


def test_a_downgrade_compacts_the_log_by_the_rules_of_the_newer_release():
    commits = [row(10, "first")], [row(30, deleted=True)], [row(20, "late")]
    assert [one and one["v"] for one in through("1.2", {2: "0.15"}, *commits)] == ["first", None, "late"]


def test_1_0_reads_a_table_that_was_made_at_version_9_but_does_not_write_it():
    commits = [row(10, "first")], [row(20, "second")]
    assert through("1.2", {2: "1.0"}, *commits)[-1]["v"] == "second"
    with pytest.raises(MergeConfigError, match="created at version 9"):
        through("1.2", {1: "1.0"}, *commits)


def test_steps_out_of_order():
    plan = plan_of(DEFAULT, "0.15")
    steps = [NextWriter(2, dataclasses.replace(plan, release=release)) for release in ("1.1", "1.2")]
    with pytest.raises(PlanError, match="order them"):
        handovers(plan, steps, commits=3)


@pytest.mark.parametrize("new", ["0.13", "0.15"])
@pytest.mark.parametrize("ts", ["5", 5])
def test_a_delete_block_with_text_of_another_kryo_is_refused(new, ts):
    """Until 0.13 a block holds the ordering value as a Java object; Utf8 has another number in each release."""
    plan = plan_of(DEFAULT, "0.12")
    schema = schema_of(ts="string" if isinstance(ts, str) else "long")
    rows = [{"id": "a", "ts": ts, "_hoodie_is_deleted": deleted} for deleted in (None, True)]
    commits = [rows[0]], [rows[1]], [rows[0]]
    seen = taken_over(plan, new, 2, *commits, schema=schema)
    if isinstance(ts, str):
        assert "Hudi 0.12 wrote; compact the table before the upgrade" in str(seen[-1])
    else:
        assert not any(isinstance(one, Exception) for one in seen)
