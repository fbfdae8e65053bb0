package com.acme;

import java.io.IOException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.common.model.OverwriteWithLatestAvroPayload;
import org.apache.hudi.common.util.Option;

/** A state machine: a row that is CLOSED stays as it is, in the table and within a batch. */
public class NeverReopens extends OverwriteWithLatestAvroPayload {
  private final boolean isClosed;

  public NeverReopens(GenericRecord record, Comparable orderingVal) {
    super(record, orderingVal);
    isClosed = record != null && "CLOSED".equals(String.valueOf(record.get("status")));
  }

  public NeverReopens(Option<GenericRecord> record) {
    this(record.isPresent() ? record.get() : null, 0);
  }

  @Override
  public OverwriteWithLatestAvroPayload preCombine(OverwriteWithLatestAvroPayload older) {
    return ((NeverReopens) older).isClosed ? older : isClosed ? this : super.preCombine(older);
  }

  @Override
  public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord stored, Schema schema) throws IOException {
    boolean stays = "CLOSED".equals(String.valueOf(((GenericRecord) stored).get("status")));
    return stays ? Option.of(stored) : getInsertValue(schema);
  }
}
