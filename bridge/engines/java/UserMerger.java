package bridge.jvm;

import bridge.jvm.Carriers.Buffered;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Properties;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.hudi.common.model.HoodieOperation;
import org.apache.hudi.common.model.HoodieRecordMerger;
import org.apache.hudi.common.model.OperationModeAwareness;

/**
 * CUSTOM from 1.1 on where a user's merger decides. It is handed two BufferedRecords with Avro records, deletes too.
 *
 * Everything of 1.1 is found by its name: an older Hudi may compile this source.
 */
final class UserMerger extends ModeMerger.Custom {
    private static final String BUFFERED = "org.apache.hudi.common.table.read.BufferedRecord";
    private static final String CONTEXT = "org.apache.hudi.avro.AvroRecordContext";
    private static final String SCHEMA = "org.apache.hudi.common.schema.HoodieSchema";

    private final HoodieRecordMerger merger;
    private final Properties props;
    private final KeyText keys;
    private final Method merge;
    private final Constructor buffered;
    private final Method recordOf;
    private final Method orderingOf;
    private final Method isDelete;
    private final Object recordContext;
    private final Object schemaId;

    UserMerger(Map described, Properties props, RowContext context, boolean preCombines) throws Exception {
        super(context);
        this.props = props;
        keys = new KeyText(described, context.records);
        Class type = named((String) described.get("name"));
        HoodieRecordMerger made = (HoodieRecordMerger) type.getConstructor(new Class[0]).newInstance(new Object[0]);
        merger = preCombines && made instanceof OperationModeAwareness
            ? ((OperationModeAwareness) made).asPreCombiningMode() : made;
        merge = MergerChecks.merge();
        Class version = named(BUFFERED);
        buffered = version.getConstructor(
            new Class[] {String.class, Comparable.class, Object.class, Integer.class, HoodieOperation.class});
        recordOf = version.getMethod("getRecord", new Class[0]);
        orderingOf = version.getMethod("getOrderingValue", new Class[0]);
        isDelete = version.getMethod("isDelete", new Class[0]);
        recordContext = named(CONTEXT).getMethod("getFieldAccessorInstance", new Class[0]).invoke(null, new Object[0]);
        schemaId = schemaId();
    }

    private static Class named(String name) throws ClassNotFoundException {
        return UserMerger.class.getClassLoader().loadClass(name);
    }

    /** Hudi 1.1 numbers an Avro schema, 1.2 one of its own around it. */
    private Object schemaId() throws Exception {
        try {
            return recordContext.getClass().getMethod("encodeAvroSchema", new Class[] {Schema.class})
                .invoke(recordContext, new Object[] {context.schema});
        } catch (NoSuchMethodException since12) {
            Object wrapped = named(SCHEMA).getMethod("fromAvroSchema", new Class[] {Schema.class})
                .invoke(null, new Object[] {context.schema});
            return recordContext.getClass().getMethod("encodeSchema", new Class[] {named(SCHEMA)})
                .invoke(recordContext, new Object[] {wrapped});
        }
    }

    Buffered merged(Buffered older, Buffered newer) throws Exception {
        String key = keys.of(context.records.current).getRecordKey();
        GenericRecord before = copied(older);
        GenericRecord after = copied(newer);
        Object first = lent(key, older, before);
        Object second = lent(key, newer, after);
        Object answer = asked(merge, merger, new Object[] {first, second, recordContext, props});
        if (answer == null) {
            throw new RecordError("merge answered null; it must answer a BufferedRecord, which for a delete has the "
                + "operation DELETE");
        }
        Object data = asked(recordOf, answer, new Object[0]);
        Comparable ordering = (Comparable) asked(orderingOf, answer, new Object[0]);
        boolean deletes = ((Boolean) asked(isDelete, answer, new Object[0])).booleanValue();
        if (data == null) {
            return answer == first ? older : answer == second ? newer : Buffered.delete(ordering);
        }
        if (!(data instanceof GenericRecord)) {
            throw new RecordError("merge answered a record that holds a " + data.getClass().getName()
                + "; it must answer a BufferedRecord with a GenericRecord");
        }
        Buffered side = data == before ? older : data == after ? newer : null;
        boolean stays = side != null && data.equals(side.hasData() ? context.lent(side) : null);
        if (stays && (answer == first || answer == second)) {
            return side;
        }
        Buffered made = stays ? side : context.made((GenericRecord) data);
        boolean reads = !deletes && (ordering == null || context.ofSpark);
        Comparable value = !reads ? ordering : stays ? context.orderingOf(side) : made.ordering;
        return new Buffered(made.source, made.record, deletes, value);
    }

    /** Returns a copy of the data, which the merger may change; null where there is none. */
    private GenericRecord copied(Buffered version) {
        GenericRecord record = context.lent(version);
        return record == null ? null : (GenericRecord) GenericData.get().deepCopy(record.getSchema(), record);
    }

    private Object lent(String key, Buffered version, GenericRecord record) throws Exception {
        Object operation = version.isDelete ? HoodieOperation.DELETE : null;
        return buffered.newInstance(new Object[] {key, version.ordering, record, schemaId, operation});
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
