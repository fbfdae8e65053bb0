package bridge.jvm;

import bridge.jvm.Carriers.Buffered;
import bridge.jvm.MergerObject.Answer;
import bridge.jvm.MergerObject.Side;
import java.util.Map;
import java.util.Properties;
import org.apache.avro.generic.GenericRecord;

/** CUSTOM of 1.0 where a user's merger decides. */
final class UserMerger10 extends CustomMerger10 {
    private final MergerObject merger;
    private final KeyText keys;

    UserMerger10(Map described, Properties props, Map rules, RowContext context) throws Throwable {
        super(null, rules, context);
        merger = MergerObject.of((String) described.get("name"), false, props);
        keys = new KeyText(described, context.records);
    }

    Buffered merged(Buffered older, Buffered newer) throws Exception {
        GenericRecord current = context.lent(older);
        GenericRecord own = context.lent(newer);
        Answer answer = merger.merge(keys.of(newer.source), context.schema, new Side(current, older.ordering, false),
            new Side(own, newer.ordering, false));
        if (answer == null) {
            return null;
        }
        if (answer.data == null) {
            return Buffered.delete(answer.ordering);
        }
        return answer.data == current ? unlessChanged(older, current)
            : answer.data == own ? unlessChanged(newer, own) : context.made(answer.data);
    }

    /** Returns a version whose record the merger answered: a new one where the merger wrote into it. */
    private Buffered unlessChanged(Buffered version, GenericRecord lent) {
        return lent.equals(context.lent(version)) ? version : context.made(lent);
    }
}
