package com.acme;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.common.model.OverwriteWithLatestAvroPayload;
import org.apache.hudi.common.util.Option;

/** Change tracking: the row names the columns that its last version changed, and what they were before. */
public class ListsChanges extends OverwriteWithLatestAvroPayload {
  public ListsChanges(GenericRecord record, Comparable orderingVal) {
    super(record, orderingVal);
  }

  public ListsChanges(Option<GenericRecord> record) {
    super(record);
  }

  @Override
  public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord stored, Schema schema) throws IOException {
    Option<IndexedRecord> insert = getInsertValue(schema);
    if (!insert.isPresent()) {
      return Option.empty();
    }
    GenericRecord before = (GenericRecord) stored;
    GenericRecord made = GenericData.get().deepCopy(schema, (GenericRecord) insert.get());
    List<String> names = new ArrayList<>();
    StringBuilder old = new StringBuilder();
    for (Schema.Field field : schema.getFields()) {
      String name = field.name();
      boolean isData = !name.startsWith("_") && !name.equals("changed") && !name.equals("before");
      if (isData && !Objects.equals(before.get(name), made.get(name))) {
        names.add(name);
        old.append(name).append('=').append(before.get(name)).append(';');
      }
    }
    made.put("changed", names.isEmpty() ? null : String.join(",", names));
    made.put("before", old.length() == 0 ? null : old.toString());
    return Option.of(made);
  }
}
