package com.acme;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Properties;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.apache.hudi.avro.HoodieAvroUtils;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.hudi.common.model.HoodieRecordPayload;
import org.apache.hudi.common.model.OverwriteWithLatestAvroPayload;
import org.apache.hudi.common.util.Option;

/**
 * Payloads whose insert value is another row than theirs, as tests/support/indexed_payloads.py has them.
 *
 * The column `op` says what: A and I have a row with 100 more, I the very record that was changed; E has none, S has
 * SENTINEL, T throws. A merge gives the row with 1000 more, or the stored row with -1 where there is no row.
 */
public class Indexed {

    private static GenericRecord copy(GenericRecord record, int v) {
        GenericRecord copy = new GenericData.Record(record.getSchema());
        for (Schema.Field field : record.getSchema().getFields()) {
            copy.put(field.pos(), record.get(field.pos()));
        }
        copy.put("v", v);
        return copy;
    }

    private static byte[] bytesOf(GenericRecord record) {
        try {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(bytes, null);
            new GenericDatumWriter<GenericRecord>(record.getSchema()).write(record, encoder);
            encoder.flush();
            return bytes.toByteArray();
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
    }

    private static String op(GenericRecord record) {
        return String.valueOf(record.get("op"));
    }

    private static int v(GenericRecord record) {
        return (Integer) record.get("v");
    }

    private static Option<IndexedRecord> told(GenericRecord own) {
        if (own == null || op(own).equals("E")) {
            return Option.empty();
        }
        switch (op(own)) {
            case "S":
                return (Option) Option.of(HoodieRecord.SENTINEL);
            case "T":
                throw new IllegalStateException("thrown by getInsertValue");
            case "A":
                return Option.of((IndexedRecord) copy(own, v(own) + 100));
            case "I":
                own.put("v", v(own) + 100);
                return Option.of((IndexedRecord) own);
            default:
                return Option.of((IndexedRecord) own);
        }
    }

    private static Option<IndexedRecord> merged(GenericRecord own, IndexedRecord current) {
        GenericRecord row = own == null ? copy((GenericRecord) current, -1) : copy(own, 1000 + v(own));
        return Option.of((IndexedRecord) row);
    }

    /** Has the methods of the interface alone, and keeps the bytes of its record. */
    public static class Alone implements HoodieRecordPayload<Alone> {
        private final byte[] bytes;
        private final Comparable orderingVal;

        public Alone(GenericRecord record, Comparable orderingVal) {
            this.bytes = record == null ? null : bytesOf(record);
            this.orderingVal = orderingVal;
        }

        public Alone(Option<GenericRecord> record) {
            this(record.isPresent() ? record.get() : null, 0);
        }

        private GenericRecord own(Schema schema) throws IOException {
            return bytes == null ? null : HoodieAvroUtils.bytesToAvro(bytes, schema);
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
        public Option<IndexedRecord> getInsertValue(Schema schema) throws IOException {
            return told(own(schema));
        }

        @Override
        public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord current, Schema schema) throws IOException {
            return merged(own(schema), current);
        }
    }

    /** Keeps the record itself, which is one without a schema after a shuffle of what a merge has made, from 1.1 on. */
    public static class Holds implements HoodieRecordPayload<Holds> {
        private final GenericRecord record;
        private final Comparable orderingVal;

        public Holds(GenericRecord record, Comparable orderingVal) {
            this.record = record;
            this.orderingVal = orderingVal;
        }

        public Holds(Option<GenericRecord> record) {
            this(record.isPresent() ? record.get() : null, 0);
        }

        @Override
        public Comparable getOrderingValue() {
            return orderingVal;
        }

        @Override
        public Holds preCombine(Holds older) {
            return older.orderingVal.compareTo(orderingVal) > 0 ? older : this;
        }

        @Override
        public Option<IndexedRecord> getInsertValue(Schema schema) {
            return told(record);
        }

        @Override
        public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord current, Schema schema) {
            return merged(record, current);
        }
    }

    /** Extends a class of Hudi, whose record is merged. */
    public static class Extends extends OverwriteWithLatestAvroPayload {
        public Extends(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
        }

        public Extends(Option<GenericRecord> record) {
            super(record);
        }

        GenericRecord own(Schema schema) throws IOException {
            Option<IndexedRecord> own = super.getInsertValue(schema);
            return own.isPresent() ? (GenericRecord) own.get() : null;
        }

        @Override
        public Option<IndexedRecord> getInsertValue(Schema schema) throws IOException {
            return told(own(schema));
        }

        @Override
        public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord current, Schema schema) throws IOException {
            return merged(own(schema), current);
        }
    }

    /** Extends one, too, and says what is merged. */
    public static class Gives extends Extends {
        public Gives(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
        }

        public Gives(Option<GenericRecord> record) {
            super(record);
        }

        public Option<IndexedRecord> getIndexedRecord(Schema schema, Properties props) throws IOException {
            return told(own(schema));
        }
    }
}
