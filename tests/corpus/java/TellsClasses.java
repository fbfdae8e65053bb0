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

/** Says of which classes the records are that it gets, on which a cast in the code of a user hangs. */
public class TellsClasses extends OverwriteWithLatestAvroPayload {
  public TellsClasses(GenericRecord record, Comparable orderingVal) {
    super(record, orderingVal);
  }

  public TellsClasses(Option<GenericRecord> record) {
    super(record);
  }

  @Override
  public OverwriteWithLatestAvroPayload preCombine(OverwriteWithLatestAvroPayload older, Schema schema, Properties props) {
    try {
      Option<IndexedRecord> before = ((TellsClasses) older).plain(schema);
      Option<IndexedRecord> after = plain(schema);
      if (!before.isPresent() || !after.isPresent()) {
        return this;
      }
      return new TellsClasses(told(after.get(), "batch " + name(before.get()) + " " + name(after.get())), orderingVal);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord stored, Schema schema) throws IOException {
    Option<IndexedRecord> after = plain(schema);
    return after.isPresent() ? Option.of(told(after.get(), name(stored) + " " + name(after.get()))) : after;
  }

  @Override
  public Option<IndexedRecord> getInsertValue(Schema schema) throws IOException {
    Option<IndexedRecord> after = plain(schema);
    return after.isPresent() ? Option.of(told(after.get(), "insert " + name(after.get()))) : after;
  }

  private Option<IndexedRecord> plain(Schema schema) throws IOException {
    return super.getInsertValue(schema);
  }

  private static GenericRecord told(IndexedRecord record, String what) {
    GenericRecord made = GenericData.get().deepCopy(record.getSchema(), (GenericRecord) record);
    Object before = made.get("told");
    made.put("told", before == null ? what : before + ", " + what);
    return made;
  }

  private static String name(IndexedRecord record) {
    return record.getClass().getSimpleName();
  }
}
