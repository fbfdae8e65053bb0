package bridge.jvm;

import bridge.jvm.Carriers.Buffered;
import bridge.jvm.MergerObject.Answer;
import bridge.jvm.MergerObject.Side;
import java.util.Map;
import java.util.Properties;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/** CUSTOM from 1.1 on where a user's merger decides. */
final class UserMerger extends ModeMerger.Custom {
    private final MergerObject merger;
    private final KeyText keys;

    UserMerger(Map described, Properties props, RowContext context, boolean preCombines) throws Throwable {
        super(context);
        keys = new KeyText(described, context.records);
        merger = MergerObject.of((String) described.get("name"), preCombines, props);
    }

    Buffered merged(Buffered older, Buffered newer) throws Exception {
        Side before = lent(older);
        Side after = lent(newer);
        Answer answer = merger.merge(keys.of(context.records.current), context.schema, before, after);
        if (answer.data == null) {
            return answer.side == before ? older : answer.side == after ? newer : Buffered.delete(answer.ordering);
        }
        Buffered side = answer.data == before.record ? older : answer.data == after.record ? newer : null;
        boolean stays = side != null && answer.data.equals(side.hasData() ? context.lent(side) : null);
        if (stays && answer.side != null) {
            return side;
        }
        Buffered made = stays ? side : context.made(answer.data);
        boolean reads = !answer.isDelete && (answer.ordering == null || context.ofSpark);
        Comparable value = !reads ? answer.ordering : stays ? context.orderingOf(side) : made.ordering;
        return new Buffered(made.source, made.record, answer.isDelete, value);
    }

    /** Returns a version with a copy of its data, which the merger may change. */
    private Side lent(Buffered version) {
        GenericRecord record = context.lent(version);
        GenericRecord copy =
            record == null ? null : (GenericRecord) GenericData.get().deepCopy(record.getSchema(), record);
        return new Side(copy, version.ordering, version.isDelete);
    }
}
