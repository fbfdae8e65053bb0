"""The rule of a compiled class, found by asking it: its literals are among the values that it is asked about."""

from __future__ import annotations

import dataclasses
import json

import pytest
from click.testing import CliRunner

from bridge import MergePlan, merge_frames, replay, simulate, upsert
from bridge.cli import main
from bridge.verify import compiled
from mergers.laws.infer import infer
from payloads import HudiRelease, PayloadRef, parse_schema
from payloads.rules import (
    Case,
    ColumnIs,
    DeleteTests,
    Effect,
    IsDelete,
    Letters,
    Marker,
    MergeRule,
    Point,
    Role,
    Sum,
    Take,
    TextIs,
    nodes_of,
)

_SOURCE = """
package com.acme;

import java.io.IOException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.common.model.OverwriteWithLatestAvroPayload;
import org.apache.hudi.common.util.Option;

public class CountsVisits extends OverwriteWithLatestAvroPayload {
  public CountsVisits(GenericRecord record, Comparable ordering) {
    super(record, ordering);
  }

  @Override
  public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord stored, Schema schema) throws IOException {
    Option<IndexedRecord> own = getInsertValue(schema);
    if (!own.isPresent()) {
      return Option.empty();
    }
    GenericRecord before = (GenericRecord) stored;
    GenericRecord after = new GenericData.Record((GenericData.Record) own.get(), true);
    if ("GONE".equals(String.valueOf(after.get("op")))) {
      return Option.empty();
    }
    if ("CLOSED".equals(String.valueOf(before.get("op")))) {
      return Option.of(stored);
    }
    after.put("visits", (Long) before.get("visits") + (Long) after.get("visits"));
    return Option.of(after);
  }
}
"""
_FIELDS = (("id", "string"), ("ts", "long"), ("op", ["null", "string"]), ("visits", "long"))
_SCHEMA = parse_schema(
    {"type": "record", "name": "row", "fields": [{"name": name, "type": kind} for name, kind in _FIELDS]}
)


@pytest.mark.java
def test_the_rule_of_a_compiled_class_is_found(bundles, java_compiler):
    release = HudiRelease.V0_15
    jar = java_compiler.compiled({"CountsVisits.java": _SOURCE}, release)
    payload = PayloadRef("com.acme.CountsVisits", jar=str(jar))
    subject = compiled(bundles, payload, release, schema=_SCHEMA, key=("id",), ordering=("ts",)).java
    found = infer(subject, Point.STORED)
    assert found.unsaid == ()
    assert found.rule == MergeRule(
        deletes=DeleteTests(marker=Marker("op", "GONE")),
        cases=(
            Case(IsDelete(Role.NEWER), Effect.DELETE),
            Case(ColumnIs(Role.OLDER, "op", "CLOSED"), Effect.CURRENT),
        ),
        columns={"*": Take(Role.NEWER), "visits": Sum()},
    )


_LETTERS = """
package com.acme;

import java.io.IOException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.common.model.OverwriteWithLatestAvroPayload;
import org.apache.hudi.common.util.Option;

public class Skips extends OverwriteWithLatestAvroPayload {
  public Skips(GenericRecord record, Comparable ordering) {
    super(record, ordering);
  }

  @Override
  public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord stored, Schema schema) throws IOException {
    Option<IndexedRecord> own = getInsertValue(schema);
    if (!own.isPresent() || COMPARES) {
      return Option.empty();
    }
    return own;
  }
}
"""


@pytest.mark.java
@pytest.mark.parametrize(
    ("compares", "test"),
    [
        ('"skip".equalsIgnoreCase(%s)', TextIs(Role.NEWER, "op", "skip")),
        ('"SKIP".equals(%s.toUpperCase())', TextIs(Role.NEWER, "op", "SKIP", Letters.UPPER)),
        ('"skip".equals(%s.toLowerCase())', TextIs(Role.NEWER, "op", "skip", Letters.LOWER)),
    ],
)
def test_a_compiled_class_compares_letters_as_its_rule_says(bundles, java_compiler, compares, test):
    """The Kelvin sign, the long s and the dotless i are asked about, so the class and its rule agree on them."""
    release = HudiRelease.V0_15
    value = 'String.valueOf(((GenericRecord) own.get()).get("op"))'
    source = _LETTERS.replace("COMPARES", compares % value)
    jar = java_compiler.compiled({"Skips.java": source}, release)
    payload = PayloadRef("com.acme.Skips", jar=str(jar))
    subject = compiled(bundles, payload, release, schema=_SCHEMA, key=("id",), ordering=("ts",)).java
    found = infer(subject, Point.STORED)
    marker = Marker("op", "skip", ignore_case=True)
    by_text = found.rule.deletes.marker == marker if test.letters is Letters.ANY else test in nodes_of(found.rule.cases)
    assert by_text
    asked = {None if one.newer.record is None else one.newer.record["op"] for one, _ in found.pairs}
    s, k, i, p = test.text
    assert {f"{s}\u212a{i}{p}", f"\u017f{k}{i}{p}", f"{s}{k}\u0131{p}"} <= asked


@pytest.mark.java
def test_a_compiled_class_runs_by_its_rule(bundles, java_compiler, tmp_path):
    jar = java_compiler.compiled({"CountsVisits.java": _SOURCE}, HudiRelease.V0_15)
    columns = "id string, ts bigint, op string, visits bigint"
    ops = (None, "PUT", "GONE", "CLOSED", "PUT")
    rows = [(f"k{at % 90}", 1, ops[at % 7 % 5], at % 9) for at in range(300)]
    stored, incoming = bundles.createDataFrame(rows[:90], columns), bundles.createDataFrame(rows[45:], columns)
    plan = MergePlan(
        payload=PayloadRef("com.acme.CountsVisits", jar=str(jar)),
        release="0.15",
        key="id",
        ordering="ts",
        engine="native",
        trust_rule=True,
    )
    with merge_frames("upsert", plan, stored=stored, incoming=incoming) as found:
        by_rule = sorted(map(str, found.rows.collect()))
        assert found.run.evidence.merged == 90
    by_class = upsert(stored, incoming, dataclasses.replace(plan, engine="jvm", trust_rule=False))
    assert by_rule == sorted(map(str, by_class.collect()))


@pytest.mark.java
def test_commits_run_by_the_rule_of_a_compiled_class(bundles, java_compiler):
    jar = java_compiler.compiled({"CountsVisits.java": _SOURCE}, HudiRelease.V0_15)
    ops = (None, "PUT", "GONE", "CLOSED", "PUT")
    days = [
        [(f"k{at}", 1 + day, ops[(at + day) % 5] if day else "PUT", at % 9) for at in range(day * 20, 60 + day * 20)]
        for day in range(3)
    ]
    given = [bundles.createDataFrame(day, "id string, ts bigint, op string, visits bigint") for day in days]
    payload = PayloadRef("com.acme.CountsVisits", jar=str(jar))
    by_rule = MergePlan(
        payload=payload, release="0.15", key="id", ordering="ts", engine="native", trust_rule=True, trust_sample=50
    )
    by_class = dataclasses.replace(by_rule, engine="jvm", trust_rule=False, trust_sample=MergePlan.trust_sample)
    with simulate(given, by_rule) as found, simulate(given, by_class) as run:
        assert found.to_report().results == run.to_report().results
        assert found.to_report().plan["trusted"]["cow"]["keys"] == 50
    with replay(given, by_rule, "1.0") as found, replay(given, by_class, "1.0") as run:
        assert found.to_report().results == run.to_report().results
        assert [one["keys"] for one in found.to_report().plan["trusted"].values()] == [50, 50]


@pytest.mark.java
def test_migrate_asks_a_compiled_class_by_a_schema_alone(bundles, java_compiler, tmp_path):
    jar = java_compiler.compiled({"CountsVisits.java": _SOURCE}, HudiRelease.V0_15)
    schema = tmp_path / "rows.avsc"
    schema.write_text(json.dumps(_SCHEMA.source), encoding="utf-8")
    words = ["migrate", "--payload", "com.acme.CountsVisits", "--jar", str(jar), "--schema", str(schema)]
    words += ["--key", "id", "--ordering", "ts", "--from", "0.15", "--out", str(tmp_path / "out")]
    found = CliRunner().invoke(main, words)
    assert found.exit_code == 0, found.output
    merger = next((tmp_path / "out").glob("java-1.1/src/main/java/com/acme/*.java")).read_text("utf-8")
    assert 'put(row, "visits", sumLong(older.get("visits"), newer.get("visits")));' in merger
    assert 'if (is(newer, "op", "GONE")) {' in merger
    assert "hoodie.payload.delete.marker" not in merger
