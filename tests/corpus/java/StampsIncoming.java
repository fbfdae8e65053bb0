package com.acme;

import java.io.IOException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.avro.util.Utf8;
import org.apache.hudi.common.model.OverwriteWithLatestAvroPayload;
import org.apache.hudi.common.util.Option;

/** An audit column: the incoming record is changed in place, and says whether it was merged and into what. */
public class StampsIncoming extends OverwriteWithLatestAvroPayload {
  public StampsIncoming(GenericRecord record, Comparable orderingVal) {
    super(record, orderingVal);
  }

  public StampsIncoming(Option<GenericRecord> record) {
    super(record);
  }

  @Override
  public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord stored, Schema schema) throws IOException {
    Option<IndexedRecord> insert = getInsertValue(schema);
    if (insert.isPresent()) {
      GenericRecord incoming = (GenericRecord) insert.get();
      incoming.put("audit", new Utf8("over " + ((GenericRecord) stored).get("ts")));
    }
    return insert;
  }
}
