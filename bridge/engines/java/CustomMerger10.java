package bridge.jvm;

import bridge.jvm.Carriers.Buffered;
import java.util.Map;
import org.apache.avro.generic.GenericRecord;
import org.apache.hudi.common.model.HoodieRecordPayload;

/**
 * CUSTOM of 1.0: where either side is a delete the rules of event time decide, and the payload is not asked.
 *
 * Between two rows of a log a payload that deletes is ignored: the earlier row stays.
 */
class CustomMerger10 extends RuleMerger {
    private final CustomMerger.Asked asked;

    CustomMerger10(CustomMerger.Asked asked, Map rules, RowContext context) {
        super(rules, context, false);
        this.asked = asked;
    }

    Buffered delta(Buffered newer, Buffered existing) throws Exception {
        if (existing.isDelete || newer.isDelete) {
            return super.delta(newer, existing);
        }
        Buffered merged = merged(existing, newer);
        return merged == null || merged == existing ? null : merged;
    }

    Buffered last(Buffered older, Buffered newer) throws Exception {
        if (older.isDelete || newer.isDelete) {
            return super.last(older, newer);
        }
        Buffered merged = merged(older, newer);
        return merged == null ? deleted(older, newer) : merged;
    }

    /** Returns what payload or merger answers, `older` itself where its row stays; null for a delete. */
    Buffered merged(Buffered older, Buffered newer) throws Exception {
        checkRead(older, false);
        checkRead(newer, true);
        HoodieRecordPayload previous = asked.payloads.around(context.lent(older), older.ordering);
        HoodieRecordPayload payload = asked.payloads.around(context.lent(newer), newer.ordering);
        Object current = Payloads.orNull(previous.getInsertValue(context.schema, asked.props));
        if (current == null || current == Payloads.SENTINEL) {
            return null;
        }
        Object merged = Payloads.orNull(
            payload.combineAndGetUpdateValue((GenericRecord) current, context.schema, asked.props));
        if (merged == null) {
            return null;
        }
        if (merged == Payloads.SENTINEL || merged == current) {
            return Records.isSame((GenericRecord) current, context.lent(older)) ? older : made((GenericRecord) current);
        }
        return made((GenericRecord) merged);
    }

    private Buffered made(GenericRecord record) {
        Buffered made = context.made(record);
        made.foreign = context.records.isOf(context.schema, record) ? null : record.getSchema();
        return made;
    }

    /** Refuses a record of other fields where it meets the next one: what lacks fields is still merged as the newer. */
    private void checkRead(Buffered version, boolean mayLack) {
        if (version.foreign != null && !(mayLack && Records.isPart(version.foreign, context.schema))) {
            throw new RecordError("the payload returned a record with the fields " + Records.names(version.foreign)
                + " between two entries of the log, and Hudi fails where it merges it again; return the fields of the "
                + "schema that is given, in its order: " + Records.names(context.schema));
        }
    }
}
