package com.acme;

import org.apache.avro.Schema;
import org.apache.hudi.common.config.TypedProperties;
import org.apache.hudi.common.engine.RecordContext;
import org.apache.hudi.common.model.HoodieRecord.HoodieRecordType;
import org.apache.hudi.common.model.HoodieRecordMerger;
import org.apache.hudi.common.table.read.BufferedRecord;
import org.apache.spark.sql.catalyst.InternalRow;

/** A merger for Spark's rows that makes one: the newer version with the points of both. */
public class AddsPoints implements HoodieRecordMerger {
  @Override
  @SuppressWarnings("unchecked")
  public <T> BufferedRecord<T> merge(
      BufferedRecord<T> older, BufferedRecord<T> newer, RecordContext<T> context, TypedProperties props) {
    if (older.isDelete() || newer.isDelete()) {
      return newer;
    }
    InternalRow before = (InternalRow) older.getRecord();
    InternalRow made = ((InternalRow) newer.getRecord()).copy();
    int from = place(older, context);
    int into = place(newer, context);
    if (!before.isNullAt(from)) {
      made.setLong(into, before.getLong(from) + (made.isNullAt(into) ? 0L : made.getLong(into)));
    }
    return new BufferedRecord<>(newer.getRecordKey(), newer.getOrderingValue(), (T) made, newer.getSchemaId(), null);
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
    return "0b5d9a1c-51a4-4a7e-a1f4-5f0e4a6c7d03";
  }
}
