package bridge.jvm;

import java.nio.ByteBuffer;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.serializer.KryoSerializer;
import org.apache.spark.serializer.SerializerInstance;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/** Copies of payloads as a shuffle makes them: with Spark's Kryo, which Hudi asks for. */
final class Copies {
    private final ClassTag anything = ClassTag$.MODULE$.apply(Object.class);
    private final SerializerInstance kryo;

    Copies() {
        KryoSerializer serializer = new KryoSerializer(SparkEnv.get() == null ? new SparkConf() : SparkEnv.get().conf());
        serializer.setDefaultClassLoader(Copies.class.getClassLoader());
        kryo = serializer.newInstance();
    }

    byte[] bytes(Object payload) {
        ByteBuffer buffer = kryo.serialize(payload, anything);
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    /** Returns an object as it comes out of a shuffle. */
    Object shuffled(Object payload) {
        return copy(payload);
    }

    Object copy(Object payload) {
        return kryo.deserialize(ByteBuffer.wrap(bytes(payload)), Copies.class.getClassLoader(), anything);
    }
}
