package bridge.jvm;

import bridge.jvm.MergerObject.Answer;
import bridge.jvm.MergerObject.Side;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.generic.GenericRecord;
import org.apache.hudi.common.model.HoodieKey;

/** The step of PayloadCalls that calls a merger. */
final class MergerCalls {
    private final NumberedSchemas schemas;
    private final Map mergers = new HashMap();

    MergerCalls(NumberedSchemas schemas) {
        this.schemas = schemas;
    }

    /** Merges two versions; answers which of them came back, as an object and as data, and what they hold then. */
    void merge(Map step, Map result) throws Throwable {
        List key = (List) step.get("key");
        Side older = side((Map) step.get("before"));
        Side newer = side((Map) step.get("after"));
        Answer answer = merger(step).merge(new HoodieKey((String) key.get(0), (String) key.get(1)),
            schemas.of(step.get("schema")), older, newer);
        if (answer == null) {
            result.put("outcome", "empty");
            return;
        }
        result.put("outcome", "record");
        result.put("side", answer.side == older ? "older" : answer.side == newer ? "newer" : "new");
        result.put("deletes", Boolean.valueOf(answer.isDelete));
        result.put("value", OrderingText.toText(answer.ordering));
        boolean isNew = answer.data == null || answer.data != older.record && answer.data != newer.record;
        result.put("winner", isNew ? "new" : answer.data == older.record ? "older" : "newer");
        schemas.put(result, answer.data);
    }

    private MergerObject merger(Map step) throws Throwable {
        List wanted = Arrays.asList(new Object[] {step.get("class"), step.get("pre_combines"), step.get("props")});
        MergerObject found = (MergerObject) mergers.get(wanted);
        if (found == null) {
            found = MergerObject.of((String) step.get("class"), ((Boolean) step.get("pre_combines")).booleanValue(),
                Payloads.properties((Map) step.get("props")));
            mergers.put(wanted, found);
        }
        return found;
    }

    private Side side(Map described) throws Exception {
        GenericRecord record = schemas.decoded(described.get("schema"), (String) described.get("record"));
        List ordering = (List) described.get("ordering");
        return new Side(record, ordering == null ? null
            : OrderingText.fromText((String) ordering.get(0), (String) ordering.get(1)),
            ((Boolean) described.get("deletes")).booleanValue());
    }
}
