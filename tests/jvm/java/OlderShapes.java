package com.acme;

import java.io.IOException;
import java.util.Properties;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.avro.HoodieAvroUtils;
import org.apache.hudi.common.model.BaseAvroPayload;
import org.apache.hudi.common.model.DefaultHoodieRecordPayload;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.hudi.common.model.HoodieRecordPayload;
import org.apache.hudi.common.model.OverwriteWithLatestAvroPayload;
import org.apache.hudi.common.util.ConfigUtils;
import org.apache.hudi.common.util.Option;

/** Payloads that were written for 0.15; a line with a comment `since R` is what its line before is in release R. */
public class OlderShapes {

    /** Reads the bytes of its base class. */
    public static class ReadsBytes extends OverwriteWithLatestAvroPayload {
        public ReadsBytes(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
        }

        @Override
        public OverwriteWithLatestAvroPayload preCombine(OverwriteWithLatestAvroPayload older) {
            byte[] before = ((ReadsBytes) older).recordBytes;
            // since 1.0: byte[] before = ((ReadsBytes) older).getRecordBytes();
            return before.length == 0 || ((ReadsBytes) older).orderingVal.compareTo(orderingVal) <= 0 ? this : older;
        }

        @Override
        public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord current, Schema schema) throws IOException {
            if (recordBytes.length == 0 || isDeletedRecord) {
            // since 1.0: if (getRecordBytes().length == 0 || isDeletedRecord) {
                return Option.empty();
            }
            GenericRecord incoming = HoodieAvroUtils.bytesToAvro(recordBytes, schema);
            // since 1.0: GenericRecord incoming = HoodieAvroUtils.bytesToAvro(getRecordBytes(), schema);
            incoming.put("v", ((GenericRecord) current).get("v") + "+" + incoming.get("v"));
            return Option.of(incoming);
        }
    }

    /** Overrides a method that later releases don't call. */
    public static class DeadHook extends DefaultHoodieRecordPayload {
        public DeadHook(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
        }

        protected boolean needUpdatingPersistedRecord(IndexedRecord current, IndexedRecord incoming, Properties props) {
            return incoming.get(incoming.getSchema().getField("v").pos()) != null;
        }
    }

    /** Calls the method of its base class that took three records. */
    public static class CallsHook extends DefaultHoodieRecordPayload {
        public CallsHook(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
        }

        @Override
        public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord current, Schema schema, Properties props)
            throws IOException {
            Option<IndexedRecord> incoming = getInsertValue(schema);
            if (!incoming.isPresent()) {
                return incoming;
            }
            boolean isNewer = needUpdatingPersistedRecord(current, incoming.get(), props);
            // since 1.1: boolean isNewer = needUpdatingPersistedRecord(current, incoming, props);
            String field = ConfigUtils.getOrderingField(props);
            // since 1.1: String field = ConfigUtils.getOrderingFieldsStr(props);
            GenericRecord merged = GenericData.get().deepCopy(schema, (GenericRecord) (isNewer ? incoming.get() : current));
            merged.put("v", merged.get("v") + "/" + field);
            return Option.of(merged);
        }
    }

    /** Adds to the stored row that it is lent, and returns it. */
    public static class InPlace extends OverwriteWithLatestAvroPayload {
        public InPlace(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
        }

        @Override
        public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord current, Schema schema) throws IOException {
            Option<IndexedRecord> incoming = getInsertValue(schema);
            if (!incoming.isPresent()) {
                return Option.empty();
            }
            GenericRecord stored = (GenericRecord) current;
            int size = HoodieAvroUtils.avroToBytes((GenericRecord) incoming.get()).length;
            // since 1.0: int size = HoodieAvroUtils.avroToBytes(incoming.get()).length;
            stored.put("n", (Long) stored.get("n") + size);
            return Option.of(current);
        }
    }

    /** Leaves the stored row to itself where it is as new. */
    public static class LeavesAlone extends OverwriteWithLatestAvroPayload {
        public LeavesAlone(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
        }

        @Override
        public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord current, Schema schema) throws IOException {
            if (recordBytes.length == 0) {
            // since 1.0: if (getRecordBytes().length == 0) {
                return Option.empty();
            }
            Comparable stored = (Comparable) ((GenericRecord) current).get("ts");
            return stored.compareTo(orderingVal) >= 0 ? (Option) Option.of(HoodieRecord.SENTINEL) : getInsertValue(schema);
        }

        @Override
        public boolean canProduceSentinel() {
            return true;
        }
    }

    /** Makes a record of both, with the code of a helper that is gone. */
    public static class MakesRecord extends BaseAvroPayload implements HoodieRecordPayload<MakesRecord> {
        public MakesRecord(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
        }

        @Override
        public MakesRecord preCombine(MakesRecord older) {
            return older.orderingVal.compareTo(orderingVal) > 0 ? older : this;
        }

        @Override
        public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord current, Schema schema) throws IOException {
            Option<IndexedRecord> incoming = getInsertValue(schema);
            if (!incoming.isPresent()) {
                return Option.empty();
            }
            GenericRecord merged = new GenericData.Record(schema);
            for (Schema.Field field : schema.getFields()) {
                boolean isMeta = HoodieAvroUtils.isMetadataField(field.name());
                // since 1.2: boolean isMeta = HoodieRecord.HOODIE_META_COLUMNS.contains(field.name());
                Object value = isMeta ? null : ((GenericRecord) incoming.get()).get(field.name());
                merged.put(field.name(), value == null ? ((GenericRecord) current).get(field.name()) : value);
            }
            return Option.of(merged);
        }

        @Override
        public Option<IndexedRecord> getInsertValue(Schema schema) throws IOException {
            return recordBytes.length == 0 ? Option.empty() : Option.of(HoodieAvroUtils.bytesToAvro(recordBytes, schema));
            // since 1.0: byte[] bytes = getRecordBytes(); return bytes.length == 0 ? Option.empty() : Option.of(HoodieAvroUtils.bytesToAvro(bytes, schema));
        }
    }

    /** Deletes by an empty answer where the text says so. */
    public static class DeletesByEmpty extends OverwriteWithLatestAvroPayload {
        public DeletesByEmpty(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
        }

        @Override
        protected boolean isDeleteRecord(GenericRecord record) {
            return super.isDeleteRecord(record) || record != null && "x".equals(String.valueOf(record.get("v")));
        }

        @Override
        public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord current, Schema schema) throws IOException {
            return recordBytes.length == 0 ? Option.empty() : getInsertValue(schema);
            // since 1.0: return getRecordBytes().length == 0 ? Option.empty() : getInsertValue(schema);
        }
    }

    /** Asks its base class which version of a batch is the later one. */
    public static class AsksSuper extends OverwriteWithLatestAvroPayload {
        public AsksSuper(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
        }

        @Override
        public OverwriteWithLatestAvroPayload preCombine(OverwriteWithLatestAvroPayload older) {
            return recordBytes.length == 0 ? this : super.preCombine(older);
            // since 1.0: return getRecordBytes().length == 0 ? this : super.preCombine(older);
        }

        @Override
        public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord current, Schema schema) throws IOException {
            Option<IndexedRecord> merged = super.combineAndGetUpdateValue(current, schema);
            if (merged.isPresent()) {
                GenericRecord record = (GenericRecord) merged.get();
                record.put("n", (Long) record.get("n") + 1000L);
            }
            return merged;
        }
    }
}
