package bridge.jvm;

import java.util.Map;
import java.util.Properties;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.hudi.common.model.BaseAvroPayload;
import org.apache.hudi.common.model.HoodieRecordPayload;

/** What a payload gives a writer to store, and where Hudi fails instead: bridge/merge/refused_inserts.py. */
final class Inserts {
    private final String empty;
    private final String sentinel;

    Inserts(Map refused) {
        empty = (String) refused.get("empty");
        sentinel = (String) refused.get("sentinel");
    }

    /** Returns the row of a payload that is no delete; null for one to ignore. */
    GenericRecord of(HoodieRecordPayload payload, Schema schema, Properties props) throws Exception {
        Object value = Payloads.orNull(payload.getInsertValue(schema, props));
        if (value == null) {
            throw new RecordError(empty);
        }
        if (value != Payloads.SENTINEL) {
            return (GenericRecord) value;
        }
        if (payload instanceof BaseAvroPayload && ((BaseAvroPayload) payload).canProduceSentinel()) {
            return null;
        }
        throw new RecordError(sentinel);
    }
}
