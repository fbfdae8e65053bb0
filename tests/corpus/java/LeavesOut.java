package com.acme;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.common.model.OverwriteWithLatestAvroPayload;
import org.apache.hudi.common.util.Option;

/** A narrower record: answers in a schema of its own, without the nullable column that is of no use downstream. */
public class LeavesOut extends OverwriteWithLatestAvroPayload {
  public LeavesOut(GenericRecord record, Comparable orderingVal) {
    super(record, orderingVal);
  }

  public LeavesOut(Option<GenericRecord> record) {
    super(record);
  }

  @Override
  public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord stored, Schema schema) throws IOException {
    Option<IndexedRecord> insert = getInsertValue(schema);
    if (!insert.isPresent()) {
      return insert;
    }
    List<Schema.Field> fields = new ArrayList<>();
    for (Schema.Field field : schema.getFields()) {
      if (!field.name().equals("note")) {
        fields.add(new Schema.Field(field.name(), field.schema(), field.doc(), field.defaultVal()));
      }
    }
    Schema narrow = Schema.createRecord(schema.getName(), schema.getDoc(), schema.getNamespace(), false, fields);
    GenericRecord made = new GenericData.Record(narrow);
    for (Schema.Field field : fields) {
      made.put(field.name(), ((GenericRecord) insert.get()).get(field.name()));
    }
    return Option.of(made);
  }
}
