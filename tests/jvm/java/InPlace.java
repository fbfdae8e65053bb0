package org.apache.hudi.acme;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.hudi.common.model.OverwriteWithLatestAvroPayload;
import org.apache.hudi.common.util.Option;

/** A user's class in a package of Hudi's: what it changes of the records that it is lent, the id says. */
public class InPlace extends OverwriteWithLatestAvroPayload {
  private final GenericRecord held;

  public InPlace(GenericRecord record, Comparable orderingVal) {
    super(record, orderingVal);
    held = record;
  }

  public InPlace(Option<GenericRecord> record) {
    super(record);
    held = record.isPresent() ? record.get() : null;
  }

  @Override
  public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord current, Schema schema) throws IOException {
    GenericRecord stored = (GenericRecord) current;
    Object city = held.get("city");
    switch (String.valueOf(held.get("id"))) {
      case "gaps":
        for (Schema.Field field : held.getSchema().getFields()) {
          if (held.get(field.name()) != null) {
            stored.put(field.name(), held.get(field.name()));
          }
        }
        return Option.of(stored);
      case "sentinel":
        stored.put("city", city);
        return Option.of((IndexedRecord) HoodieRecord.SENTINEL);
      case "copy":
        GenericRecord copy = GenericData.get().deepCopy(stored.getSchema(), stored);
        stored.put("city", "lost");
        copy.put("ts", held.get("ts"));
        return Option.of(copy);
      case "own":
        held.put("note", "own");
        return Option.of(held);
      case "both":
        stored.put("city", "lost");
        held.put("note", stored.get("note"));
        return Option.of(held);
      case "array":
        ((List) stored.get("tags")).add(city);
        return Option.of(stored);
      case "map":
        ((Map) stored.get("cities")).put(city, "seen");
        return Option.of(stored);
      case "struct":
        ((GenericRecord) stored.get("box")).put("city", city);
        return Option.of(stored);
      default:
        return Option.of(stored);
    }
  }
}
