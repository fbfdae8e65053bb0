package com.acme;

import com.acme.rates.Rates;
import java.io.IOException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.common.model.OverwriteWithLatestAvroPayload;
import org.apache.hudi.common.util.Option;

/** Several jars: the rule needs a class of a library that comes in a jar of its own. */
public class ConvertsCurrency extends OverwriteWithLatestAvroPayload {
  public ConvertsCurrency(GenericRecord record, Comparable orderingVal) {
    super(record, orderingVal);
  }

  public ConvertsCurrency(Option<GenericRecord> record) {
    super(record);
  }

  @Override
  public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord stored, Schema schema) throws IOException {
    Option<IndexedRecord> insert = getInsertValue(schema);
    if (!insert.isPresent()) {
      return insert;
    }
    GenericRecord made = GenericData.get().deepCopy(insert.get().getSchema(), (GenericRecord) insert.get());
    Object amount = made.get("amount");
    if (amount != null) {
      made.put("euros", Rates.euros((Double) amount, String.valueOf(made.get("currency"))));
    } else {
      made.put("euros", ((GenericRecord) stored).get("euros"));
    }
    return Option.of(made);
  }
}
