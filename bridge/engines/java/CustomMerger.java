package bridge.jvm;

import bridge.jvm.Carriers.Buffered;
import java.util.Properties;
import org.apache.avro.generic.GenericRecord;
import org.apache.hudi.common.model.HoodieRecordPayload;

/** CUSTOM from 1.1 on: the payload decides, behind HoodieAvroRecordMerger (BufferedRules of mergers/rules.py). */
final class CustomMerger extends ModeMerger.Custom {
    private final Asked asked;

    /** The class that is asked, with which properties, and by which of its methods. */
    static final class Asked {
        final Payloads payloads;
        final Properties props;
        final boolean preCombines;

        Asked(Payloads payloads, Properties props, boolean preCombines) {
            this.payloads = payloads;
            this.props = props;
            this.preCombines = preCombines;
        }
    }

    CustomMerger(Asked asked, RowContext context) {
        super(context);
        this.asked = asked;
    }

    Buffered merged(Buffered older, Buffered newer) throws Exception {
        if (isCommitTimeDelete(older, newer)) {
            return newer;
        }
        return asked.preCombines ? preCombined(older, newer) : combined(older, newer);
    }

    private Buffered combined(Buffered older, Buffered newer) throws Exception {
        GenericRecord own = asked.payloads.lent(context.lent(newer));
        HoodieRecordPayload payload = asked.payloads.around(own, newer.ordering);
        GenericRecord current = context.lent(older);
        if (current == null) {
            return newer;
        }
        Object merged = Payloads.orNull(payload.combineAndGetUpdateValue(current, context.schema, asked.props));
        if (merged == null) {
            return deleted(older, newer);
        }
        if (merged == Payloads.SENTINEL || merged == current) {
            return older;
        }
        return merged == own ? newer : made((GenericRecord) merged);
    }

    /** Returns what a record makes, if it is of the schema that was passed: Hudi reads its fields by position. */
    private Buffered made(GenericRecord record) {
        if (!context.records.isOf(context.schema, record)) {
            throw new RecordError("the payload returned a record with the fields " + Records.names(record.getSchema())
                + ", and Hudi fails there, as it reads fields by position; return the fields of the schema that is "
                + "given, in its order: " + Records.names(context.schema));
        }
        return context.made(record);
    }

    private Buffered preCombined(Buffered older, Buffered newer) throws Exception {
        HoodieRecordPayload payload = asked.payloads.around(context.lent(newer), newer.ordering);
        HoodieRecordPayload previous = asked.payloads.around(context.lent(older), older.ordering);
        HoodieRecordPayload merged = payload.preCombine(previous, context.schema, asked.props);
        if (merged == payload) {
            return newer;
        }
        if (merged == previous) {
            return older;
        }
        if (merged == null) {
            throw new RecordError("preCombine returned null; it must return one of the payloads or a new one");
        }
        Object data = asked.payloads.dataOf(merged, context.schema, asked.props);
        return data == null || data == Payloads.SENTINEL ? deleted(older, newer) : context.made((GenericRecord) data);
    }
}
