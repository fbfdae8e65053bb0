"""The page about a class whose source is lost: its commands run on a jar, and answer as the page says."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from payloads import HudiRelease
from tests.support.guide_pages import run_page

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from pyspark.sql import SparkSession

    from tests.jvm.java_compiler import JavaCompiler

_SOURCE = """
package com.acme;

import java.io.IOException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.avro.HoodieAvroUtils;
import org.apache.hudi.common.model.OverwriteWithLatestAvroPayload;
import org.apache.hudi.common.util.Option;

public class OrderPayload extends OverwriteWithLatestAvroPayload {
  public OrderPayload(GenericRecord record, Comparable ordering) {
    super(record, ordering);
  }

  public OrderPayload(Option<GenericRecord> record) {
    super(record);
  }

  @Override
  public Option<IndexedRecord> getInsertValue(Schema schema) throws IOException {
    if (recordBytes.length == 0) {
      return Option.empty();
    }
    GenericRecord row = HoodieAvroUtils.bytesToAvro(recordBytes, schema);
    return "cancel".equals(String.valueOf(row.get("op"))) ? Option.empty() : Option.of(row);
  }

  @Override
  public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord stored, Schema schema) throws IOException {
    Option<IndexedRecord> own = getInsertValue(schema);
    if (!own.isPresent()) {
      return own;
    }
    GenericRecord before = (GenericRecord) stored;
    if ("CLOSED".equals(String.valueOf(before.get("status")))) {
      return Option.of(stored);
    }
    GenericRecord after = new GenericData.Record((GenericData.Record) own.get(), true);
    if (before.get("items") != null && after.get("items") != null) {
      after.put("items", (Long) before.get("items") + (Long) after.get("items"));
    }
    if (after.get("note") == null) {
      after.put("note", before.get("note"));
    }
    return Option.of(after);
  }
}
"""


def test_the_commands_of_the_page_run_on_a_jar_and_answer_as_it_says(
    bundles: SparkSession, java_compiler: JavaCompiler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jar = java_compiler.compiled({"OrderPayload.java": _SOURCE}, HudiRelease.V0_15)
    shutil.copyfile(jar, tmp_path / "acme.jar")
    assert run_page("what_does_my_class_do.md", tmp_path, monkeypatch, bundles) == 5
    written = {path.name for path in (tmp_path / "migration").rglob("*") if path.is_file()}
    assert {"OrderPayloadMerger.java", "OrderPayloadMergerTest.java", "pom.xml", "order_payload_merger.py"} <= written
