package com.acme;

import java.io.IOException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.common.model.OverwriteWithLatestAvroPayload;
import org.apache.hudi.common.util.Option;

/** Partial updates in place: puts the columns that came filled into the stored row, and returns that very object. */
public class FillsStored extends OverwriteWithLatestAvroPayload {
  public FillsStored(GenericRecord record, Comparable orderingVal) {
    super(record, orderingVal);
  }

  public FillsStored(Option<GenericRecord> record) {
    super(record);
  }

  @Override
  public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord stored, Schema schema) throws IOException {
    Option<IndexedRecord> insert = getInsertValue(schema);
    if (!insert.isPresent()) {
      return Option.empty();
    }
    GenericRecord incoming = (GenericRecord) insert.get();
    for (Schema.Field field : schema.getFields()) {
      Object value = incoming.get(field.name());
      if (value != null) {
        ((GenericRecord) stored).put(field.name(), value);
      }
    }
    return Option.of(stored);
  }
}
