package bridge.jvm;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.KryoSerializable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.serializer.KryoSerializer;
import org.apache.spark.serializer.SerializerInstance;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/** Payloads as Spark's Kryo writes and reads them, which Hudi asks for. */
final class Copies {
    private final ClassTag anything = ClassTag$.MODULE$.apply(Object.class);
    private final SerializerInstance kryo;

    Copies() {
        KryoSerializer serializer = new KryoSerializer(SparkEnv.get() == null ? new SparkConf() : SparkEnv.get().conf());
        serializer.setDefaultClassLoader(Copies.class.getClassLoader());
        kryo = serializer.newInstance();
    }

    /** Whether objects of a class can come out of a shuffle as others: those with fields of a class that is not Hudi's. */
    static boolean changes(Class type) {
        for (Class owner = type; owner != null && !Released.has(owner.getName()); owner = owner.getSuperclass()) {
            Field[] fields = owner.getDeclaredFields();
            for (int i = 0; i < fields.length; i++) {
                if (!Modifier.isStatic(fields[i].getModifiers())) {
                    return true;
                }
            }
            if (KryoSerializable.class.isAssignableFrom(owner) && writesItself(owner)) {
                return true;
            }
        }
        return false;
    }

    private static boolean writesItself(Class owner) {
        Method[] methods = owner.getDeclaredMethods();
        for (int i = 0; i < methods.length; i++) {
            Class[] parameters = methods[i].getParameterTypes();
            if (parameters.length > 0 && parameters[0] == Kryo.class) {
                return true;
            }
        }
        return false;
    }

    byte[] bytes(Object payload) {
        ByteBuffer buffer = kryo.serialize(payload, anything);
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    /** Returns an object as it comes out of a shuffle: its transient fields are null, zero or false. */
    Object shuffled(Object payload) {
        return kryo.deserialize(ByteBuffer.wrap(bytes(payload)), Copies.class.getClassLoader(), anything);
    }

    /** Returns a copy with the transient fields of the original, for a second use in the same process. */
    Object copy(Object payload) throws IllegalAccessException {
        Object copy = shuffled(payload);
        // Java's own classes, which have no loader, write what they need themselves.
        for (Class owner = payload.getClass(); owner.getClassLoader() != null; owner = owner.getSuperclass()) {
            Field[] fields = owner.getDeclaredFields();
            for (int i = 0; i < fields.length; i++) {
                int modifiers = fields[i].getModifiers();
                if (Modifier.isTransient(modifiers) && !Modifier.isStatic(modifiers)) {
                    fields[i].setAccessible(true);
                    fields[i].set(copy, alike(fields[i].get(payload)));
                }
            }
        }
        return copy;
    }

    /** Returns a copy of a transient value; itself where it has no serial form. */
    private Object alike(Object value) {
        try {
            return value == null ? null : shuffled(value);
        } catch (RuntimeException notSerial) {
            return value;
        }
    }
}
