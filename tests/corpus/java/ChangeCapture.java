package com.acme;

import java.io.IOException;
import java.util.Properties;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.common.model.OverwriteWithLatestAvroPayload;
import org.apache.hudi.common.util.Option;

/** A fork of a Debezium payload: position of the log, operation c, u or d, and values too long to be sent again. */
public class ChangeCapture extends OverwriteWithLatestAvroPayload {
  private static final String UNAVAILABLE = "__debezium_unavailable_value";

  public ChangeCapture(GenericRecord record, Comparable orderingVal) {
    super(record, orderingVal);
  }

  public ChangeCapture(Option<GenericRecord> record) {
    super(record);
  }

  @Override
  public Option<IndexedRecord> getInsertValue(Schema schema, Properties props) throws IOException {
    return getInsertValue(schema);
  }

  @Override
  public Option<IndexedRecord> getInsertValue(Schema schema) throws IOException {
    Option<IndexedRecord> insert = super.getInsertValue(schema);
    return insert.isPresent() && isDelete((GenericRecord) insert.get()) ? Option.empty() : insert;
  }

  @Override
  public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord stored, Schema schema, Properties props)
      throws IOException {
    return combineAndGetUpdateValue(stored, schema);
  }

  @Override
  public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord stored, Schema schema) throws IOException {
    Option<IndexedRecord> insert = super.getInsertValue(schema);
    if (!insert.isPresent()) {
      return Option.empty();
    }
    GenericRecord before = (GenericRecord) stored;
    GenericRecord after = (GenericRecord) insert.get();
    if (position(after) < position(before)) {
      return Option.of(stored);
    }
    if (isDelete(after)) {
      return Option.empty();
    }
    for (Schema.Field field : schema.getFields()) {
      Object value = after.get(field.name());
      if (value != null && value.toString().equals(UNAVAILABLE)) {
        after.put(field.name(), before.get(field.name()));
      }
    }
    return Option.of(after);
  }

  @Override
  protected boolean isDeleteRecord(GenericRecord record) {
    return isDelete(record) || super.isDeleteRecord(record);
  }

  private static boolean isDelete(GenericRecord record) {
    Object operation = record.get("_change_operation_type");
    return operation != null && operation.toString().equals("d");
  }

  private static long position(GenericRecord record) {
    Object position = record.get("_event_lsn");
    return position == null ? -1L : (Long) position;
  }
}
