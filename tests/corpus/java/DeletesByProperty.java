package com.acme;

import java.io.IOException;
import java.util.Properties;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.common.model.OverwriteWithLatestAvroPayload;
import org.apache.hudi.common.util.Option;

/** Deletes by a column and a value that properties name; a delete of a key that is not stored inserts nothing. */
public class DeletesByProperty extends OverwriteWithLatestAvroPayload {
  public DeletesByProperty(GenericRecord record, Comparable orderingVal) {
    super(record, orderingVal);
  }

  public DeletesByProperty(Option<GenericRecord> record) {
    super(record);
  }

  @Override
  public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord stored, Schema schema, Properties props)
      throws IOException {
    return getInsertValue(schema, props);
  }

  @Override
  public Option<IndexedRecord> getInsertValue(Schema schema, Properties props) throws IOException {
    Option<IndexedRecord> insert = getInsertValue(schema);
    String column = props.getProperty("acme.delete.column", "op");
    String value = props.getProperty("acme.delete.value", "D");
    if (!insert.isPresent() || schema.getField(column) == null) {
      return insert;
    }
    return value.equals(String.valueOf(((GenericRecord) insert.get()).get(column))) ? Option.empty() : insert;
  }
}
