package com.acme;

import java.util.Properties;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.common.model.DefaultHoodieRecordPayload;
import org.apache.hudi.common.util.Option;

/** Event time without ties: of two equal ordering values the stored row stays. Its hook has other arguments from 1.1 on. */
public class StrictlyNewer extends DefaultHoodieRecordPayload {
  public StrictlyNewer(GenericRecord record, Comparable orderingVal) {
    super(record, orderingVal);
  }

  public StrictlyNewer(Option<GenericRecord> record) {
    super(record);
  }

  @Override
  protected boolean needUpdatingPersistedRecord(IndexedRecord stored, IndexedRecord incoming, Properties props) { // until 1.0
    return isNewer(stored, incoming); // until 1.0
  } // until 1.0
  protected boolean needUpdatingPersistedRecord(IndexedRecord stored, Option<IndexedRecord> incoming, Properties props) { // from 1.1
    return !incoming.isPresent() || isNewer(stored, incoming.get()); // from 1.1
  } // from 1.1

  private static boolean isNewer(IndexedRecord stored, IndexedRecord incoming) {
    Long before = (Long) ((GenericRecord) stored).get("ts");
    Long after = (Long) ((GenericRecord) incoming).get("ts");
    return before == null || after != null && after > before;
  }
}
