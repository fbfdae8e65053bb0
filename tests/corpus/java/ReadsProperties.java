package com.acme;

import java.io.IOException;
import java.util.Properties;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.common.model.OverwriteWithLatestAvroPayload;
import org.apache.hudi.common.util.Option;

/** Settings of its own: a property of the writer names the columns that the first version sets for good. */
public class ReadsProperties extends OverwriteWithLatestAvroPayload {
  public ReadsProperties(GenericRecord record, Comparable orderingVal) {
    super(record, orderingVal);
  }

  public ReadsProperties(Option<GenericRecord> record) {
    super(record);
  }

  @Override
  public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord stored, Schema schema, Properties props)
      throws IOException {
    Option<IndexedRecord> insert = getInsertValue(schema, props);
    if (!insert.isPresent()) {
      return Option.empty();
    }
    GenericRecord made = GenericData.get().deepCopy(insert.get().getSchema(), (GenericRecord) insert.get());
    String kept = props.getProperty("acme.keep.columns", "");
    for (String name : kept.isEmpty() ? new String[0] : kept.split(",")) {
      Object before = ((GenericRecord) stored).get(name);
      if (before != null) {
        made.put(name, before);
      }
    }
    made.put("kept", kept.isEmpty() ? "nothing" : kept);
    return Option.of(made);
  }
}
