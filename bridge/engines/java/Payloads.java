package bridge.jvm;

import java.lang.invoke.LambdaMetafactory;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Iterator;
import java.util.Map;
import java.util.Properties;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.hudi.avro.HoodieAvroUtils;
import org.apache.hudi.common.config.TypedProperties;
import org.apache.hudi.common.model.BaseAvroPayload;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.hudi.common.model.HoodieRecordPayload;
import org.apache.hudi.common.util.Option;

/** A payload class: how it is found, built and asked. Everything is looked up once. */
final class Payloads {
    /** HoodieRecord.SENTINEL, recognised by identity. */
    static final Object SENTINEL = HoodieRecord.SENTINEL;
    private static final String FILLS_ITS_RECORD =
        "org.apache.hudi.common.model.debezium.PostgresDebeziumAvroPayload";

    /** Whether a call may change records that it is lent; of Hudi's classes Postgres alone does, from 1.1 on. */
    final boolean mayChangeInput;
    /** Whether a shuffle may change an object. */
    final boolean isChangedByShuffle;
    /** Whether a merge of a writer from 1.1 on gets the very record of an object, and asks for none. */
    final boolean givesOwnRecord;
    private final Class type;
    private final BiFunction constructor;
    private final Function optionConstructor;
    private final Method indexedRecord;
    private final Field recordBytes;
    private boolean decodes;
    private LostFields lost;

    Payloads(String name) throws Throwable {
        type = Payloads.class.getClassLoader().loadClass(name);
        Constructor found = type.getConstructor(new Class[] {GenericRecord.class, Comparable.class});
        constructor = function(found);
        optionConstructor = optionConstructor();
        indexedRecord = method(HoodieRecordPayload.class, "getIndexedRecord");
        // Payloads that give their record hold the very one that they were made of; older ones hold its bytes.
        mayChangeInput = !Released.has(name) || name.equals(FILLS_ITS_RECORD) && indexedRecord != null;
        isChangedByShuffle = Copies.changes(type);
        Method given = method(type, "getIndexedRecord");
        givesOwnRecord = given != null && given.getDeclaringClass() == BaseAvroPayload.class;
        recordBytes = indexedRecord != null ? null : BaseAvroPayload.class.getDeclaredField("recordBytes");
        if (recordBytes != null) {
            recordBytes.setAccessible(true);
        }
    }

    private Function optionConstructor() throws Throwable {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            return Tuples.function(lookup, lookup.unreflectConstructor(type.getConstructor(new Class[] {Option.class})));
        } catch (NoSuchMethodException absent) {
            return null;
        }
    }

    private static Method method(Class owner, String name) {
        try {
            return owner.getMethod(name, new Class[] {Schema.class, Properties.class});
        } catch (NoSuchMethodException older) {
            return null;
        }
    }

    /** Makes a function of the constructor, so that building a payload costs no reflection. */
    private static BiFunction function(Constructor constructor) throws Throwable {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        MethodHandle handle = lookup.unreflectConstructor(constructor);
        MethodType erased = MethodType.methodType(Object.class, Object.class, new Class[] {Object.class});
        MethodHandle factory = LambdaMetafactory
            .metafactory(lookup, "apply", MethodType.methodType(BiFunction.class), erased, handle, handle.type())
            .getTarget();
        return (BiFunction) factory.invokeWithArguments(new Object[0]);
    }

    /** Returns what a writer from 1.1 on loses of an object between the batch and the table. */
    LostFields lostFields() {
        if (lost == null) {
            lost = new LostFields(type);
        }
        return lost;
    }

    HoodieRecordPayload make(GenericRecord record, Comparable ordering) {
        return (HoodieRecordPayload) constructor.apply(record, ordering);
    }

    /** Returns a class as writers from 1.1 on build it: they pass a payload what it has decoded of its own bytes. */
    static Payloads ofWriter(Payloads payloads) throws Throwable {
        if (payloads == null || !payloads.mayChangeInput || !BaseAvroPayload.class.isAssignableFrom(payloads.type)) {
            return payloads;
        }
        Payloads found = new Payloads(payloads.type.getName());
        found.decodes = true;
        return found;
    }

    /** Returns a class as merges of writers from 1.1 on build it: each record that they pass has gone through Hudi's own class. */
    static Payloads ofMerge(Payloads payloads) throws Throwable {
        if (payloads == null || !payloads.mayChangeInput) {
            return payloads;
        }
        Payloads found = new Payloads(payloads.type.getName());
        found.decodes = true;
        return found;
    }

    /** Returns a record in the class in which a payload is given it. */
    GenericRecord lent(GenericRecord record) {
        return decodes ? Decoded.of(record) : record;
    }

    /** Makes a payload of a row where merge modes decide: an ordering value that is null is left out, as Hudi does. */
    HoodieRecordPayload around(GenericRecord row, Comparable ordering) {
        GenericRecord record = lent(row);
        if (ordering != null) {
            return make(record, ordering);
        }
        if (optionConstructor == null) {
            throw new RecordError("the ordering value is null, and the class has no public constructor (Option), by "
                + "which Hudi builds a payload without one; fill the ordering field, or add the constructor");
        }
        return (HoodieRecordPayload) optionConstructor.apply(Option.ofNullable(record));
    }

    /** Returns entries as the properties that a payload is handed. */
    static TypedProperties properties(Map entries) {
        TypedProperties props = new TypedProperties();
        for (Iterator i = entries.entrySet().iterator(); i.hasNext();) {
            Map.Entry entry = (Map.Entry) i.next();
            props.setProperty((String) entry.getKey(), (String) entry.getValue());
        }
        return props;
    }

    /** Returns the value of an Option, or null. */
    static Object orNull(Option value) {
        return value.isPresent() ? value.get() : null;
    }

    /** Whether a version deletes its record (HoodieAvroRecord.isDelete). */
    static boolean isDeleted(HoodieRecordPayload payload, Schema schema, Properties props) throws Exception {
        if (payload instanceof BaseAvroPayload) {
            return ((BaseAvroPayload) payload).isDeleted(schema, props);
        }
        return !payload.getInsertValue(schema, props).isPresent();
    }

    /** Returns a payload's data as it is, without any delete rule, or null. */
    GenericRecord dataOf(HoodieRecordPayload payload, Schema schema, Properties props) throws Exception {
        if (indexedRecord != null) {
            try {
                return (GenericRecord) orNull((Option) indexedRecord.invoke(payload, new Object[] {schema, props}));
            } catch (InvocationTargetException thrown) {
                if (thrown.getCause() instanceof Exception) {
                    throw (Exception) thrown.getCause();
                }
                throw (Error) thrown.getCause();
            }
        }
        if (payload instanceof BaseAvroPayload) {
            byte[] bytes = (byte[]) recordBytes.get(payload);
            return bytes.length == 0 ? null : HoodieAvroUtils.bytesToAvro(bytes, schema);
        }
        return (GenericRecord) orNull(payload.getInsertValue(schema, props));
    }
}
