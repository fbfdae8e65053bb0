package bridge.jvm;

import com.esotericsoftware.kryo.KryoSerializable;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import org.apache.hudi.common.model.BaseAvroPayload;
import org.apache.hudi.common.model.HoodieRecordPayload;

/**
 * The fields of a class that a writer from 1.1 on loses in the shuffle before it writes.
 *
 * BaseAvroPayload writes its record, ordering value and delete flag, and is read back without a constructor: all that a
 * class adds is lost. Of any other class Kryo leaves out the transient fields.
 */
final class LostFields {
    private final boolean keepsOwn;
    private final String names;
    private final Copies copies;

    LostFields(Class type) {
        keepsOwn = !KryoSerializable.class.isAssignableFrom(type);
        StringBuilder found = new StringBuilder();
        for (Class owner = type; isAdded(owner); owner = owner.getSuperclass()) {
            Field[] fields = owner.getDeclaredFields();
            for (int i = 0; i < fields.length; i++) {
                int modifiers = fields[i].getModifiers();
                if (!Modifier.isStatic(modifiers) && (!keepsOwn || Modifier.isTransient(modifiers))) {
                    found.append(found.length() == 0 ? "" : ", ").append(fields[i].getName());
                }
            }
        }
        names = found.toString();
        copies = names.length() == 0 && !(keepsOwn && Copies.changes(type)) ? null : new Copies();
    }

    private static boolean isAdded(Class owner) {
        return owner != null && owner != BaseAvroPayload.class && owner != Object.class;
    }

    /** Returns a payload as it comes out of the shuffle. */
    HoodieRecordPayload without(HoodieRecordPayload payload) {
        return copies == null ? payload : (HoodieRecordPayload) copies.shuffled(payload);
    }

    /** Asks for the metadata, as every write handle does before anything else, and fails where the class does. */
    void metadataOf(HoodieRecordPayload payload) {
        try {
            payload.getMetadata();
        } catch (RuntimeException error) {
            throw explained(error);
        }
    }

    /** Returns a failure of a shuffled payload with its likely cause. */
    RuntimeException explained(RuntimeException error) {
        if (names.length() == 0 || error instanceof RecordError) {
            return error;
        }
        String kept = keepsOwn ? "what Kryo writes of a payload, and loses the transient fields"
            : "the record, the ordering value and the delete flag of a payload, and loses the fields";
        return new RecordError(error + "; where it shuffles a batch, Hudi from 1.1 on keeps " + kept + " of the class ("
            + names + "): read what they hold from the record where it is needed", error);
    }
}
