package com.acme;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.common.model.OverwriteWithLatestAvroPayload;
import org.apache.hudi.common.util.Option;

/** Statics: the positions of a schema's columns are looked up once, and calls are counted, in fields of the class. */
public class CachesPositions extends OverwriteWithLatestAvroPayload {
  private static final Map<Schema, int[]> POSITIONS = new ConcurrentHashMap<>();
  private static final AtomicLong CALLS = new AtomicLong();

  public CachesPositions(GenericRecord record, Comparable orderingVal) {
    super(record, orderingVal);
  }

  public CachesPositions(Option<GenericRecord> record) {
    super(record);
  }

  @Override
  public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord stored, Schema schema) throws IOException {
    if (CALLS.incrementAndGet() < POSITIONS.size()) {
      throw new IllegalStateException("more schemas than calls");
    }
    Option<IndexedRecord> insert = getInsertValue(schema);
    if (!insert.isPresent()) {
      return insert;
    }
    IndexedRecord made = insert.get();
    int[] into = POSITIONS.computeIfAbsent(made.getSchema(), CachesPositions::positions);
    int[] from = POSITIONS.computeIfAbsent(stored.getSchema(), CachesPositions::positions);
    for (int place = 0; place < into.length; place++) {
      if (made.get(into[place]) == null) {
        made.put(into[place], stored.get(from[place]));
      }
    }
    return Option.of(made);
  }

  private static int[] positions(Schema schema) {
    return new int[] {schema.getField("city").pos(), schema.getField("points").pos()};
  }
}
