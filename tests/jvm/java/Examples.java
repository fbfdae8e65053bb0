package com.acme;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.avro.util.Utf8;
import org.apache.hudi.common.model.DefaultHoodieRecordPayload;
import org.apache.hudi.common.model.HoodieRecordPayload;
import org.apache.hudi.common.model.OverwriteWithLatestAvroPayload;
import org.apache.hudi.common.util.Option;

/** Payloads as users write them. */
public class Examples {

    /** Appends the incoming list `tags` to the stored one. */
    public static class ListAppend extends OverwriteWithLatestAvroPayload {
        public ListAppend(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
        }

        @Override
        public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord current, Schema schema) throws IOException {
            GenericRecord incoming = (GenericRecord) getInsertValue(schema).get();
            List<Object> tags = new ArrayList<>((List<?>) ((GenericRecord) current).get("tags"));
            tags.addAll((List<?>) incoming.get("tags"));
            incoming.put("tags", tags);
            return Option.of(incoming);
        }
    }

    /** Keeps a stored column where the incoming one is null. */
    public static class KeepNonNull extends DefaultHoodieRecordPayload {
        public KeepNonNull(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
        }

        @Override
        public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord current, Schema schema, Properties props)
            throws IOException {
            Option<IndexedRecord> incoming = getInsertValue(schema, props);
            if (!incoming.isPresent()) {
                return incoming;
            }
            GenericRecord merged = new GenericData.Record(schema);
            for (Schema.Field field : schema.getFields()) {
                Object value = ((GenericRecord) incoming.get()).get(field.name());
                merged.put(field.name(), value == null ? ((GenericRecord) current).get(field.name()) : value);
            }
            return Option.of(merged);
        }
    }

    /** Adds up the column `n`, within a batch and with the stored row. */
    public static class RunningSum implements HoodieRecordPayload<RunningSum> {
        private final GenericRecord record;
        private final Comparable orderingVal;

        public RunningSum(GenericRecord record, Comparable orderingVal) {
            this.record = record;
            this.orderingVal = orderingVal;
        }

        @Override
        public RunningSum preCombine(RunningSum older) {
            GenericRecord sum = GenericData.get().deepCopy(record.getSchema(), record);
            sum.put("n", (Long) record.get("n") + (Long) older.record.get("n"));
            return new RunningSum(sum, orderingVal);
        }

        @Override
        public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord current, Schema schema) {
            GenericRecord sum = new GenericData.Record(schema);
            for (Schema.Field field : schema.getFields()) {
                sum.put(field.name(), record.get(field.name()));
            }
            sum.put("n", (Long) record.get("n") + (Long) ((GenericRecord) current).get("n"));
            return Option.of(sum);
        }

        @Override
        public Option<IndexedRecord> getInsertValue(Schema schema) {
            return Option.of(record);
        }
    }

    /** Joins the texts of the column `v`; its answer holds a java.lang.String. */
    public static class Concat extends OverwriteWithLatestAvroPayload {
        public Concat(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
        }

        @Override
        public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord current, Schema schema) throws IOException {
            GenericRecord incoming = (GenericRecord) getInsertValue(schema).get();
            incoming.put("v", ((GenericRecord) current).get("v") + "+" + incoming.get("v"));
            return Option.of(incoming);
        }
    }

    /** The version that came first stays, whatever follows. */
    public static class OldestWins extends OverwriteWithLatestAvroPayload {
        public OldestWins(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
        }

        @Override
        public OverwriteWithLatestAvroPayload preCombine(OverwriteWithLatestAvroPayload older) {
            return older;
        }

        @Override
        public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord current, Schema schema) {
            return Option.of(current);
        }
    }

    /** Changes the stored record that it is lent, and answers it. */
    public static class ChangesInput extends OverwriteWithLatestAvroPayload {
        public ChangesInput(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
        }

        @Override
        public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord current, Schema schema) {
            ((GenericRecord) current).put("v", new Utf8("changed"));
            return Option.of(current);
        }
    }

    /** Only the methods that have no default. */
    public static class TwoArguments implements HoodieRecordPayload<TwoArguments> {
        private final GenericRecord record;

        public TwoArguments(GenericRecord record, Comparable orderingVal) {
            this.record = record;
        }

        @Override
        public TwoArguments preCombine(TwoArguments older) {
            return this;
        }

        @Override
        public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord current, Schema schema) {
            return getInsertValue(schema);
        }

        @Override
        public Option<IndexedRecord> getInsertValue(Schema schema) {
            return record == null ? Option.empty() : Option.of(record);
        }
    }

    /** Counts in its own state how often it was combined, and writes the number to `n`. */
    public static class Counting extends OverwriteWithLatestAvroPayload {
        private long calls = 1;

        public Counting(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
        }

        @Override
        public OverwriteWithLatestAvroPayload preCombine(OverwriteWithLatestAvroPayload older) {
            calls += ((Counting) older).calls;
            return this;
        }

        @Override
        public Option<IndexedRecord> getInsertValue(Schema schema) throws IOException {
            GenericRecord record = (GenericRecord) super.getInsertValue(schema).get();
            record.put("n", calls);
            return Option.of(record);
        }
    }

    /** Fails for the key `bad`. */
    public static class Throwing extends OverwriteWithLatestAvroPayload {
        public Throwing(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
        }

        @Override
        public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord current, Schema schema) throws IOException {
            if (((GenericRecord) current).get("id").toString().equals("bad")) {
                throw new IllegalStateException("no rule", new Refused("this order was cancelled"));
            }
            return getInsertValue(schema);
        }
    }

    /** An exception that no other JVM knows. */
    public static class Refused extends RuntimeException {
        public Refused(String message) {
            super(message);
        }
    }

    /** Lacks the constructor that a writer calls. */
    public static class NoConstructor extends OverwriteWithLatestAvroPayload {
        public NoConstructor(Option<GenericRecord> record) {
            super(record);
        }
    }

    public abstract static class Unfinished extends OverwriteWithLatestAvroPayload {
        public Unfinished(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
        }
    }

    public static class NoPayload {
        public NoPayload(GenericRecord record, Comparable orderingVal) {
        }
    }
}
