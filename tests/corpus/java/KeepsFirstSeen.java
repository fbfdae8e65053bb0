package com.acme;

import java.io.IOException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.avro.HoodieAvroUtils;
import org.apache.hudi.common.model.DefaultHoodieRecordPayload;
import org.apache.hudi.common.util.Option;

/** The latest row, with the earliest time at which the key was seen; a late row may bring an earlier one. */
public class KeepsFirstSeen extends DefaultHoodieRecordPayload {
  public KeepsFirstSeen(GenericRecord record, Comparable orderingVal) {
    super(record, orderingVal);
  }

  public KeepsFirstSeen(Option<GenericRecord> record) {
    super(record);
  }

  @Override
  public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord stored, Schema schema, java.util.Properties props)
      throws IOException {
    byte[] bytes = recordBytes; // until 1.0
    byte[] bytes = getRecordBytes(); // from 1.1
    Option<IndexedRecord> winner = super.combineAndGetUpdateValue(stored, schema, props);
    if (!winner.isPresent() || bytes.length == 0) {
      return winner;
    }
    GenericRecord incoming = HoodieAvroUtils.bytesToAvro(bytes, schema);
    Long before = (Long) ((GenericRecord) stored).get("first_seen");
    Long after = (Long) incoming.get("first_seen");
    boolean isNewer = ((Long) incoming.get("ts")) >= ((Long) ((GenericRecord) stored).get("ts"));
    GenericRecord made = isNewer ? incoming : HoodieAvroUtils.rewriteRecord((GenericRecord) stored, schema);
    made.put("first_seen", before == null || after != null && after < before ? after : before);
    return Option.of(made);
  }
}
