"""Compiled payloads whose insert value is another row: what is merged of them from 1.1 on, as the bundles did."""

from __future__ import annotations

import re
from collections import defaultdict

import pytest

from bridge import MergePlan, simulate
from bridge.errors import sentence_of
from payloads import PayloadRef
from tests.jvm.frames import frame_of
from tests.support.indexed_cases import BASE, CASES, COLUMNS, FACTS, LOST, shown

SETTINGS = [{}, *(case.settings for case in CASES.values() if case.settings)]


def plan_of(jar, name, release, table_type, settings):
    payload = PayloadRef(f"com.acme.Indexed${name}", jar=str(jar))
    given = {"key": "id", "partition": "part", "ordering": "ts", **settings}
    return MergePlan(payload=payload, release=release, table_type=table_type, **given)


def written():
    """Return the writes of each class that real Hudi makes, with the rows of their keys: many go into one table."""
    found = defaultdict(list)
    for name, kind, op, case, releases, rows in FACTS:
        if rows is None or rows == LOST or case == "small-file" or CASES[case].next_batch is not None:
            continue
        for release in releases:
            settings = SETTINGS.index(CASES[case].settings)
            found[name, release.rpartition(".")[0], kind, settings].append((case, op, rows))
    return found


def renamed(rows, to):
    """Return rows with other keys, so that writes don't meet."""
    return [{**row, "id": f"{to}-{row['id']}"} for row in rows]


def frames_of(spark, *parts):
    return [frame_of(COLUMNS, spark, *(tuple(row.values()) for row in part)) for part in parts]


WRITTEN = written()


@pytest.mark.parametrize("key", WRITTEN, ids=lambda key: "-".join(map(str, key)))
def test_a_merge_gets_what_real_hudi_asks_for(jar, spark, key):
    name, release, table_type, settings = key
    base, batch, expected = [], [], {}
    for case, op, rows in WRITTEN[key]:
        to = f"{case}.{op}"
        base, batch = base + renamed(BASE, to), batch + renamed(CASES[case].batch(op), to)
        expected[to] = rows
    done = simulate(frames_of(spark, base, batch), plan_of(jar, name, release, table_type, SETTINGS[settings]))
    found = defaultdict(list)
    for row in done.snapshots.where("_pb_commit = 2").collect():
        to, _, own = row["id"].rpartition("-")
        found[to].append({**row.asDict(), "id": own})
    assert {to: shown(rows) for to, rows in found.items()} == expected


def refused(jar, spark, table, case, op):
    name, release, table_type = table
    plan = plan_of(jar, name, release, table_type, CASES[case].settings)
    with pytest.raises(Exception, match="failed at") as failure:
        simulate(frames_of(spark, BASE, CASES[case].batch(op)), plan).snapshots.collect()
    return sentence_of(failure.value)


@pytest.mark.parametrize("release", ["1.1", "1.2"])
@pytest.mark.parametrize("case", ["existing-key", "dup-new", "global-moves", "not-combined"])
def test_a_sentinel_that_would_be_merged_is_refused(jar, spark, release, case):
    said = refused(jar, spark, ("Alone", release, "cow"), case, "S")
    assert re.search(
        r"\$Alone failed at .*: getInsertValue returns SENTINEL for a row that meets another of its key", said
    )


@pytest.mark.parametrize("table_type", ["cow", "mor"])
def test_a_class_that_keeps_its_record_fails_where_two_rows_of_a_batch_were_merged(jar, spark, table_type):
    """The record that it keeps has lost its schema by then, in Hudi's own class."""
    said = refused(jar, spark, ("Holds", "1.2", table_type), "dup-existing", "A")
    assert "NullPointerException" in said
    assert (
        "loses the schema of a record that the class keeps (record): keep the record's bytes, or a copy of it" in said
    )


@pytest.mark.parametrize(("case", "kept"), [("dup-existing", ["b1N"]), ("dup-existing-late", ["a1103A", "b1N"])])
def test_a_quarantine_sets_the_key_of_such_a_class_aside(jar, spark, case, kept):
    # Python runs the steps then, and calls the class in the JVM of its executor.
    plan = plan_of(jar, "Holds", "1.2", "cow", {"on_error": "quarantine"})
    done = simulate(frames_of(spark, BASE, CASES[case].batch("A")), plan)
    found = [row.asDict() for row in done.snapshots.where("_pb_commit = 2").collect()]
    assert shown(found) == kept


@pytest.mark.parametrize("table_type", ["cow", "mor"])
def test_an_insert_value_that_depends_on_the_file_is_refused_where_files_may_be_joined(jar, spark, table_type):
    assert "calls it twice" in refused(jar, spark, ("Alone", "1.2", table_type), "small-file", "A")


def test_what_get_insert_value_throws_is_told_where_it_is_asked(jar, spark):
    said = refused(jar, spark, ("Alone", "1.2", "cow"), "dup-existing", "T")
    assert "Alone failed at combine-input" in said
    assert "thrown by getInsertValue" in said
