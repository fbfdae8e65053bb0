"""Compiled payloads that give a writer nothing to insert, or lose their fields before it does."""

from __future__ import annotations

import contextlib
import re
from functools import partial

import pytest

from bridge import MergePlan, append, simulate, snapshot, upsert
from bridge.errors import sentence_of
from payloads import PayloadRef
from tests.jvm.frames import frame_of, rows

batch = partial(frame_of, "id string, part string, ts bigint, v int, op string")
EMPTY = r"\$Unsaid failed at insert \(key id='c'\): getInsertValue returns nothing, and "
SENTINEL = r"\$Unsaid failed at insert \(key id='c'\): getInsertValue returns SENTINEL, which canProduceSentinel doe"
NEW = ("c", "p", 1, 1, "N")


def plan_of(jar, name, release, **settings):
    payload = PayloadRef(f"com.acme.Inserts${name}", jar=str(jar))
    return MergePlan(**{"payload": payload, "release": release, "key": "id", "ordering": "ts", **settings})


@contextlib.contextmanager
def refused(reason):
    """Expect an error whose sentence matches; Spark runs a frame when its rows are asked for."""
    with pytest.raises(Exception, match="failed at") as failure:
        yield
    assert re.search(reason, sentence_of(failure.value))


def stored_and(spark, *incoming):
    return batch(spark, ("a", "p", 1, 1, "N"), ("b", "p", 1, 1, "N")), batch(spark, *incoming)


@pytest.mark.parametrize("release", ["0.15", "1.0", "1.2"])
@pytest.mark.parametrize(("op", "reason"), [("E", EMPTY), ("S", SENTINEL)])
def test_a_new_key_without_an_insert_value_is_refused(jar, spark, release, op, reason):
    stored, incoming = stored_and(spark, ("a", "p", 2, 2, "N"), ("c", "p", 2, 2, op))
    with refused(reason):
        rows(upsert(stored, incoming, plan_of(jar, "Unsaid", release)))
    with refused(reason):
        rows(simulate([stored, incoming], plan_of(jar, "Unsaid", release, table_type="mor")).snapshots)


@pytest.mark.parametrize("release", ["0.15", "1.2"])
def test_an_update_without_an_insert_value_deletes_in_a_base_file_and_is_refused_in_a_log(jar, spark, release):
    stored, incoming = stored_and(spark, ("a", "p", 2, 2, "E"))
    assert [one[0] for one in rows(upsert(stored, incoming, plan_of(jar, "Unsaid", release)))] == ["b"]
    with refused(r"failed at insert \(key id='a'\): getInsertValue returns nothing"):
        rows(append(stored, None, incoming, plan_of(jar, "Unsaid", release, table_type="mor"))[1])


@pytest.mark.parametrize(
    ("name", "release", "kept"), [("Said", "0.15", True), ("Alone", "0.15", True), ("Said", "1.2", False)]
)
def test_a_class_that_says_so_deletes_an_unknown_key_until_1_0(jar, spark, name, release, kept):
    stored, incoming = stored_and(spark, ("c", "p", 2, 2, "E"))
    plan = plan_of(jar, name, release)
    if kept:
        assert [one[0] for one in rows(upsert(stored, incoming, plan))] == ["a", "b"]
        return
    with refused("recognises a delete of a new key only by _hoodie_is_deleted"):
        rows(upsert(stored, incoming, plan))


def test_from_1_1_on_a_row_that_the_class_calls_a_delete_is_inserted(jar, spark):
    stored, incoming = stored_and(spark, ("c", "p", 2, 2, "E"), ("a", "p", 2, 2, "E"))
    plan = plan_of(jar, "Lies", "1.2")
    assert [one[0] for one in rows(upsert(stored, incoming, plan))] == ["b", "c"]
    plan = plan_of(jar, "Lies", "0.15")
    assert [one[0] for one in rows(upsert(stored, incoming, plan))] == ["a", "b"]


@pytest.mark.parametrize("release", ["0.15", "1.2"])
def test_a_sentinel_that_the_class_declares_is_ignored(jar, spark, release):
    stored, incoming = stored_and(spark, ("c", "p", 2, 2, "S"), ("d", "p", 2, 2, "N"))
    merged = upsert(stored, incoming, plan_of(jar, "Declares", release))
    assert [one[0] for one in rows(merged)] == ["a", "b", "d"]


@pytest.mark.parametrize("release", ["0.15", "1.2"])
def test_a_quarantine_sets_the_key_aside(jar, spark, release):
    # Python runs the steps then, and calls the class in the JVM of its executor.
    stored, incoming = stored_and(spark, ("c", "p", 2, 2, "E"), ("d", "p", 2, 2, "N"))
    done = simulate([stored, incoming], plan_of(jar, "Unsaid", release, on_error="quarantine"))
    assert [one[0] for one in rows(done.snapshots.where("_pb_commit = 2").select("id"))] == ["a", "b", "d"]


@pytest.mark.parametrize(("release", "op"), [("0.15", "kept N"), ("1.0", "kept N"), ("1.1", "lost"), ("1.2", "lost")])
def test_a_writer_loses_the_fields_of_a_class_before_it_inserts_from_1_1_on(jar, spark, release, op):
    stored, incoming = stored_and(spark, NEW)
    plan = plan_of(jar, "Remembers", release)
    assert rows(upsert(stored, incoming, plan).select("id", "op"))[2] == ("c", op)
    on_read = plan_of(jar, "Remembers", release, table_type="mor", inserts_to="log")
    table, log = append(stored, None, incoming, on_read)
    assert rows(snapshot(table, log, on_read).select("id", "op"))[2][1].endswith(op)


@pytest.mark.parametrize("incoming", [NEW, ("a", "p", 2, 2, "N")])
def test_a_class_whose_metadata_is_lost_is_refused_with_the_cause(jar, spark, incoming):
    stored, batch_of_one = stored_and(spark, incoming)
    assert rows(upsert(stored, batch_of_one, plan_of(jar, "Tells", "0.15")))
    with refused(r"Expected a non-null value. Got null; .* from 1.1 on .* \(told, seen\)"):
        rows(upsert(stored, batch_of_one, plan_of(jar, "Tells", "1.2")))
