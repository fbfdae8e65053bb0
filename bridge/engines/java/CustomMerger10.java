package bridge.jvm;

import bridge.jvm.Carriers.Buffered;
import org.apache.avro.generic.GenericRecord;
import org.apache.hudi.common.model.HoodieRecordPayload;

/**
 * CUSTOM of 1.0: where either side is a delete the event-time rule decides, and the payload is not asked.
 *
 * Between two rows of a log a payload that deletes is ignored: the earlier row stays.
 */
class CustomMerger10 extends ModeMerger.EventTime10 {
    private final CustomMerger.Asked asked;

    CustomMerger10(CustomMerger.Asked asked, RowContext context) {
        super(context);
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
            return current.equals(context.lent(older)) ? older : context.made((GenericRecord) current);
        }
        return context.made((GenericRecord) merged);
    }
}
