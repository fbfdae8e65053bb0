package com.acme;

import org.apache.avro.Schema;
import org.apache.hudi.common.config.TypedProperties;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.hudi.common.model.HoodieRecord.HoodieRecordType;
import org.apache.hudi.common.model.HoodieRecordMerger;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.common.util.collection.Pair;
import org.apache.spark.sql.catalyst.InternalRow;

/** A merger for Spark's rows that chooses: the version with more points; of two equal ones the newer. */
public class LargerPoints implements HoodieRecordMerger {
  @Override
  public Option<Pair<HoodieRecord, Schema>> merge(
      HoodieRecord older, Schema oldSchema, HoodieRecord newer, Schema newSchema, TypedProperties props) {
    boolean isOlder = points(older, oldSchema) > points(newer, newSchema);
    return Option.of(isOlder ? Pair.of(older, oldSchema) : Pair.of(newer, newSchema));
  }

  private static long points(HoodieRecord version, Schema schema) {
    InternalRow row = (InternalRow) version.getData();
    int place = schema.getField("points").pos();
    return row.isNullAt(place) ? Long.MIN_VALUE : row.getLong(place);
  }

  @Override
  public HoodieRecordType getRecordType() {
    return HoodieRecordType.SPARK;
  }

  @Override
  public String getMergingStrategy() {
    return "0b5d9a1c-51a4-4a7e-a1f4-5f0e4a6c7d02";
  }
}
