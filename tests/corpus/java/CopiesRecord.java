package com.acme;

import java.io.IOException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.common.model.OverwriteWithLatestAvroPayload;
import org.apache.hudi.common.util.Option;

/** Casts the incoming record to Avro's own class in order to copy it, which the writers of 1.1 and later do not allow. */
public class CopiesRecord extends OverwriteWithLatestAvroPayload {
  public CopiesRecord(GenericRecord record, Comparable orderingVal) {
    super(record, orderingVal);
  }

  public CopiesRecord(Option<GenericRecord> record) {
    super(record);
  }

  @Override
  public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord stored, Schema schema) throws IOException {
    Option<IndexedRecord> insert = getInsertValue(schema);
    if (!insert.isPresent()) {
      return insert;
    }
    GenericRecordBuilder builder = new GenericRecordBuilder((GenericData.Record) insert.get());
    return Option.of(builder.set("note", "copied").build());
  }
}
