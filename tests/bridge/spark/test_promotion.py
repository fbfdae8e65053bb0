from __future__ import annotations

import pytest

from bridge import Batches, InputError, MergePlan, append, simulate, snapshot, upsert
from bridge.spark import common_type

# What real Hudi 0.15.0 shows for these two batches, in both table types: a float becomes a double by its text.
WIDE = ("id string, ts bigint, a int, b float, c int", ("k1", 10, 5, 1.1, 7), ("k2", 10, 5, 1.1, 7))
WIDER = ("id string, ts bigint, a bigint, b double, c double", ("k1", 20, 6, 2.5, 8.5), ("k2", 5, 6, 2.5, 8.5))
SHOWN = [("k1", 20, 6, 2.5, 8.5), ("k2", 10, 5, 1.1, 7.0)]


def plan(kind="cow"):
    return MergePlan(payload="DefaultHoodieRecordPayload", release="0.15", key="id", ordering="ts", table_type=kind)


def rows(frame):
    return sorted(tuple(row)[:5] for row in frame.select("id", "ts", "a", "b", "c").collect())


@pytest.fixture
def frames(spark):
    return [spark.createDataFrame(list(found), columns).coalesce(1) for columns, *found in (WIDE, WIDER)]


def test_an_upsert_widens_the_stored_rows_and_a_narrow_batch(frames):
    narrow, wide = frames
    assert rows(upsert(narrow, wide, plan())) == SHOWN
    assert rows(upsert(wide, narrow, plan())) == SHOWN


def test_a_log_widens_with_the_rows(frames):
    narrow, wide = frames
    stored, log = append(narrow, None, wide.where("id = 'k1'"), plan("mor"))
    stored, log = append(stored, log, narrow.where("id = 'k2'"), plan("mor"))
    assert rows(snapshot(stored, log, plan("mor"))) == SHOWN


@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_batches_have_the_widest_type_of_all(frames, kind):
    for batches in (frames, frames[::-1]):
        with simulate(Batches.of(batches), plan(kind)) as found:
            assert rows(found.snapshots.where("_pb_commit = 2")) == SHOWN


def test_what_hudi_does_not_widen_is_refused(spark, frames):
    text = spark.createDataFrame([("k1", "x")], "id string, ts string")
    number = spark.createDataFrame([("k1", 1)], "id string, ts bigint")
    with pytest.raises(InputError, match="'ts' is string in the older data and bigint in the newer; cast one of them"):
        upsert(text, number, plan())


def test_members_widen_too_and_structs_may_gain_fields(spark):
    def kind(text):
        return spark.createDataFrame([], f"v {text}").schema["v"].dataType

    older = kind("struct<a: int, b: array<float>>")
    newer = kind("struct<c: string, b: array<double>, a: bigint>")
    assert common_type(older, newer) == newer
    assert common_type(newer, older) is None  # Hudi does not drop fields on its own
    assert common_type(kind("map<string, int>"), kind("map<string, double>")) == kind("map<string, double>")
    assert common_type(kind("date"), kind("timestamp")) is None
