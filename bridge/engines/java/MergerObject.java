package bridge.jvm;

import java.lang.invoke.LambdaMetafactory;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Properties;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.hudi.common.config.TypedProperties;
import org.apache.hudi.common.model.HoodieAvroIndexedRecord;
import org.apache.hudi.common.model.HoodieKey;
import org.apache.hudi.common.model.HoodieOperation;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.hudi.common.model.HoodieRecordMerger;
import org.apache.hudi.common.model.OperationModeAwareness;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.common.util.collection.Pair;

/**
 * A user's merger: one call of its `merge`, in the interface of this Hudi, and what it answers.
 *
 * What an older Hudi lacks is found by its name, and so is what a later one dropped: either may compile this source.
 */
abstract class MergerObject {
    /** What `merge` is until 1.0; later releases have another. */
    static final Class[] UNTIL_1_0 =
        new Class[] {HoodieRecord.class, Schema.class, HoodieRecord.class, Schema.class, TypedProperties.class};

    /** A version as a merger is handed it: no record in a delete without data. */
    static final class Side {
        final GenericRecord record;
        final Comparable ordering;
        final boolean isDelete;

        Side(GenericRecord record, Comparable ordering, boolean isDelete) {
            this.record = record;
            this.ordering = ordering;
            this.isDelete = isDelete;
        }
    }

    /** What a merger answers: no data in a delete, and no `side` where it made an object of its own. */
    static final class Answer {
        final Side side;
        final GenericRecord data;
        final Comparable ordering;
        final boolean isDelete;

        Answer(Side side, GenericRecord data, Comparable ordering, boolean isDelete) {
            this.side = side;
            this.data = data;
            this.ordering = ordering;
            this.isDelete = isDelete;
        }
    }

    /** Merges two versions; null where an empty answer deletes the row. */
    abstract Answer merge(HoodieKey key, Schema schema, Side older, Side newer) throws Exception;

    static MergerObject of(String name, boolean preCombines, Properties props) throws Throwable {
        HoodieRecordMerger made =
            (HoodieRecordMerger) named(name).getConstructor(new Class[0]).newInstance(new Object[0]);
        return MergerChecks.merge().getParameterTypes()[0] == HoodieRecord.class ? (MergerObject) new Until10(made, props)
            : new Since11(made, preCombines, props);
    }

    private static Class named(String name) throws ClassNotFoundException {
        return MergerObject.class.getClassLoader().loadClass(name);
    }

    private static GenericRecord checked(Object data, String wanted) {
        if (data == null || data instanceof GenericRecord) {
            return (GenericRecord) data;
        }
        throw new RecordError("merge answered a record that holds a " + data.getClass().getName() + "; it must answer a "
            + wanted + " with a GenericRecord");
    }

    /** It is handed two Avro records; deletes never reach it. */
    private static final class Until10 extends MergerObject {
        private final Merge merger;
        private final Properties props;

        /** `merge` as a function: a later Hudi, which may compile this, has none of these parameters. */
        interface Merge {
            Object merge(Object older, Object olderSchema, Object newer, Object newerSchema, Object props)
                throws Exception;
        }

        Until10(HoodieRecordMerger target, Properties props) throws Throwable {
            this.props = props;
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            MethodHandle handle = lookup.unreflect(HoodieRecordMerger.class.getMethod("merge", UNTIL_1_0));
            MethodType factory = MethodType.methodType(Merge.class, HoodieRecordMerger.class);
            MethodType called = handle.type().dropParameterTypes(0, 1);
            merger = (Merge) LambdaMetafactory.metafactory(lookup, "merge", factory, called.generic(), handle, called)
                .getTarget().invokeWithArguments(new Object[] {target});
        }

        Answer merge(HoodieKey key, Schema schema, Side older, Side newer) throws Exception {
            HoodieRecord first = new HoodieAvroIndexedRecord(key, older.record);
            HoodieRecord second = new HoodieAvroIndexedRecord(key, newer.record);
            Option answer = (Option) merger.merge(first, schema, second, schema, props);
            if (answer == null) {
                throw new RecordError("merge answered null; it must answer an Option, an empty one for a delete");
            }
            if (!answer.isPresent()) {
                return null;
            }
            HoodieRecord record = (HoodieRecord) ((Pair) answer.get()).getLeft();
            GenericRecord data = checked(record.getData(), "HoodieAvroIndexedRecord");
            Comparable ordering = data == null ? orderingOf(record, schema) : null;
            return new Answer(record == first ? older : record == second ? newer : null, data, ordering, data == null);
        }

        /** Returns the ordering value of a delete that the merger made (HoodieEmptyRecord). */
        private Comparable orderingOf(HoodieRecord record, Schema schema) throws Exception {
            return (Comparable) HoodieRecord.class
                .getMethod("getOrderingValue", new Class[] {Schema.class, Properties.class})
                .invoke(record, new Object[] {schema, props});
        }
    }

    /** It is handed two BufferedRecords with Avro records, deletes too. */
    private static final class Since11 extends MergerObject {
        private static final String BUFFERED = "org.apache.hudi.common.table.read.BufferedRecord";
        private static final String CONTEXT = "org.apache.hudi.avro.AvroRecordContext";
        private static final String SCHEMA = "org.apache.hudi.common.schema.HoodieSchema";

        private final HoodieRecordMerger merger;
        private final Properties props;
        private final Method merge;
        private final Constructor buffered;
        private final Method recordOf;
        private final Method orderingOf;
        private final Method isDelete;
        private final Object recordContext;
        private Schema numbered;
        private Object schemaId;

        Since11(HoodieRecordMerger made, boolean preCombines, Properties props) throws Exception {
            this.props = props;
            merger = preCombines && made instanceof OperationModeAwareness
                ? ((OperationModeAwareness) made).asPreCombiningMode() : made;
            merge = MergerChecks.merge();
            Class version = named(BUFFERED);
            buffered = version.getConstructor(
                new Class[] {String.class, Comparable.class, Object.class, Integer.class, HoodieOperation.class});
            recordOf = version.getMethod("getRecord", new Class[0]);
            orderingOf = version.getMethod("getOrderingValue", new Class[0]);
            isDelete = version.getMethod("isDelete", new Class[0]);
            recordContext =
                named(CONTEXT).getMethod("getFieldAccessorInstance", new Class[0]).invoke(null, new Object[0]);
        }

        Answer merge(HoodieKey key, Schema schema, Side older, Side newer) throws Exception {
            if (schema != numbered) {
                schemaId = idOf(schema);
                numbered = schema;
            }
            Object first = lent(key, older);
            Object second = lent(key, newer);
            Object answer = asked(merge, merger, new Object[] {first, second, recordContext, props});
            if (answer == null) {
                throw new RecordError("merge answered null; it must answer a BufferedRecord, which for a delete has the "
                    + "operation DELETE");
            }
            GenericRecord data = checked(asked(recordOf, answer, new Object[0]), "BufferedRecord");
            Comparable ordering = (Comparable) asked(orderingOf, answer, new Object[0]);
            boolean deletes = ((Boolean) asked(isDelete, answer, new Object[0])).booleanValue();
            return new Answer(answer == first ? older : answer == second ? newer : null, data, ordering, deletes);
        }

        /** Hudi 1.1 numbers an Avro schema, 1.2 one of its own around it. */
        private Object idOf(Schema schema) throws Exception {
            Class context = recordContext.getClass();
            try {
                return context.getMethod("encodeAvroSchema", new Class[] {Schema.class})
                    .invoke(recordContext, new Object[] {schema});
            } catch (NoSuchMethodException since12) {
                Object wrapped = named(SCHEMA).getMethod("fromAvroSchema", new Class[] {Schema.class})
                    .invoke(null, new Object[] {schema});
                return context.getMethod("encodeSchema", new Class[] {named(SCHEMA)})
                    .invoke(recordContext, new Object[] {wrapped});
            }
        }

        private Object lent(HoodieKey key, Side side) throws Exception {
            Object operation = side.isDelete ? HoodieOperation.DELETE : null;
            return buffered.newInstance(
                new Object[] {key.getRecordKey(), side.ordering, side.record, schemaId, operation});
        }

        /** Calls a method; what it throws comes as it is. */
        private static Object asked(Method method, Object target, Object[] arguments) throws Exception {
            try {
                return method.invoke(target, arguments);
            } catch (InvocationTargetException failed) {
                if (failed.getCause() instanceof Error) {
                    throw (Error) failed.getCause();
                }
                throw (Exception) failed.getCause();
            }
        }
    }
}
