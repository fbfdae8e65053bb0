package com.acme;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Properties;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.avro.HoodieAvroUtils;
import org.apache.hudi.common.model.DefaultHoodieRecordPayload;
import org.apache.hudi.common.model.FirstValueAvroPayload;
import org.apache.hudi.common.model.HoodieRecordMerger;
import org.apache.hudi.common.model.HoodieRecordPayload;
import org.apache.hudi.common.model.OverwriteNonDefaultsWithLatestAvroPayload;
import org.apache.hudi.common.model.OverwriteWithLatestAvroPayload;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.payload.AWSDmsAvroPayload;

/** Payloads that need what some releases lack, each in another place, and what asks Java about them. */
public class Linked {
    /** What most of them extend. */
    public static class Base extends OverwriteWithLatestAvroPayload {
        public Base(GenericRecord record, Comparable ordering) {
            super(record, ordering);
        }

        public Base(Option<GenericRecord> record) {
            super(record);
        }
    }

    /** Reads the field of its parent. */
    public static class Bytes extends Base {
        public Bytes(GenericRecord record, Comparable ordering) {
            super(record, ordering);
        }

        public Bytes(Option<GenericRecord> record) {
            super(record);
        }

        @Override
        public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord stored, Schema schema) throws IOException {
            return recordBytes.length == 0 ? Option.empty() : getInsertValue(schema);
        }
    }

    /** Calls a method whose parameter has become wider. */
    public static class ToBytes extends Base {
        public ToBytes(GenericRecord record, Comparable ordering) {
            super(record, ordering);
        }

        public ToBytes(Option<GenericRecord> record) {
            super(record);
        }

        @Override
        public Option<IndexedRecord> getInsertValue(Schema schema) throws IOException {
            GenericRecord own = (GenericRecord) super.getInsertValue(schema).get();
            return Option.of(HoodieAvroUtils.bytesToAvro(HoodieAvroUtils.avroToBytes(own), schema));
        }
    }

    /** Catches the error, and does without. */
    public static class Caught extends Base {
        public Caught(GenericRecord record, Comparable ordering) {
            super(record, ordering);
        }

        public Caught(Option<GenericRecord> record) {
            super(record);
        }

        @Override
        public Option<IndexedRecord> getInsertValue(Schema schema) throws IOException {
            Option<IndexedRecord> own = super.getInsertValue(schema);
            try {
                HoodieAvroUtils.avroToBytes((GenericRecord) own.get());
            } catch (NoSuchMethodError newer) {
                return own;
            }
            return own;
        }
    }

    /** Catches another error. */
    public static class CaughtOther extends Base {
        public CaughtOther(GenericRecord record, Comparable ordering) {
            super(record, ordering);
        }

        public CaughtOther(Option<GenericRecord> record) {
            super(record);
        }

        @Override
        public Option<IndexedRecord> getInsertValue(Schema schema) throws IOException {
            Option<IndexedRecord> own = super.getInsertValue(schema);
            try {
                HoodieAvroUtils.avroToBytes((GenericRecord) own.get());
            } catch (NoSuchFieldError | RuntimeException other) {
                return own;
            } finally {
                orderingVal.compareTo(orderingVal);
            }
            return own;
        }
    }

    /** Needs it which no merge reaches. */
    public static class Unused extends Base {
        public Unused(GenericRecord record, Comparable ordering) {
            super(record, ordering);
        }

        public Unused(Option<GenericRecord> record) {
            super(record);
        }

        public int size() {
            return recordBytes.length;
        }
    }

    /** Needs it in a lambda. */
    public static class InLambda extends Base {
        public InLambda(GenericRecord record, Comparable ordering) {
            super(record, ordering);
        }

        public InLambda(Option<GenericRecord> record) {
            super(record);
        }

        @Override
        public Option<IndexedRecord> getInsertValue(Schema schema) throws IOException {
            return super.getInsertValue(schema).map(row -> recordBytes.length == 0 ? null : row);
        }
    }

    /** A rule of a payload. */
    public interface Rule {
        Object of(Object value);
    }

    /** One that needs what is gone. */
    public static class Wrapping implements Rule {
        @Override
        public Object of(Object value) {
            return HoodieAvroUtils.unwrapAvroValueWrapper(HoodieAvroUtils.wrapValueIntoAvro((Comparable) value));
        }
    }

    /** One that is never made. */
    public static class Never implements Rule {
        @Override
        public Object of(Object value) {
            return HoodieAvroUtils.avroToBytes((GenericRecord) value);
        }
    }

    /** Asks a rule by its interface. */
    public static class ByRule extends Base {
        private static final Rule RULE = new Wrapping();

        public ByRule(GenericRecord record, Comparable ordering) {
            super(record, ordering);
        }

        public ByRule(Option<GenericRecord> record) {
            super(record);
        }

        @Override
        public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord stored, Schema schema) throws IOException {
            RULE.of("x");
            return getInsertValue(schema);
        }
    }

    /** Needs it in its static initialiser. */
    public static class InStatic extends Base {
        private static final Object ONE = HoodieAvroUtils.wrapValueIntoAvro("x");

        public InStatic(GenericRecord record, Comparable ordering) {
            super(record, ordering);
        }

        public InStatic(Option<GenericRecord> record) {
            super(record);
        }
    }

    /** Needs it in its constructor. */
    public static class InConstructor extends Base {
        public InConstructor(GenericRecord record, Comparable ordering) {
            super(record, ordering);
            HoodieAvroUtils.wrapValueIntoAvro("x");
        }

        public InConstructor(Option<GenericRecord> record) {
            super(record);
        }
    }

    /** Calls the hook of its parent. */
    public static class AsksParent extends DefaultHoodieRecordPayload {
        public AsksParent(GenericRecord record, Comparable ordering) {
            super(record, ordering);
        }

        public AsksParent(Option<GenericRecord> record) {
            super(record);
        }

        @Override
        public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord stored, Schema schema, Properties props)
            throws IOException {
            Option<IndexedRecord> own = getInsertValue(schema);
            return super.needUpdatingPersistedRecord(stored, own.get(), props) ? own : Option.of(stored);
        }
    }

    /** Overrides the hook of its parent, which needs what is gone where nothing calls it. */
    public static class Hook extends DefaultHoodieRecordPayload {
        public Hook(GenericRecord record, Comparable ordering) {
            super(record, ordering);
        }

        public Hook(Option<GenericRecord> record) {
            super(record);
        }

        @Override
        protected boolean needUpdatingPersistedRecord(IndexedRecord stored, IndexedRecord own, Properties props) {
            HoodieAvroUtils.wrapValueIntoAvro("x");
            return true;
        }
    }

    /** Sets a column by the hook that writes into the stored row. */
    public static class Sets extends OverwriteNonDefaultsWithLatestAvroPayload {
        public Sets(GenericRecord record, Comparable ordering) {
            super(record, ordering);
        }

        public Sets(Option<GenericRecord> record) {
            super(record);
        }

        @Override
        public Boolean overwriteField(Object value, Object defaultValue) {
            return true;
        }
    }

    /** Extends a class that has another package from 1.1 on. */
    public static class OfDms extends AWSDmsAvroPayload {
        public OfDms(GenericRecord record, Comparable ordering) {
            super(record, ordering);
        }

        public OfDms(Option<GenericRecord> record) {
            super(record);
        }
    }

    /** Extends a class that only two releases have. */
    public static class OfFirst extends FirstValueAvroPayload {
        public OfFirst(GenericRecord record, Comparable ordering) {
            super(record, ordering);
        }

        public OfFirst(Option<GenericRecord> record) {
            super(record);
        }
    }

    /** Is built by other values. */
    public static class NoBuild extends OverwriteWithLatestAvroPayload {
        public NoBuild(GenericRecord record, Long ordering) {
            super(record, ordering);
        }
    }

    /** Has the interface alone, and one constructor. */
    public static class Alone implements HoodieRecordPayload<Alone> {
        private final GenericRecord record;

        public Alone(GenericRecord record, Comparable ordering) {
            this.record = record;
        }

        @Override
        public Alone preCombine(Alone other) {
            return this;
        }

        @Override
        public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord stored, Schema schema) {
            return Option.of(record);
        }

        @Override
        public Option<IndexedRecord> getInsertValue(Schema schema) {
            return Option.of(record);
        }
    }

    /** Asks Java: builds objects of a class, calls what Hudi calls, and returns the errors of linking. */
    public static class Probe {
        private final StringBuilder found = new StringBuilder();

        /** Returns the names of the errors, with a blank after each. */
        public static String errors(String name) {
            Probe probe = new Probe();
            try {
                probe.run(Class.forName(name, true, Probe.class.getClassLoader()));
            } catch (Throwable error) {
                probe.note(error);
            }
            return probe.found.toString();
        }

        private void run(Class type) throws Exception {
            if (HoodieRecordMerger.class.isAssignableFrom(type)) {
                merge(type.getConstructor().newInstance());
                return;
            }
            Schema schema = new Schema.Parser().parse("{\"type\": \"record\", \"name\": \"r\", \"fields\": ["
                + "{\"name\": \"id\", \"type\": \"string\"}, {\"name\": \"Op\", \"type\": \"string\"}]}");
            GenericRecord row = new GenericData.Record(schema);
            row.put("id", "a");
            row.put("Op", "I");
            Class[] parameters = {GenericRecord.class, Comparable.class};
            HoodieRecordPayload older = (HoodieRecordPayload) type.getConstructor(parameters).newInstance(row, 1L);
            HoodieRecordPayload newer = (HoodieRecordPayload) type.getConstructor(parameters).newInstance(row, 2L);
            Properties props = new Properties();
            props.put("hoodie.payload.ordering.field", "id");
            for (int call = 0; call < 3; call++) {
                try {
                    switch (call) {
                        case 0:
                            newer.preCombine(older, schema, props);
                            break;
                        case 1:
                            newer.combineAndGetUpdateValue(row, schema, props);
                            break;
                        default:
                            newer.getInsertValue(schema, props);
                    }
                } catch (Throwable error) {
                    note(error);
                }
            }
        }

        private void merge(Object merger) {
            for (Method method : HoodieRecordMerger.class.getMethods()) {
                if (method.getName().equals("merge") && Modifier.isAbstract(method.getModifiers())) {
                    try {
                        method.invoke(merger, new Object[method.getParameterCount()]);
                    } catch (Throwable error) {
                        note(error);
                    }
                }
            }
        }

        /** Keeps errors of linking; a call with nothing in it may well fail otherwise. */
        private void note(Throwable thrown) {
            Throwable error = thrown;
            while (error instanceof InvocationTargetException || error instanceof ExceptionInInitializerError) {
                error = error.getCause();
            }
            if (error instanceof LinkageError || error instanceof ReflectiveOperationException) {
                found.append(error.getClass().getSimpleName()).append(' ');
            }
        }
    }
}
