package com.acme;

import org.apache.avro.generic.GenericRecord;
import org.apache.hudi.common.model.OverwriteNonDefaultsWithLatestAvroPayload;
import org.apache.hudi.common.util.Option;

/** Keeps the stored value where a column came as null, as its default, or with a marker that says so. */
public class KeepsMarked extends OverwriteNonDefaultsWithLatestAvroPayload {
  public KeepsMarked(GenericRecord record, Comparable orderingVal) {
    super(record, orderingVal);
  }

  public KeepsMarked(Option<GenericRecord> record) {
    super(record);
  }

  @Override
  public Boolean overwriteField(Object value, Object defaultValue) {
    return value != null && value.toString().equals("__KEEP__") || super.overwriteField(value, defaultValue);
  }
}
