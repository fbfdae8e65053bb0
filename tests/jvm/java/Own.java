package com.acme;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.common.model.HoodieRecordPayload;
import org.apache.hudi.common.model.OverwriteWithLatestAvroPayload;
import org.apache.hudi.common.util.Option;

/** Payloads with fields of their own, and with records of a schema of their own. */
public final class Own {
  private Own() {
  }

  private static GenericRecord noted(GenericRecord record, Schema schema, String note) {
    GenericRecord made = new GenericData.Record(schema);
    for (Schema.Field field : schema.getFields()) {
      made.put(field.name(), record.hasField(field.name()) ? record.get(field.name()) : null);
    }
    made.put("note", note);
    return made;
  }

  /** Writes down what its fields hold when it is asked: one is transient, one is not. */
  public static class Remembers extends OverwriteWithLatestAvroPayload {
    private transient String passing;
    private String lasting;

    public Remembers(GenericRecord record, Comparable orderingVal) {
      super(record, orderingVal);
      passing = "new";
      lasting = "new";
    }

    public Remembers(Option<GenericRecord> record) {
      this(record.isPresent() ? record.get() : null, 0);
    }

    @Override
    public OverwriteWithLatestAvroPayload preCombine(OverwriteWithLatestAvroPayload older) {
      passing = "after " + ((Remembers) older).passing;
      lasting = "after " + ((Remembers) older).lasting;
      return this;
    }

    @Override
    public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord current, Schema schema) throws IOException {
      return told("update", schema);
    }

    @Override
    public Option<IndexedRecord> getInsertValue(Schema schema) throws IOException {
      return told("insert", schema);
    }

    private Option<IndexedRecord> told(String call, Schema schema) throws IOException {
      Option<IndexedRecord> value = super.getInsertValue(schema);
      return value.isPresent() ? Option.of(noted((GenericRecord) value.get(), schema,
          call + ": " + passing + ", " + lasting)) : value;
    }
  }

  /** The same without Hudi's base class: Kryo writes all its fields but the transient one. */
  public static class Plain implements HoodieRecordPayload<Plain> {
    private final GenericRecord held;
    private transient String passing = "new";
    private String lasting = "new";

    public Plain(GenericRecord record, Comparable orderingVal) {
      held = record == null ? null : GenericData.get().deepCopy(record.getSchema(), record);
    }

    public Plain(Option<GenericRecord> record) {
      this(record.isPresent() ? record.get() : null, 0);
    }

    @Override
    public Plain preCombine(Plain older) {
      passing = "after " + older.passing;
      lasting = "after " + older.lasting;
      return this;
    }

    @Override
    public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord current, Schema schema) {
      return told("update", schema);
    }

    @Override
    public Option<IndexedRecord> getInsertValue(Schema schema) {
      return told("insert", schema);
    }

    private Option<IndexedRecord> told(String call, Schema schema) {
      return held == null ? Option.empty()
          : Option.of(noted(held, schema, call + ": " + passing + ", " + lasting));
    }
  }

  /** Leaves the column of its record's note out of the answer of the method that the id names. */
  public static class Narrow extends OverwriteWithLatestAvroPayload {
    public Narrow(GenericRecord record, Comparable orderingVal) {
      super(record, orderingVal);
    }

    public Narrow(Option<GenericRecord> record) {
      super(record);
    }

    @Override
    public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord current, Schema schema) throws IOException {
      return answer("combine", super.getInsertValue(schema));
    }

    @Override
    public Option<IndexedRecord> getInsertValue(Schema schema) throws IOException {
      return answer("insert", super.getInsertValue(schema));
    }

    private static Option<IndexedRecord> answer(String method, Option<IndexedRecord> value) {
      GenericRecord record = (GenericRecord) value.get();
      String[] id = String.valueOf(record.get("id")).split(" without ");
      return id[0].equals(method) ? Option.of(without(record, id[1])) : value;
    }

    private static GenericRecord without(GenericRecord record, String column) {
      Schema schema = record.getSchema();
      List<Schema.Field> fields = new ArrayList<>();
      for (Schema.Field field : schema.getFields()) {
        if (!field.name().equals(column)) {
          fields.add(new Schema.Field(field.name(), field.schema(), field.doc(), field.defaultVal()));
        }
      }
      GenericRecord made = new GenericData.Record(Schema.createRecord("Narrow", null, "com.acme", false, fields));
      for (Schema.Field field : fields) {
        made.put(field.name(), record.get(field.name()));
      }
      return made;
    }
  }
}
