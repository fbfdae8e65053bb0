package com.acme;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.hudi.common.model.HoodieRecordPayload;
import org.apache.hudi.common.model.OverwriteWithLatestAvroPayload;
import org.apache.hudi.common.util.Option;

/** Payloads that are written twice, here and in tests/jvm/twins.py. */
public class Twins {

    /** Returns a record of Avro's own: those of Hudi's class lose their schema in a shuffle from 1.1 on. */
    private static GenericRecord kept(GenericRecord record) {
        return record == null || record instanceof GenericData.Record ? record
            : GenericData.get().deepCopy(record.getSchema(), record);
    }

    /** Prefers the greater ordering value; deletes, or leaves alone, what its column `op` says. */
    public static class Latest implements HoodieRecordPayload<Latest> {
        private final GenericRecord record;
        private final Comparable orderingVal;

        public Latest(GenericRecord record, Comparable orderingVal) {
            this.record = kept(record);
            this.orderingVal = orderingVal;
        }

        public Latest(Option<GenericRecord> record) {
            this(record.isPresent() ? record.get() : null, 0);
        }

        @Override
        public Latest preCombine(Latest older) {
            if (older.orderingVal.getClass() != orderingVal.getClass()) {
                return this;
            }
            return older.orderingVal.compareTo(orderingVal) > 0 ? older : this;
        }

        @Override
        public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord current, Schema schema) {
            String op = record == null ? "delete" : String.valueOf(record.get("op"));
            if (op.equals("keep")) {
                return Option.of(current);
            }
            if (op.equals("ignore")) {
                return Option.of(HoodieRecord.SENTINEL);
            }
            return op.equals("delete") ? Option.empty() : Option.of(record);
        }

        @Override
        public Option<IndexedRecord> getInsertValue(Schema schema) {
            return record == null ? Option.empty() : Option.of(record);
        }

        @Override
        public Comparable getOrderingValue() {
            return orderingVal;
        }
    }

    /** Adds up `n`, and reads the property `acme.step`. */
    public static class Sum implements HoodieRecordPayload<Sum> {
        private final GenericRecord record;
        private final Comparable orderingVal;

        public Sum(GenericRecord record, Comparable orderingVal) {
            this.record = kept(record);
            this.orderingVal = orderingVal;
        }

        public Sum(Option<GenericRecord> record) {
            this(record.isPresent() ? record.get() : null, 0);
        }

        private static GenericRecord sum(Schema schema, GenericRecord newer, IndexedRecord older, long step) {
            GenericRecord sum = new GenericData.Record(schema);
            for (Schema.Field field : schema.getFields()) {
                sum.put(field.name(), newer.get(field.name()));
            }
            Object stored = older.get(older.getSchema().getField("n").pos());
            if (stored != null && newer.get("n") != null) {
                sum.put("n", (Long) stored + (Long) newer.get("n") + step);
            }
            return sum;
        }

        @Override
        public Sum preCombine(Sum older) {
            if (record == null || older.record == null) {
                return this;
            }
            return new Sum(sum(record.getSchema(), record, older.record, 0), orderingVal);
        }

        @Override
        public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord current, Schema schema) {
            throw new UnsupportedOperationException("three arguments");
        }

        @Override
        public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord current, Schema schema, Properties props) {
            if (record == null) {
                return Option.empty();
            }
            return Option.of(sum(schema, record, current, Long.parseLong(props.getProperty("acme.step", "1000"))));
        }

        @Override
        public Option<IndexedRecord> getInsertValue(Schema schema) {
            return Option.ofNullable(record);
        }

        @Override
        public Comparable getOrderingValue() {
            return orderingVal;
        }
    }

    /** Joins the lists `tags`, shortest memory first; deletes are those of Hudi's own classes. */
    public static class Tags extends OverwriteWithLatestAvroPayload {
        public Tags(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
        }

        public Tags(Option<GenericRecord> record) {
            super(record);
        }

        @Override
        public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord current, Schema schema) throws IOException {
            Option<IndexedRecord> own = getInsertValue(schema);
            if (!own.isPresent()) {
                return own;
            }
            // A copy: from 1.1 on readers don't see what a payload writes into the record that it was made from.
            GenericRecord merged = GenericData.get().deepCopy(schema, (GenericRecord) own.get());
            List<Object> tags = new ArrayList<>();
            Object stored = ((GenericRecord) current).get("tags");
            if (stored != null) {
                tags.addAll((List<?>) stored);
            }
            if (merged.get("tags") != null) {
                tags.addAll((List<?>) merged.get("tags"));
            }
            merged.put("tags", tags);
            merged.put("v", ((GenericRecord) current).get("v") + "+" + merged.get("v"));
            return Option.of(merged);
        }
    }

    /** Writes into the stored row, and deletes in the eyes of a writer what it inserts in those of a reader. */
    public static class Rewrites extends OverwriteWithLatestAvroPayload {
        public Rewrites(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
        }

        public Rewrites(Option<GenericRecord> record) {
            super(record);
        }

        @Override
        public boolean isDeleted(Schema schema, Properties props) {
            try {
                return !getInsertValue(schema).isPresent() || is("delete", schema);
            } catch (IOException impossible) {
                throw new IllegalStateException(impossible);
            }
        }

        @Override
        public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord current, Schema schema) throws IOException {
            Option<IndexedRecord> own = getInsertValue(schema);
            if (!own.isPresent() || is("keep", schema)) {
                return own;
            }
            if (is("ignore", schema)) {
                ((GenericRecord) current).put("v", "left at " + ((GenericRecord) own.get()).get("v"));
                return Option.of(HoodieRecord.SENTINEL);
            }
            ((GenericRecord) current).put("v", "was " + ((GenericRecord) own.get()).get("v"));
            ((GenericRecord) current).put("tags", asStrings((List<?>) ((GenericRecord) current).get("tags")));
            return Option.of(current);
        }

        /** Returns the same texts in Java's own class: a row that gets them back is unchanged. */
        private static List<String> asStrings(List<?> texts) {
            List<String> found = texts == null ? null : new ArrayList<>();
            for (int i = 0; texts != null && i < texts.size(); i++) {
                found.add(texts.get(i) == null ? null : texts.get(i).toString());
            }
            return found;
        }

        private boolean is(String op, Schema schema) throws IOException {
            return op.equals(String.valueOf(((GenericRecord) getInsertValue(schema).get()).get("op")));
        }
    }

    /** Fails in every method for some rows. */
    public static class Fails extends Latest {
        private final GenericRecord own;

        public Fails(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
            if (record != null && "ignore".equals(String.valueOf(record.get("op")))) {
                throw new IllegalArgumentException("no such operation");
            }
            own = kept(record);
        }

        public Fails(Option<GenericRecord> record) {
            this(record.isPresent() ? record.get() : null, 0);
        }

        @Override
        public Latest preCombine(Latest older) {
            if (own != null && own.get("tags") == null) {
                throw new IllegalStateException("nothing to combine");
            }
            return super.preCombine(older);
        }

        @Override
        public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord current, Schema schema) {
            if (own != null && own.get("n") == null) {
                throw new IllegalStateException("no amount");
            }
            return super.combineAndGetUpdateValue(current, schema);
        }

        @Override
        public Option<IndexedRecord> getInsertValue(Schema schema) {
            if (own != null && own.get("v") == null) {
                throw new IllegalStateException("no text");
            }
            return super.getInsertValue(schema);
        }
    }
}
