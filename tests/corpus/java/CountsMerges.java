package com.acme;

import java.io.IOException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.common.model.OverwriteWithLatestAvroPayload;
import org.apache.hudi.common.util.Option;

/** A counter of versions: those of a batch in a field of the object, those before in a column of the stored row. */
public class CountsMerges extends OverwriteWithLatestAvroPayload {
  private int versions = 1;

  public CountsMerges(GenericRecord record, Comparable orderingVal) {
    super(record, orderingVal);
  }

  public CountsMerges(Option<GenericRecord> record) {
    super(record);
  }

  @Override
  public OverwriteWithLatestAvroPayload preCombine(OverwriteWithLatestAvroPayload older) {
    CountsMerges kept = (CountsMerges) super.preCombine(older);
    kept.versions = versions + ((CountsMerges) older).versions;
    return kept;
  }

  @Override
  public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord stored, Schema schema) throws IOException {
    Integer before = (Integer) ((GenericRecord) stored).get("merges");
    return counted(super.getInsertValue(schema), before == null ? 0 : before);
  }

  @Override
  public Option<IndexedRecord> getInsertValue(Schema schema) throws IOException {
    return counted(super.getInsertValue(schema), 0);
  }

  private Option<IndexedRecord> counted(Option<IndexedRecord> record, int before) {
    if (record.isPresent()) {
      ((GenericRecord) record.get()).put("merges", before + versions);
    }
    return record;
  }
}
