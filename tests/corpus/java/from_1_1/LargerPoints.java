package com.acme;

import org.apache.avro.Schema;
import org.apache.hudi.common.config.TypedProperties;
import org.apache.hudi.common.engine.RecordContext;
import org.apache.hudi.common.model.HoodieRecord.HoodieRecordType;
import org.apache.hudi.common.model.HoodieRecordMerger;
import org.apache.hudi.common.table.read.BufferedRecord;
import org.apache.spark.sql.catalyst.InternalRow;

/** A merger for Spark's rows that chooses: the version with more points; of two equal ones the newer. */
public class LargerPoints implements HoodieRecordMerger {
  @Override
  public <T> BufferedRecord<T> merge(
      BufferedRecord<T> older, BufferedRecord<T> newer, RecordContext<T> context, TypedProperties props) {
    if (older.isDelete() || newer.isDelete()) {
      return newer;
    }
    return points(older, context) > points(newer, context) ? older : newer;
  }

  private static <T> long points(BufferedRecord<T> version, RecordContext<T> context) {
    InternalRow row = (InternalRow) version.getRecord();
    int place = place(version, context);
    return row.isNullAt(place) ? Long.MIN_VALUE : row.getLong(place);
  }

  /** Returns where a version has its points; 1.1 answers a schema of Avro, 1.2 one of its own. */
  private static <T> int place(BufferedRecord<T> version, RecordContext<T> context) {
    try {
      Object schema = context.getClass().getMethod("getSchemaFromBufferRecord", BufferedRecord.class)
          .invoke(context, version);
      return new Schema.Parser().parse(schema.toString()).getField("points").pos();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
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
