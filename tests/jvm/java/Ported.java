package com.acme;

import java.io.IOException;
import java.util.Objects;
import java.util.Properties;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.common.model.DefaultHoodieRecordPayload;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.hudi.common.model.OverwriteNonDefaultsWithLatestAvroPayload;
import org.apache.hudi.common.model.OverwriteWithLatestAvroPayload;
import org.apache.hudi.common.model.PartialUpdateAvroPayload;
import org.apache.hudi.common.util.Option;

/** Payloads of the shapes that public classes have, translated line by line in tests/jvm/ported.py. */
public class Ported {

    /** Writes what is not null into the stored row. */
    public static class InPlace extends OverwriteWithLatestAvroPayload {
        public InPlace(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
        }

        public InPlace(Option<GenericRecord> record) {
            super(record);
        }

        @Override
        public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord current, Schema schema) throws IOException {
            Option<IndexedRecord> incoming = getInsertValue(schema);
            if (!incoming.isPresent()) {
                return Option.empty();
            }
            GenericRecord stored = (GenericRecord) current;
            GenericRecord update = (GenericRecord) incoming.get();
            for (Schema.Field field : schema.getFields()) {
                Object value = update.get(field.name());
                if (value != null && !field.name().startsWith("_hoodie_")) {
                    stored.put(field.name(), value);
                }
            }
            return Option.of(stored);
        }
    }

    /** Deletes by an operation column, and keeps the stored row on a tie. */
    public static class Hooks extends DefaultHoodieRecordPayload {
        public Hooks(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
        }

        public Hooks(Option<GenericRecord> record) {
            super(record);
        }

        @Override
        protected boolean isDeleteRecord(GenericRecord record) {
            return "delete".equals(String.valueOf(record.get("op"))) || super.isDeleteRecord(record);
        }

        @Override
        protected boolean needUpdatingPersistedRecord(IndexedRecord current, IndexedRecord incoming, Properties props) {
            if (!super.needUpdatingPersistedRecord(current, incoming, props)) {
                return false;
            }
            Object stored = ((GenericRecord) current).get("ts");
            return stored == null || !stored.equals(((GenericRecord) incoming).get("ts"));
        }
    }

    /** Takes null and "y" for gaps, and adds up n. */
    public static class Fields extends OverwriteNonDefaultsWithLatestAvroPayload {
        public Fields(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
        }

        public Fields(Option<GenericRecord> record) {
            super(record);
        }

        @Override
        public Boolean overwriteField(Object value, Object defaultValue) {
            return super.overwriteField(value, defaultValue) || "y".equals(String.valueOf(value));
        }

        @Override
        protected void setField(
                GenericRecord baseRecord, GenericRecord mergedRecord, GenericRecordBuilder builder, Schema.Field field) {
            Object base = baseRecord.get(field.name());
            Object merged = mergedRecord.get(field.name());
            if (field.name().equals("n") && base != null && merged != null) {
                builder.set(field, (Long) base + (Long) merged);
            } else {
                super.setField(baseRecord, mergedRecord, builder, field);
            }
        }
    }

    /** Keeps the greater n, whichever version is the later one. */
    public static class Partial extends PartialUpdateAvroPayload {
        public Partial(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
        }

        public Partial(Option<GenericRecord> record) {
            super(record);
        }

        @Override
        protected Option<IndexedRecord> mergeDisorderRecordsWithMetadata(
                Schema schema, GenericRecord oldRecord, GenericRecord updatingRecord, boolean isPreCombining) {
            Option<IndexedRecord> merged =
                    super.mergeDisorderRecordsWithMetadata(schema, oldRecord, updatingRecord, isPreCombining);
            if (merged.isPresent()) {
                ((GenericRecord) merged.get()).put("v", "disorder");
            }
            return merged;
        }

        @Override
        protected void setField(
                GenericRecord baseRecord, GenericRecord mergedRecord, GenericRecordBuilder builder, Schema.Field field) {
            Object base = baseRecord.get(field.name());
            Object merged = mergedRecord.get(field.name());
            if (field.name().equals("n") && base != null && merged != null) {
                builder.set(field, Math.max((Long) base, (Long) merged));
            } else {
                super.setField(baseRecord, mergedRecord, builder, field);
            }
        }
    }

    /** Counts what was merged in n. */
    public static class Counts extends OverwriteWithLatestAvroPayload {
        public Counts(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
        }

        public Counts(Option<GenericRecord> record) {
            super(record);
        }

        private static long count(IndexedRecord record) {
            Object counted = ((GenericRecord) record).get("n");
            return counted == null ? 1L : (Long) counted;
        }

        @Override
        public OverwriteWithLatestAvroPayload preCombine(
                OverwriteWithLatestAvroPayload older, Schema schema, Properties props) {
            Counts before = (Counts) older;
            if (before.recordBytes.length == 0 || recordBytes.length == 0 || isDeletedRecord) {
                return this;
            }
            try {
                GenericRecord merged = (GenericRecord) getInsertValue(schema).get();
                Option<IndexedRecord> earlier = before.getInsertValue(schema);
                merged.put("n", count(merged) + (earlier.isPresent() ? count(earlier.get()) : 0L));
                return new Counts(merged, orderingVal);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord current, Schema schema, Properties props)
                throws IOException {
            Option<IndexedRecord> incoming = super.combineAndGetUpdateValue(current, schema, props);
            if (!incoming.isPresent()) {
                return Option.empty();
            }
            GenericRecord merged = (GenericRecord) incoming.get();
            merged.put("n", count(current) + count(merged));
            return Option.of(merged);
        }
    }

    /** Writes the names of the columns that an update changes to v. */
    public static class Changes extends DefaultHoodieRecordPayload {
        private static final String[] WATCHED = {"name", "n", "op"};

        public Changes(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
        }

        public Changes(Option<GenericRecord> record) {
            super(record);
        }

        @Override
        public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord current, Schema schema, Properties props)
                throws IOException {
            Option<IndexedRecord> result = super.combineAndGetUpdateValue(current, schema, props);
            if (!result.isPresent() || result.get() == current || result.get() == HoodieRecord.SENTINEL) {
                return result;
            }
            GenericRecord merged = (GenericRecord) result.get();
            StringBuilder changed = new StringBuilder();
            for (String name : WATCHED) {
                Object before = ((GenericRecord) current).get(name);
                if (!Objects.equals(String.valueOf(before), String.valueOf(merged.get(name)))) {
                    changed.append(changed.length() == 0 ? "" : ",").append(name);
                }
            }
            merged.put("v", changed.toString());
            return Option.of(merged);
        }
    }
}
