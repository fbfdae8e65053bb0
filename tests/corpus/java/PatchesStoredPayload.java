package org.apache.hudi.common.model;

import java.io.IOException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.avro.HoodieAvroUtils;
import org.apache.hudi.common.util.Option;

/**
 * A class of a patched build, in a package of Hudi's for the sake of protected members: changes the stored row in place,
 * all columns for a newer row, those that are null for a late one.
 */
public class PatchesStoredPayload extends OverwriteWithLatestAvroPayload {
  public PatchesStoredPayload(GenericRecord record, Comparable orderingVal) {
    super(record, orderingVal);
  }

  public PatchesStoredPayload(Option<GenericRecord> record) {
    super(record);
  }

  @Override
  public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord stored, Schema schema) throws IOException {
    byte[] bytes = recordBytes; // until 1.0
    byte[] bytes = getRecordBytes(); // from 1.1
    if (bytes.length == 0 || isDeletedRecord) {
      return Option.empty();
    }
    GenericRecord incoming = HoodieAvroUtils.bytesToAvro(bytes, schema);
    GenericRecord patched = (GenericRecord) stored;
    boolean isLate = ((Long) incoming.get("ts")).compareTo((Long) patched.get("ts")) < 0;
    for (Schema.Field field : schema.getFields()) {
      boolean isMeta = field.name().startsWith("_hoodie_commit");
      if (!isMeta && (!isLate || patched.get(field.name()) == null)) {
        patched.put(field.name(), incoming.get(field.name()));
      }
    }
    return Option.of(patched);
  }
}
