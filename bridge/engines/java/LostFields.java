package bridge.jvm;

import com.esotericsoftware.kryo.KryoSerializable;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.common.model.BaseAvroPayload;
import org.apache.hudi.common.model.HoodieRecordPayload;

/**
 * The fields of a class that a writer from 1.1 on loses in the shuffle before it writes.
 *
 * BaseAvroPayload writes its record, ordering value and delete flag, and is read back without a constructor: all that a
 * class adds is lost. Of any other class Kryo leaves out the transient fields, and the schema of a record that two rows
 * of a batch merged to, which is in a class of Hudi's own (SerializableIndexedRecord).
 */
final class LostFields {
    private final boolean keepsOwn;
    private final String names;
    private final String records;
    private final Copies copies;

    LostFields(Class type) {
        keepsOwn = !KryoSerializable.class.isAssignableFrom(type);
        StringBuilder found = new StringBuilder();
        StringBuilder kept = new StringBuilder();
        for (Class owner = type; isAdded(owner); owner = owner.getSuperclass()) {
            Field[] fields = owner.getDeclaredFields();
            for (int i = 0; i < fields.length; i++) {
                int modifiers = fields[i].getModifiers();
                if (Modifier.isStatic(modifiers)) {
                    continue;
                }
                if (!keepsOwn || Modifier.isTransient(modifiers)) {
                    found.append(found.length() == 0 ? "" : ", ").append(fields[i].getName());
                } else if (IndexedRecord.class.isAssignableFrom(fields[i].getType())) {
                    kept.append(kept.length() == 0 ? "" : ", ").append(fields[i].getName());
                }
            }
        }
        names = found.toString();
        records = kept.toString();
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
        if (error instanceof RecordError) {
            return error;
        }
        if (error instanceof NullPointerException && records.length() != 0) {
            return new RecordError(error + "; where it shuffles what two rows of a batch merged to, Hudi from 1.1 on loses the"
                + " schema of a record that the class keeps (" + records + "): keep the record's bytes, or a copy of it", error);
        }
        if (names.length() == 0) {
            return error;
        }
        String kept = keepsOwn ? "what Kryo writes of a payload, and loses the transient fields"
            : "the record, the ordering value and the delete flag of a payload, and loses the fields";
        return new RecordError(error + "; where it shuffles a batch, Hudi from 1.1 on keeps " + kept + " of the class ("
            + names + "): read what they hold from the record where it is needed", error);
    }
}
