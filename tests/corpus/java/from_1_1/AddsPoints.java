package com.acme;

import org.apache.hudi.common.config.TypedProperties;
import org.apache.hudi.common.engine.RecordContext;
import org.apache.hudi.common.model.HoodieRecord.HoodieRecordType;
import org.apache.hudi.common.model.HoodieRecordMerger;
import org.apache.hudi.common.table.read.BufferedRecord;
import org.apache.spark.sql.catalyst.InternalRow;

/** A merger for Spark's rows that makes one: the newer version with the points of both. */
public class AddsPoints implements HoodieRecordMerger {
  private static final int META = 5;
  private static final int POINTS = 4;

  @Override
  @SuppressWarnings("unchecked")
  public <T> BufferedRecord<T> merge(
      BufferedRecord<T> older, BufferedRecord<T> newer, RecordContext<T> context, TypedProperties props) {
    if (older.isDelete() || newer.isDelete()) {
      return newer;
    }
    InternalRow before = (InternalRow) older.getRecord();
    InternalRow made = ((InternalRow) newer.getRecord()).copy();
    int from = place(before);
    int into = place(made);
    if (!before.isNullAt(from)) {
      made.setLong(into, before.getLong(from) + (made.isNullAt(into) ? 0L : made.getLong(into)));
    }
    return new BufferedRecord<>(newer.getRecordKey(), newer.getOrderingValue(), (T) made, newer.getSchemaId(), null);
  }

  private static int place(InternalRow row) {
    return row.numFields() > META + POINTS ? META + POINTS : POINTS;
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
