package com.acme;

import java.io.IOException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.common.model.OverwriteWithLatestAvroPayload;
import org.apache.hudi.common.util.Option;

/** Compares text in upper case, in lower case and in any case: a row skips, another stays, a column is kept. */
public class ComparesLetters extends OverwriteWithLatestAvroPayload {
  public ComparesLetters(GenericRecord record, Comparable orderingVal) {
    super(record, orderingVal);
  }

  public ComparesLetters(Option<GenericRecord> record) {
    this(record.isPresent() ? record.get() : null, 0);
  }

  @Override
  public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord stored, Schema schema) throws IOException {
    Option<IndexedRecord> own = getInsertValue(schema);
    if (!own.isPresent()) {
      return own;
    }
    GenericRecord before = (GenericRecord) stored;
    GenericRecord after = (GenericRecord) own.get();
    if ("skip".equalsIgnoreCase(text(after, "op")) || "CLOSED".equals(text(before, "status").toUpperCase())) {
      return Option.of(stored);
    }
    if ("keep".equals(text(after, "note").toLowerCase())) {
      after.put("note", before.get("note"));
    }
    return own;
  }

  private static String text(GenericRecord row, String column) {
    return String.valueOf(row.get(column));
  }
}
