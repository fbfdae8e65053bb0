"""A table with a global index that is upgraded to another release: what queries show, and what is refused."""

from __future__ import annotations

import dataclasses

import pytest
from pyspark.sql.types import StructType

from bridge import MergePlan
from bridge.errors import PlanError
from bridge.programs import NextWriter, Operations, WriteOperation, check_operated, handovers
from tests.conformance.in_process import simulate
from tests.support.one_key import DEFAULT

SCHEMA = StructType().add("id", "string").add("part", "string").add("ts", "long")
SIMPLE = {"hoodie.index.type": "GLOBAL_SIMPLE"}
STAYS = {**SIMPLE, "hoodie.simple.index.update.partition.path": "false"}
RECORD = {"hoodie.index.type": "RECORD_INDEX"}
DELETES = Operations({2: WriteOperation.DELETE})


def plan_of(release, props, table_type="mor"):
    return MergePlan(
        payload=DEFAULT, release=release, table_type=table_type, key="id", partition="part", ordering="ts", props=props
    )


def row(key, part, ts):
    return {"id": key, "part": part, "ts": ts}


@pytest.mark.parametrize("compact_after", [(), (2,)], ids=["log", "compacted"])
@pytest.mark.parametrize("keep", [True, False], ids=["kept", "upgraded"])
@pytest.mark.parametrize("new", ["1.1", "1.2"])
def test_a_new_reader_shows_the_partition_of_the_path_where_the_old_one_showed_the_file(new, keep, compact_after):
    """The base file of p0 has a row that says p1; what the old reader showed of it does not outlast it."""
    batches = [[row("a", "p0", 1)], [row("a", "p1", 2)], [row("z", "p0", 1)]]
    old = plan_of("0.15", STAYS)
    change = handovers(old, [NextWriter(2, plan_of(new, STAYS), keep)], commits=3)
    seen = simulate(batches, SCHEMA, old, compact_after=compact_after, change=change)
    assert seen[2] == [row("a", "p1", 2)]
    assert sorted(seen[3], key=lambda one: one["id"]) == [row("a", "p0", 2), row("z", "p0", 1)]


def test_a_reader_shows_the_last_commit_by_its_own_rule():
    batches = [[row("a", "p0", 1)], [row("a", "p1", 2)]]
    old = plan_of("0.15", STAYS)
    change = handovers(old, [NextWriter(2, plan_of("1.2", STAYS))], commits=2)
    assert simulate(batches, SCHEMA, old, compact_after=(2,), change=change)[2] == [row("a", "p0", 2)]


@pytest.mark.parametrize(("old", "new"), [(RECORD, SIMPLE), (SIMPLE, RECORD)], ids=["from-record", "to-record"])
def test_a_change_between_a_record_index_and_another_is_refused(old, new):
    with pytest.raises(PlanError, match="from a record index to another global index, or back, is not supported"):
        handovers(plan_of("0.15", old), [NextWriter(1, plan_of("1.2", new))], commits=2)


@pytest.mark.parametrize("table_type", ["cow", "mor"])
@pytest.mark.parametrize("keep", [True, False], ids=["kept", "upgraded"])
def test_1_0_goes_on_with_a_table_that_has_a_global_index(keep, table_type):
    batches = [[row("a", "p0", 1)], [row("a", "p1", 2)]]
    old, new = (plan_of(release, SIMPLE, table_type) for release in ("0.15", "1.0"))
    seen = simulate(batches, SCHEMA, old, change=handovers(old, [NextWriter(1, new, keep)], commits=2))
    assert seen == {1: [row("a", "p0", 1)], 2: [row("a", "p1", 2)]}


NOT_INLINE = {"hoodie.compact.inline": "false"}


def test_an_upgrade_to_1_0_that_leaves_its_compaction_planned_is_refused_with_a_global_index():
    old, new = (plan_of(release, SIMPLE | NOT_INLINE) for release in ("0.15", "1.0"))
    with pytest.raises(PlanError, match=r"Hudi 1\.0 upgrades is not supported where hoodie\.compact\.inline is false"):
        handovers(old, [NextWriter(1, new)], commits=2)
    handovers(old, [NextWriter(1, new, keep_table_version=True)], commits=2)


@pytest.mark.parametrize(
    ("table_type", "props", "refused"), [("cow", NOT_INLINE, False), ("mor", {}, False), ("mor", NOT_INLINE, True)]
)
def test_operations_with_an_upgrade_to_1_0_are_refused_where_its_compaction_stays_planned(table_type, props, refused):
    old = plan_of("0.15", props, table_type)
    change = handovers(old, [NextWriter(1, dataclasses.replace(old, release="1.0"))], commits=2)
    if not refused:
        check_operated(old, change, DELETES)
        return
    with pytest.raises(PlanError, match=r"with an upgrade of a merge-on-read table to 1\.0 are not supported where"):
        check_operated(old, change, DELETES)


@pytest.mark.parametrize(
    ("old", "new", "keep", "refused"),
    [
        ("0.15", "1.0", False, None),
        ("0.15", "1.0", True, "were recorded only for upgrades from 0.15 to 1.0"),
        ("1.0", "1.2", False, "were recorded only for upgrades from 0.15 to 1.0"),
        ("1.2", "0.15", False, "were recorded only for upgrades from 0.15 to 1.0"),
    ],
)
def test_operations_after_an_upgrade_run_with_a_global_index_where_tables_were_recorded(old, new, keep, refused):
    plan = plan_of(old, SIMPLE)
    change = handovers(plan, [NextWriter(1, dataclasses.replace(plan, release=new), keep)], commits=3)
    check_operated(plan, change, Operations({1: WriteOperation.DELETE}))
    if refused is None:
        check_operated(plan, change, DELETES)
        return
    with pytest.raises(PlanError, match=refused):
        check_operated(plan, change, DELETES)


@pytest.mark.parametrize(("table_type", "is_refused"), [("cow", False), ("mor", True)])
def test_1_0_fails_to_read_the_log_after_an_sql_delete_from_a_table_that_it_upgraded(table_type, is_refused):
    """So do `global-sql-default-mor` and `record-index-sql-default-mor` from 0.15.0 to 1.0.2, in batch 5."""
    old = plan_of("0.15", SIMPLE, table_type)
    change = handovers(old, [NextWriter(1, dataclasses.replace(old, release="1.0"))], commits=3)
    deletes = Operations({2: WriteOperation.SQL_DELETE})
    if not is_refused:
        check_operated(old, change, deletes)
        return
    with pytest.raises(PlanError, match=r"Hudi 1\.0 fails to read the log .* use the operation delete"):
        check_operated(old, change, deletes)


@pytest.mark.parametrize(("number", "is_refused"), [(2, True), (3, False)], ids=["upgrades", "follows"])
@pytest.mark.parametrize("props", [{}, SIMPLE, RECORD], ids=["no index", "global", "record"])
def test_a_delete_partition_does_not_upgrade_a_table(props, number, is_refused):
    """Real 1.2.0 fails in batch 3 of `global-partition-default-*` and `record-index-partition-default-*`."""
    old = plan_of("0.15", props, "cow")
    change = handovers(old, [NextWriter(1, dataclasses.replace(old, release="1.2"))], commits=3)
    deletes = Operations({number: WriteOperation.DELETE_PARTITION})
    if not is_refused:
        check_operated(old, change, deletes)
        return
    with pytest.raises(PlanError, match=r"a delete_partition in the write .* Commit instant was not created"):
        check_operated(old, change, deletes)


def test_a_record_index_of_a_table_of_version_6_that_1_0_writes_is_refused_unless_it_moves_rows():
    """Real 1.0.2 keeps a key there of which a delete comes too late; with an upgrade it forgets it, as others do."""
    stays = {**RECORD, "hoodie.record.index.update.partition.path": "false"}
    old, new = (plan_of(release, stays) for release in ("0.15", "1.0"))
    handovers(old, [NextWriter(1, new)], commits=2)
    with pytest.raises(PlanError, match=r"version 6 that Hudi 1\.0 writes, is not supported: after a delete"):
        handovers(old, [NextWriter(1, new, keep_table_version=True)], commits=2)
    moves = {**RECORD, "hoodie.record.index.update.partition.path": "true"}
    old, new = (plan_of(release, moves) for release in ("0.15", "1.0"))
    handovers(old, [NextWriter(1, new, keep_table_version=True)], commits=2)
