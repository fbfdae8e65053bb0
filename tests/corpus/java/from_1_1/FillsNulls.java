package com.acme;

import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.hudi.common.config.TypedProperties;
import org.apache.hudi.common.engine.RecordContext;
import org.apache.hudi.common.model.HoodieRecord.HoodieRecordType;
import org.apache.hudi.common.model.HoodieRecordMerger;
import org.apache.hudi.common.table.read.BufferedRecord;

/** A merger for Avro records: a new record, in which the older version fills what the newer one has not. */
public class FillsNulls implements HoodieRecordMerger {
  @Override
  @SuppressWarnings("unchecked")
  public <T> BufferedRecord<T> merge(
      BufferedRecord<T> older, BufferedRecord<T> newer, RecordContext<T> context, TypedProperties props) {
    if (older.isDelete() || newer.isDelete()) {
      return newer;
    }
    GenericRecord before = (GenericRecord) older.getRecord();
    GenericRecord after = (GenericRecord) newer.getRecord();
    GenericRecord made = new GenericData.Record(after.getSchema());
    for (Schema.Field field : after.getSchema().getFields()) {
      Object value = after.get(field.pos());
      boolean isThere = before.getSchema().getField(field.name()) != null;
      made.put(field.pos(), value == null && isThere ? before.get(field.name()) : value);
    }
    return new BufferedRecord<>(newer.getRecordKey(), newer.getOrderingValue(), (T) made, newer.getSchemaId(), null);
  }

  @Override
  public HoodieRecordType getRecordType() {
    return HoodieRecordType.AVRO;
  }

  @Override
  public String getMergingStrategy() {
    return "0b5d9a1c-51a4-4a7e-a1f4-5f0e4a6c7d01";
  }
}
