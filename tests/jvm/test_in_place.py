"""Users' compiled classes that change what they are lent, keep state, or make records of other fields.

What objects keep, and what becomes of records of other fields, was recorded from Hudi 0.15.0, 1.0.2, 1.1.1 and
1.2.0 with classes of these shapes.
"""

from __future__ import annotations

import warnings
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from bridge import MergePlan, combine_input, replay, simulate, upsert
from bridge.engines.jvm import bundle_for, jars_of
from bridge.engines.jvm.jars import resolve
from bridge.merge import class_warnings
from payloads import HudiRelease, PayloadRef
from tests.jvm.frames import frame_of, rows
from tests.jvm.java_compiler import SOURCES

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

IN_PLACE = "org.apache.hudi.acme.InPlace"
RELEASES = ("0.15", "1.0", "1.1", "1.2")
_SCHEMA = (
    "id string, ts long, city string, note string, tags array<string>, cities map<string,string>, "
    "box struct<city:string>"
)
_IDS = ("array", "both", "copy", "gaps", "map", "own", "sentinel", "stay", "struct")
_CITIES = ("Oslo", "Lima", "Rome", "Bern")


def plan_of(jar, name, **settings: Any) -> MergePlan:
    return MergePlan(payload=PayloadRef(name, jar=str(jar)), key="id", ordering="ts", **settings)


def in_place_batches(spark) -> list[DataFrame]:
    """Return a batch for each city, with every id once."""
    return [
        spark.createDataFrame(
            [(one, number, city, "first" if number == 1 else None, ["t"], {"m": "n"}, (city,)) for one in _IDS], _SCHEMA
        ).coalesce(1)
        for number, city in enumerate(_CITIES, 1)
    ]


def seen_after(found: DataFrame, commit: int, *columns: str) -> dict[str, tuple[Any, ...]]:
    taken = found.where(f"_pb_commit = {commit}").select("id", *columns).collect()
    return {row[0]: tuple(row[1:]) for row in taken}


_COLUMNS = ("ts", "city", "note", "tags", "cities", "box.city")
_FIRST = (1, "Oslo", "first", ["t"], {"m": "n"}, "Oslo")
_SECOND = (2, "Lima", None, ["t"], {"m": "n"}, "Lima")
_MADE = {"copy": (2, *_FIRST[1:])}
_CHANGED_ROWS = {
    **_MADE,
    "array": (*_FIRST[:3], ["t", "Lima"], *_FIRST[4:]),
    "both": (*_SECOND[:2], "first", *_SECOND[3:]),
    "gaps": (*_SECOND[:2], "first", *_SECOND[3:]),
    "map": (*_FIRST[:4], {"m": "n", "Lima": "seen"}, "Oslo"),
    "own": (*_SECOND[:2], "own", *_SECOND[3:]),
    "sentinel": (1, "Lima", *_FIRST[2:]),
    "stay": _FIRST,
    "struct": (*_FIRST[:5], "Lima"),
}
# A reader of 1.1 and later lends copies: what comes back counts as the row that it was made of.
_LENT_COPIES = {**dict.fromkeys(_IDS, _FIRST), **dict.fromkeys(("both", "own"), _SECOND), **_MADE}


@pytest.mark.parametrize("table_type", ["cow", "mor"])
@pytest.mark.parametrize("release", RELEASES)
def test_what_a_class_changes_in_place_is_stored_where_hudi_stores_it(jar, spark, release, table_type):
    plan = plan_of(jar, IN_PLACE, release=release, table_type=table_type)
    found = simulate(in_place_batches(spark)[:2], plan).snapshots
    is_copy = release in {"1.1", "1.2"} and table_type == "mor"
    assert seen_after(found, 2, *_COLUMNS) == (_LENT_COPIES if is_copy else _CHANGED_ROWS)


def test_a_log_of_several_entries_is_changed_in_place_and_compacted(jar, spark):
    """Each entry is folded with preCombine under 0.15; the stored row takes the last one's city, and keeps its note."""
    plan = plan_of(jar, IN_PLACE, release="0.15", table_type="mor")
    found = simulate(in_place_batches(spark), plan, compact_after=[4]).snapshots.cache()
    for commit, city in enumerate(_CITIES[1:], 2):
        assert seen_after(found, commit, "ts", "city", "note")["gaps"] == (commit, city, "first")


def test_a_class_means_the_same_in_every_package(java_compiler, spark):
    text = (SOURCES / "InPlace.java").read_text("utf-8")
    text = text.replace("package org.apache.hudi.acme;", "package com.acme.rules;")
    other = java_compiler.compiled({"InPlace.java": text}, HudiRelease.V0_15)
    jar = java_compiler.jar_of(HudiRelease.V0_15)
    left, right = plan_of(jar, IN_PLACE, release="0.15"), plan_of(other, "com.acme.rules.InPlace", release="0.15")
    with replay(in_place_batches(spark), left, right) as found:
        assert found.differences.count() == 0


# -- classes under Hudi's own names

_LATEST = "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload"
_CHANGED = """package org.apache.hudi.common.model;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.common.util.Option;
public class OverwriteWithLatestAvroPayload extends BaseAvroPayload
    implements HoodieRecordPayload<OverwriteWithLatestAvroPayload> {
  public OverwriteWithLatestAvroPayload(GenericRecord record, Comparable ordering) { super(record, ordering); }
  public OverwriteWithLatestAvroPayload(Option<GenericRecord> record) {
    super(record.isPresent() ? record.get() : null, 0);
  }
  public OverwriteWithLatestAvroPayload preCombine(OverwriteWithLatestAvroPayload older) { return this; }
  public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord stored, Schema schema) {
    stored.put(schema.getField("note").pos(), "changed");
    return Option.of(stored);
  }
  public Option<IndexedRecord> getInsertValue(Schema schema) throws java.io.IOException {
    return Option.of(org.apache.hudi.avro.HoodieAvroUtils.bytesToAvro(recordBytes, schema));
  }
}
"""
_EXTENDS = """package com.acme;
import org.apache.avro.generic.GenericRecord;
import org.apache.hudi.common.model.OverwriteWithLatestAvroPayload;
public class Extends extends OverwriteWithLatestAvroPayload {
  public Extends(GenericRecord record, Comparable ordering) { super(record, ordering); }
}
"""


def noted(spark, *values) -> DataFrame:
    return frame_of("id string, ts long, note string", spark, *values)


@pytest.mark.parametrize("name", [_LATEST, "OverwriteWithLatestAvroPayload", "com.acme.Extends"])
def test_a_changed_class_of_hudi_runs_as_the_jar_has_it(java_compiler, spark, name):
    # A jar for each name: Spark is told of one jar once.
    own = _CHANGED.replace('"changed"', f'"changed for {name}"')
    sources = {"OverwriteWithLatestAvroPayload.java": own, "Extends.java": _EXTENDS}
    changed = java_compiler.compiled(sources, HudiRelease.V0_15)
    plan = plan_of(changed, name, release="0.15")
    assert plan.runs_java
    assert [text for text in class_warnings(plan) if "changed classes of Hudi (OverwriteWithLatestAvroPayload)" in text]
    with pytest.warns(UserWarning, match=r"changed classes of Hudi \(OverwriteWithLatestAvroPayload\)"):
        merged = upsert(noted(spark, ("a", 1, "x")), noted(spark, ("a", 2, "y")), plan)
    assert rows(merged.select("id", "ts", "note")) == [("a", 1, f"changed for {name}")]


def test_a_copy_of_a_release_in_a_fat_jar_is_left_to_the_bundle(java_compiler, jar, spark, tmp_path):
    fat, entry = tmp_path / "fat.jar", f"{_LATEST.replace('.', '/')}.class"
    (bundle,) = resolve(spark, bundle_for(spark, HudiRelease.V1_2))
    with zipfile.ZipFile(jar) as own, zipfile.ZipFile(bundle) as other, zipfile.ZipFile(fat, "w") as made:
        for name in own.namelist():
            made.writestr(name, own.read(name))
        made.writestr(entry, other.read(entry))
    plan = plan_of(fat, IN_PLACE, release="0.15")
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        jars_of(spark, plan.payload, plan.release)
    assert class_warnings(plan) == []
    assert not plan_of(fat, _LATEST, release="0.15").runs_java


# -- objects in the shuffle

_AFTER_SHUFFLE = {  # by class and release: what an insert, that of two versions of a batch, and an update tell
    ("Remembers", "0.15"): ("insert: null, new", "insert: null, after new", "update: null, new"),
    ("Remembers", "1.0"): ("insert: null, new", "insert: null, after new", "update: null, new"),
    ("Remembers", "1.1"): ("insert: null, null", "insert: null, null", "update: new, new"),
    ("Remembers", "1.2"): ("insert: null, null", "insert: null, null", "update: new, new"),
    ("Plain", "0.15"): ("insert: null, new", "insert: null, after new", "update: null, new"),
    ("Plain", "1.2"): ("insert: null, new", "insert: null, new", "update: new, new"),
}
_FROM_LOG = "update: new, new"  # readers build their payloads and merge them in one process


@pytest.mark.parametrize(
    ("name", "release", "settings"),
    [
        pytest.param(name, release, settings, id=f"{name}-{release}-{settings}")
        for settings in ({}, {"table_type": "mor"}, {"on_error": "quarantine"})
        for name, release in _AFTER_SHUFFLE
        if not settings or release in {"0.15", "1.2"}  # which the others are like
    ],
)
def test_objects_reach_the_table_as_kryo_writes_them(jar, spark, name, release, settings):
    plan = plan_of(jar, f"com.acme.Own${name}", release=release, **settings)
    batches = [noted(spark, ("a", 1), ("b", 1), ("b", 2)), noted(spark, ("a", 2), ("c", 1))]
    seen = simulate(batches, plan).snapshots
    alone, combined, updated = _AFTER_SHUFFLE[name, release]
    assert seen_after(seen, 2, "note") == {
        "a": (_FROM_LOG if "table_type" in settings else updated,),
        "b": (combined,),
        "c": (alone,),
    }


def test_a_batch_is_combined_before_the_shuffle(jar, spark):
    found = combine_input(noted(spark, ("b", 1), ("b", 2)), plan_of(jar, "com.acme.Own$Remembers", release="0.15"))
    assert rows(found.select("id", "ts")) == [("b", 2)]


# -- records of other fields

_NARROW = "com.acme.Own$Narrow"


@pytest.mark.parametrize("table_type", ["cow", "mor"])
@pytest.mark.parametrize("release", ["0.15", "1.0", "1.2"])
def test_a_column_that_the_record_lacks_is_null(jar, spark, release, table_type):
    ids = ["insert without note", "combine without note"][: 1 if release == "1.2" else 2]
    batches = [noted(spark, *((one, number, f"note {number}") for one in ids)) for number in (1, 2)]
    plan = plan_of(jar, _NARROW, release=release, table_type=table_type)
    seen = simulate(batches, plan).snapshots.cache()
    first = {"insert without note": (None,), "combine without note": ("note 1",)}
    # The log has what getInsertValue gave.
    second = {"insert without note": (None if table_type == "mor" else "note 2",), "combine without note": (None,)}
    assert seen_after(seen, 1, "note") == {one: first[one] for one in ids}
    assert seen_after(seen, 2, "note") == {one: second[one] for one in ids}


@pytest.mark.parametrize(("table_type", "point"), [("cow", "upsert"), ("mor", "snapshot")])
def test_a_merge_that_lacks_a_column_is_refused_where_hudi_reads_by_position(jar, spark, table_type, point):
    batches = [noted(spark, ("combine without note", number, "x")) for number in (1, 2)]
    plan = plan_of(jar, _NARROW, release="1.2", table_type=table_type)
    with pytest.raises(Exception, match="return the fields of the schema") as failure:
        simulate(batches, plan).snapshots.collect()
    assert f"failed at {point} (key id='combine without note')" in str(failure.value)


def test_a_third_entry_of_a_log_is_refused_where_hudi_1_0_reads_the_record_again(jar, spark):
    batches = [noted(spark, ("combine without note", number, "x")) for number in (1, 2, 3, 4)]
    plan = plan_of(jar, _NARROW, release="1.0", table_type="mor")
    with pytest.raises(Exception, match="Hudi fails where it merges it again") as failure:
        simulate(batches, plan).snapshots.collect()
    assert "failed at log-fold" in str(failure.value)


def test_a_required_column_that_the_record_lacks_is_refused(jar, spark):
    kind = noted(spark, ("a", 1)).schema
    kind["note"].nullable = False
    stored, incoming = (spark.createDataFrame([("combine without note", number, "x")], kind) for number in (1, 2))
    with pytest.raises(Exception, match="without the field 'note', which has no default null") as failure:
        upsert(stored, incoming, plan_of(jar, _NARROW, release="0.15")).collect()
    assert "failed at upsert" in str(failure.value)
