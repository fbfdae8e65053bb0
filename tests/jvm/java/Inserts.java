package com.acme;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.hudi.common.model.HoodieRecordPayload;
import org.apache.hudi.common.model.OverwriteWithLatestAvroPayload;
import org.apache.hudi.common.util.Option;

/** Payloads whose insert values Hudi can't always write, as tests/support/insert_payloads.py has them, and some that remember. */
public class Inserts {

    private static Option<IndexedRecord> told(GenericRecord own) {
        if (own != null && "S".equals(String.valueOf(own.get("op")))) {
            return (Option) Option.of(HoodieRecord.SENTINEL);
        }
        return own == null || "E".equals(String.valueOf(own.get("op"))) ? Option.empty() : Option.of((IndexedRecord) own);
    }

    /** Extends a class of Hudi, and does not say of an E that it is a delete. */
    public static class Unsaid extends OverwriteWithLatestAvroPayload {
        public Unsaid(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
        }

        public Unsaid(Option<GenericRecord> record) {
            super(record);
        }

        @Override
        public Option<IndexedRecord> getInsertValue(Schema schema) throws IOException {
            Option<IndexedRecord> own = super.getInsertValue(schema);
            return own.isPresent() ? told((GenericRecord) own.get()) : own;
        }
    }

    /** Says so in isDeleted. */
    public static class Said extends Unsaid {
        public Said(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
        }

        @Override
        public boolean isDeleted(Schema schema, Properties props) {
            try {
                return !getInsertValue(schema).isPresent();
            } catch (IOException error) {
                throw new IllegalStateException(error);
            }
        }
    }

    /** Declares that it may give SENTINEL. */
    public static class Declares extends Unsaid {
        public Declares(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
        }

        @Override
        public boolean canProduceSentinel() {
            return true;
        }
    }

    /** Calls an E a delete, and gives its row. */
    public static class Lies extends OverwriteWithLatestAvroPayload {
        public Lies(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
        }

        @Override
        public boolean isDeleted(Schema schema, Properties props) {
            try {
                Option<IndexedRecord> own = getInsertValue(schema);
                return !own.isPresent() || "E".equals(String.valueOf(((GenericRecord) own.get()).get("op")));
            } catch (IOException error) {
                throw new IllegalStateException(error);
            }
        }
    }

    /** Has the methods of the interface alone. */
    public static class Alone implements HoodieRecordPayload<Alone> {
        private final GenericRecord record;
        private final Comparable orderingVal;

        public Alone(GenericRecord record, Comparable orderingVal) {
            this.record = record;
            this.orderingVal = orderingVal;
        }

        @Override
        public Comparable getOrderingValue() {
            return orderingVal;
        }

        @Override
        public Alone preCombine(Alone older) {
            return older.orderingVal.compareTo(orderingVal) > 0 ? older : this;
        }

        @Override
        public Option<IndexedRecord> getInsertValue(Schema schema) {
            return told(record);
        }

        @Override
        public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord current, Schema schema) {
            return told(record);
        }
    }

    /** Keeps in a field of its own what it inserts and tells as metadata. */
    public static class Remembers extends OverwriteWithLatestAvroPayload {
        private final Map<String, String> seen = new HashMap<>();

        public Remembers(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
            if (record != null) {
                seen.put("op", String.valueOf(record.get("op")));
            }
        }

        @Override
        public Option<IndexedRecord> getInsertValue(Schema schema) throws IOException {
            Option<IndexedRecord> own = super.getInsertValue(schema);
            if (own.isPresent()) {
                ((GenericRecord) own.get()).put("op", seen == null ? "lost" : "kept " + seen.get("op"));
            }
            return own;
        }
    }

    /** Fails where Hudi has lost its field. */
    public static class Tells extends Remembers {
        private final Map<String, String> told = new HashMap<>();

        public Tells(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
        }

        @Override
        public Option<Map<String, String>> getMetadata() {
            return Option.of(told);
        }
    }
}
