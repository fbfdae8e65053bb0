package com.acme;

import org.apache.avro.generic.GenericRecord;
import org.apache.hudi.common.model.OverwriteWithLatestAvroPayload;
import org.apache.hudi.common.util.Option;

/** Deletes by an operation column, by the hook of the base class that says what a delete is, and by nothing else. */
public class DeletesByHook extends OverwriteWithLatestAvroPayload {
  public DeletesByHook(GenericRecord record, Comparable orderingVal) {
    super(record, orderingVal);
  }

  public DeletesByHook(Option<GenericRecord> record) {
    super(record);
  }

  @Override
  protected boolean isDeleteRecord(GenericRecord record) {
    Object operation = record.get("op");
    return operation != null && operation.toString().equalsIgnoreCase("D") || super.isDeleteRecord(record);
  }
}
