package com.acme;

import org.apache.hudi.common.config.TypedProperties;
import org.apache.hudi.common.engine.RecordContext;
import org.apache.hudi.common.model.HoodieRecord.HoodieRecordType;
import org.apache.hudi.common.model.HoodieRecordMerger;
import org.apache.hudi.common.table.read.BufferedRecord;
import org.apache.spark.sql.catalyst.InternalRow;

/** A merger for Spark's rows that chooses: the version with more points; of two equal ones the newer. */
public class LargerPoints implements HoodieRecordMerger {
  private static final int META = 5;
  private static final int POINTS = 4;

  @Override
  public <T> BufferedRecord<T> merge(
      BufferedRecord<T> older, BufferedRecord<T> newer, RecordContext<T> context, TypedProperties props) {
    if (older.isDelete() || newer.isDelete()) {
      return newer;
    }
    return points((InternalRow) older.getRecord()) > points((InternalRow) newer.getRecord()) ? older : newer;
  }

  private static long points(InternalRow row) {
    int place = row.numFields() > META + POINTS ? META + POINTS : POINTS;
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
