package com.acme;

import org.apache.avro.Schema;
import org.apache.hudi.common.config.TypedProperties;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.hudi.common.model.HoodieRecord.HoodieRecordType;
import org.apache.hudi.common.model.HoodieRecordMerger;
import org.apache.hudi.common.model.HoodieSparkRecord;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.common.util.collection.Pair;
import org.apache.spark.sql.HoodieInternalRowUtils;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.StructType;

/** A merger for Spark's rows that makes one: the newer version with the points of both. */
public class AddsPoints implements HoodieRecordMerger {
  @Override
  public Option<Pair<HoodieRecord, Schema>> merge(
      HoodieRecord older, Schema oldSchema, HoodieRecord newer, Schema newSchema, TypedProperties props) {
    InternalRow before = (InternalRow) older.getData();
    InternalRow after = (InternalRow) newer.getData();
    StructType columns = HoodieInternalRowUtils.getCachedSchema(newSchema);
    Object[] values = new Object[columns.length()];
    for (int place = 0; place < values.length; place++) {
      values[place] = after.isNullAt(place) ? null : after.get(place, columns.apply(place).dataType());
    }
    int from = oldSchema.getField("points").pos();
    int into = newSchema.getField("points").pos();
    if (!before.isNullAt(from)) {
      values[into] = before.getLong(from) + (values[into] == null ? 0L : (Long) values[into]);
    }
    InternalRow made = new GenericInternalRow(values).copy();
    return Option.of(Pair.of(new HoodieSparkRecord(newer.getKey(), made, columns, false), newSchema));
  }

  @Override
  public HoodieRecordType getRecordType() {
    return HoodieRecordType.SPARK;
  }

  @Override
  public String getMergingStrategy() {
    return "0b5d9a1c-51a4-4a7e-a1f4-5f0e4a6c7d03";
  }
}
