package com.acme;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Properties;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.common.model.OverwriteWithLatestAvroPayload;
import org.apache.hudi.common.util.Option;

/** Running totals: amounts and quantities add up within a batch and with the stored row, in new records. */
public class SumsAmounts extends OverwriteWithLatestAvroPayload {
  public SumsAmounts(GenericRecord record, Comparable orderingVal) {
    super(record, orderingVal);
  }

  public SumsAmounts(Option<GenericRecord> record) {
    super(record);
  }

  @Override
  public OverwriteWithLatestAvroPayload preCombine(OverwriteWithLatestAvroPayload older, Schema schema, Properties props) {
    try {
      Option<IndexedRecord> before = older.getInsertValue(schema);
      Option<IndexedRecord> after = getInsertValue(schema);
      if (!before.isPresent() || !after.isPresent()) {
        return this;
      }
      Comparable ordering = orderingVal.compareTo(older.getOrderingVal()) < 0 ? older.getOrderingVal() : orderingVal;
      return new SumsAmounts(added((GenericRecord) before.get(), (GenericRecord) after.get(), schema), ordering);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord stored, Schema schema) throws IOException {
    Option<IndexedRecord> after = getInsertValue(schema);
    if (!after.isPresent()) {
      return Option.empty();
    }
    return Option.of(added((GenericRecord) stored, (GenericRecord) after.get(), schema));
  }

  private static GenericRecord added(GenericRecord before, GenericRecord after, Schema schema) {
    GenericRecord sum = new GenericData.Record(schema);
    for (Schema.Field field : schema.getFields()) {
      sum.put(field.pos(), after.get(field.name()));
    }
    Double amount = (Double) before.get("amount");
    Long quantity = (Long) before.get("quantity");
    if (amount != null) {
      Object more = after.get("amount");
      sum.put("amount", more == null ? amount : amount + (Double) more);
    }
    if (quantity != null) {
      Object more = after.get("quantity");
      sum.put("quantity", more == null ? quantity : quantity + (Long) more);
    }
    return sum;
  }
}
