package com.acme;

import java.io.IOException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.common.model.OverwriteWithLatestAvroPayload;
import org.apache.hudi.common.util.Option;

/** Transient state: the record that it was made of, which is gone once the object has been serialised. */
public class RemembersRecord extends OverwriteWithLatestAvroPayload {
  private transient GenericRecord source;

  public RemembersRecord(GenericRecord record, Comparable orderingVal) {
    super(record, orderingVal);
    source = record;
  }

  public RemembersRecord(Option<GenericRecord> record) {
    super(record);
  }

  @Override
  public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord stored, Schema schema) throws IOException {
    return marked(getInsertValue(schema));
  }

  private Option<IndexedRecord> marked(Option<IndexedRecord> insert) {
    if (!insert.isPresent()) {
      return insert;
    }
    GenericRecord made = GenericData.get().deepCopy(insert.get().getSchema(), (GenericRecord) insert.get());
    made.put("origin", source == null ? "bytes" : "memory");
    return Option.of(made);
  }
}
