package bridge.jvm;

import com.esotericsoftware.kryo.KryoSerializable;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import org.apache.hudi.common.model.BaseAvroPayload;
import org.apache.hudi.common.model.HoodieRecordPayload;

/**
 * The fields of a class that a writer from 1.1 on loses in the shuffle before it writes: all that the class adds.
 *
 * BaseAvroPayload writes its record, ordering value and delete flag, and nothing else, and is read back without a constructor.
 */
final class LostFields {
    private final String names;
    private final Copies copies;

    LostFields(Class type) {
        StringBuilder found = new StringBuilder();
        if (KryoSerializable.class.isAssignableFrom(type)) {
            for (Class owner = type; owner != null && owner != BaseAvroPayload.class; owner = owner.getSuperclass()) {
                Field[] fields = owner.getDeclaredFields();
                for (int i = 0; i < fields.length; i++) {
                    if (!Modifier.isStatic(fields[i].getModifiers())) {
                        found.append(found.length() == 0 ? "" : ", ").append(fields[i].getName());
                    }
                }
            }
        }
        names = found.toString();
        copies = names.length() == 0 ? null : new Copies();
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
        return copies == null || error instanceof RecordError ? error : new RecordError(error + "; from 1.1 on Hudi keeps "
            + "the record, the ordering value and the delete flag of a payload where it shuffles a batch, and loses the "
            + "fields of the class (" + names + "): read what they hold from the record where it is needed", error);
    }
}
