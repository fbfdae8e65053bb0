package bridge.jvm;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.common.model.HoodieRecord;

/** Records as payloads of 1.1 and later have them after a shuffle: decoded from bytes, in a class of Hudi's own. */
final class Decoded {
    private static final Method CREATE = create();

    private Decoded() {
    }

    private static Method create() {
        try {
            ClassLoader loader = HoodieRecord.class.getClassLoader();
            Class type = Class.forName("org.apache.hudi.common.model.SerializableIndexedRecord", true, loader);
            return type.getMethod("createInstance", new Class[] {IndexedRecord.class});
        } catch (ClassNotFoundException older) {
            return null;
        } catch (NoSuchMethodException older) {
            return null;
        }
    }

    /** Returns a record in that class, which is no `GenericData.Record`: code that casts to this fails, as it does there. */
    static GenericRecord of(GenericRecord record) {
        if (record == null || CREATE == null || CREATE.getDeclaringClass().isInstance(record)) {
            return record;
        }
        try {
            return (GenericRecord) CREATE.invoke(null, new Object[] {record});
        } catch (IllegalAccessException error) {
            throw new IllegalStateException(error);
        } catch (InvocationTargetException error) {
            throw new IllegalStateException(error.getCause());
        }
    }
}
