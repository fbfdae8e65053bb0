package com.acme;

import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.hudi.common.config.TypedProperties;
import org.apache.hudi.common.model.HoodieAvroIndexedRecord;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.hudi.common.model.HoodieRecord.HoodieRecordType;
import org.apache.hudi.common.model.HoodieRecordMerger;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.common.util.collection.Pair;

/** A merger for Avro records: a new record, in which the older version fills what the newer one has not. */
public class FillsNulls implements HoodieRecordMerger {
  @Override
  public Option<Pair<HoodieRecord, Schema>> merge(
      HoodieRecord older, Schema oldSchema, HoodieRecord newer, Schema newSchema, TypedProperties props) {
    GenericRecord before = (GenericRecord) older.getData();
    GenericRecord after = (GenericRecord) newer.getData();
    GenericRecord made = new GenericData.Record(newSchema);
    for (Schema.Field field : newSchema.getFields()) {
      Object value = after.get(field.name());
      made.put(field.pos(), value == null ? before.get(field.name()) : value);
    }
    return Option.of(Pair.of(new HoodieAvroIndexedRecord(newer.getKey(), made), newSchema));
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
