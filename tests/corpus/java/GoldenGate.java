package com.acme;

import java.io.IOException;
import java.util.Properties;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.avro.HoodieAvroUtils;
import org.apache.hudi.common.model.BaseAvroPayload;
import org.apache.hudi.common.model.HoodieRecordPayload;
import org.apache.hudi.common.util.Option;

/**
 * GoldenGate: op_type I, U or D, op_ts as text; an update brings changed columns alone. It extends the base class and
 * writes out the interface, as forks of the first payloads do.
 */
public class GoldenGate extends BaseAvroPayload implements HoodieRecordPayload<GoldenGate> {
  public GoldenGate(GenericRecord record, Comparable orderingVal) {
    super(record, orderingVal);
  }

  public GoldenGate(Option<GenericRecord> record) {
    this(record.isPresent() ? record.get() : null, "");
  }

  @Override
  public GoldenGate preCombine(GoldenGate older) {
    return orderingVal.toString().compareTo(older.orderingVal.toString()) < 0 ? older : this;
  }

  @Override
  public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord stored, Schema schema) throws IOException {
    GenericRecord before = (GenericRecord) stored;
    GenericRecord after = decoded(schema);
    Object last = before.get("op_ts");
    if (after != null && last != null && last.toString().compareTo(String.valueOf(after.get("op_ts"))) > 0) {
      return Option.of(stored);
    }
    if (after == null || isDelete(after)) {
      return Option.empty();
    }
    for (Schema.Field field : schema.getFields()) {
      if (after.get(field.name()) == null) {
        after.put(field.name(), before.get(field.name()));
      }
    }
    return Option.of(after);
  }

  @Override
  public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord stored, Schema schema, Properties props)
      throws IOException {
    return combineAndGetUpdateValue(stored, schema);
  }

  @Override
  public Option<IndexedRecord> getInsertValue(Schema schema) throws IOException {
    GenericRecord record = decoded(schema);
    return record == null || isDelete(record) ? Option.empty() : Option.of(record);
  }

  @Override // from 1.1
  public Option<IndexedRecord> getIndexedRecord(Schema schema, Properties props) throws IOException { // from 1.1
    return super.getIndexedRecord(schema, props); // from 1.1
  } // from 1.1

  @Override
  public Comparable<?> getOrderingValue() {
    return orderingVal;
  }

  @Override
  protected boolean isDeleteRecord(GenericRecord record) {
    return isDelete(record);
  }

  private GenericRecord decoded(Schema schema) throws IOException {
    return recordBytes.length == 0 ? null : HoodieAvroUtils.bytesToAvro(recordBytes, schema); // until 1.0
    return getRecordBytes().length == 0 ? null : HoodieAvroUtils.bytesToAvro(getRecordBytes(), schema); // from 1.1
  }

  private static boolean isDelete(GenericRecord record) {
    return "D".equals(String.valueOf(record.get("op_type")));
  }
}
