package bridge.jvm;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.Function;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.common.model.BaseAvroPayload;
import org.apache.hudi.common.model.HoodieRecordPayload;
import org.apache.hudi.common.util.Option;

/**
 * Runs steps on single payloads and mergers for Python: several calls come as one JSON text.
 *
 * Payloads stay here under the numbers that the caller gives them. Records travel as Avro bytes, their schemas once.
 */
public final class PayloadCalls implements Function {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int INNERMOST = 8;

    private final NumberedSchemas schemas = new NumberedSchemas();
    private final Map payloads = new HashMap();
    private Watch watch;
    private Copies copies;
    private final Map records = new HashMap();
    private final Map payloadClasses = new HashMap();
    /** What payloads of writers from 1.1 on have lost, by number. */
    private final Map lost = new HashMap();
    private final MergerCalls mergers = new MergerCalls(schemas);

    public Object apply(Object request) {
        try {
            return run((String) request);
        } catch (Exception wrongRequest) {
            throw new IllegalArgumentException(wrongRequest.toString(), wrongRequest);
        }
    }

    private String run(String request) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(PayloadCalls.class.getClassLoader());
        try {
            Map script = (Map) JSON.readValue(request, Map.class);
            if (watch == null) {
                watch = new Watch(((Integer) script.get("call_timeout")).intValue());
            }
            for (Iterator i = ((List) script.get("free")).iterator(); i.hasNext();) {
                forget(i.next());
            }
            schemas.learn((Map) script.get("schemas"));
            List results = new ArrayList();
            for (Iterator i = ((List) script.get("steps")).iterator(); i.hasNext();) {
                results.add(result((Map) i.next()));
            }
            Map answer = new LinkedHashMap();
            answer.put("schemas", schemas.taken());
            answer.put("results", results);
            return JSON.writeValueAsString(answer);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private void forget(Object id) {
        payloads.remove(id);
        records.remove(id);
        lost.remove(id);
    }

    private Map result(Map step) throws Exception {
        Map result = new LinkedHashMap();
        if (step.containsKey("id") && !step.get("op").equals("make") && payload(step, "id") == null
            || step.containsKey("older") && payload(step, "older") == null) {
            forget(step.get("as"));
            result.put("skipped", Boolean.TRUE);
            return result;
        }
        watch.enter();
        try {
            run(step, result);
        } catch (InvocationTargetException thrown) {
            result.put("error", described(thrown.getCause()));
        } catch (VirtualMachineError error) {
            if (!Failures.isOfClass(error)) {
                throw error;
            }
            result.put("error", described(error));
        } catch (Throwable thrown) {
            result.put("error", described(thrown));
        } finally {
            watch.leave();
        }
        return result;
    }

    private Map described(Throwable error) {
        Map text = new LinkedHashMap();
        text.put("type", error.getClass().getName());
        text.put("message", Failures.shortened(error.getMessage()));
        if (watch.wasEnded()) {
            text.put("reason", watch.reason());
        } else if (error instanceof Exits.ExitError || Failures.advice(error, null) != null) {
            text.put("reason", Failures.reason(error, "the class"));
        }
        StackTraceElement[] stack = error.getStackTrace();
        List calls = new ArrayList();
        for (int i = 0; i < stack.length && i < INNERMOST; i++) {
            calls.add(stack[i].getMethodName());
        }
        text.put("at", calls);
        List causes = new ArrayList();
        for (Throwable cause = error.getCause(); cause != null && causes.size() < 20; cause = cause.getCause()) {
            Map link = new LinkedHashMap();
            link.put("type", cause.getClass().getName());
            link.put("message", Failures.shortened(cause.getMessage()));
            causes.add(link);
        }
        text.put("causes", causes);
        return text;
    }

    private void run(Map step, Map result) throws Throwable {
        String op = (String) step.get("op");
        if (op.equals("make")) {
            make(step);
            return;
        }
        if (op.equals("is_changed_by_shuffle")) {
            result.put("value", Boolean.valueOf(payloadsOf((String) step.get("class")).isChangedByShuffle));
            return;
        }
        if (op.equals("gives_own_record")) {
            result.put("value", Boolean.valueOf(payloadsOf((String) step.get("class")).givesOwnRecord));
            return;
        }
        if (op.equals("merge")) {
            mergers.merge(step, result);
            return;
        }
        HoodieRecordPayload payload = payload(step, "id");
        Schema schema = schemas.of(step.get("schema"));
        Properties props = props((Map) step.get("props"));
        if (op.equals("pre_combine")) {
            preCombine(payload, step, schema, props, result);
        } else if (op.equals("combine")) {
            String before = (String) step.get("current");
            GenericRecord current = schemas.decoded(step.get("current_schema"), before);
            try {
                Option value = props == null ? payload.combineAndGetUpdateValue(current, schema)
                    : payload.combineAndGetUpdateValue(current, schema, props);
                answer(value, current, step, result);
            } finally {
                if (step.containsKey("watch")) {
                    String after = NumberedSchemas.encoded(current);
                    result.put("current_after", after.equals(before) ? null : after);
                }
            }
        } else if (op.equals("insert_value")) {
            LostFields fields = written(step, payload);
            Option value;
            try {
                value = props == null ? payload.getInsertValue(schema) : payload.getInsertValue(schema, props);
            } catch (RuntimeException error) {
                throw fields == null ? error : fields.explained(error);
            }
            answer(value, null, step, result);
        } else if (op.equals("indexed_record")) {
            Class[] parameters = new Class[] {Schema.class, Properties.class};
            Object value = HoodieRecordPayload.class.getMethod("getIndexedRecord", parameters)
                .invoke(payload, new Object[] {schema, props});
            answer((Option) value, null, step, result);
        } else if (op.equals("copy")) {
            payloads.put(step.get("as"), copies().copy(payload));
            records.remove(step.get("as"));
        } else if (op.equals("shuffled")) {
            payloads.put(step.get("as"), copies().shuffled(payload));
            records.put(step.get("as"), records.get(step.get("id")));
        } else if (op.equals("state")) {
            result.put("value", Base64.getEncoder().encodeToString(copies().bytes(payload)));
        } else if (op.equals("data")) {
            schemas.put(result, payloadsOf(payload.getClass().getName()).dataOf(payload, schema, new Properties()));
        } else if (op.equals("is_deleted")) {
            LostFields fields = written(step, payload);
            try {
                result.put("value", Boolean.valueOf(Payloads.isDeleted(payload, schema, props)));
            } catch (RuntimeException error) {
                throw fields == null ? error : fields.explained(error);
            }
        } else if (op.equals("ordering")) {
            result.put("value", OrderingText.toText(payload.getOrderingValue()));
        } else if (op.equals("metadata")) {
            result.put("value", Payloads.orNull(payload.getMetadata()));
        } else if (op.equals("can_produce_sentinel")) {
            result.put("value", Boolean.valueOf(
                payload instanceof BaseAvroPayload && ((BaseAvroPayload) payload).canProduceSentinel()));
        } else {
            throw new IllegalArgumentException("unknown step " + op);
        }
    }

    private void make(Map step) throws Throwable {
        forget(step.get("id"));
        Class type = PayloadCalls.class.getClassLoader().loadClass((String) step.get("class"));
        String constructor = (String) step.get("constructor");
        if (constructor.equals("text")) {
            payloads.put(step.get("id"), type.getConstructor(new Class[] {String.class})
                .newInstance(new Object[] {step.get("record")}));
            return;
        }
        GenericRecord record = schemas.decoded(step.get("schema"), (String) step.get("record"));
        record = step.containsKey("of_merge") ? Decoded.of(record) : record;
        List ordering = (List) step.get("ordering");
        Object payload;
        if (constructor.equals("option")) {
            payload = type.getConstructor(new Class[] {Option.class})
                .newInstance(new Object[] {Option.ofNullable(record)});
        } else if (constructor.equals("record")) {
            payload = type.getConstructor(new Class[] {GenericRecord.class}).newInstance(new Object[] {record});
        } else if (constructor.equals("none")) {
            payload = type.getConstructor(new Class[0]).newInstance(new Object[0]);
        } else {
            Comparable value = ordering == null ? null
                : OrderingText.fromText((String) ordering.get(0), (String) ordering.get(1));
            payload = payloadsOf(type.getName()).make(record, value);
        }
        if (step.containsKey("written")) {
            LostFields fields = payloadsOf(type.getName()).lostFields();
            lost.put(step.get("id"), fields);
            payload = fields.without((HoodieRecordPayload) payload);
        }
        payloads.put(step.get("id"), step.containsKey("shuffled") ? copies().shuffled(payload) : payload);
        records.put(step.get("id"), record);
    }

    /** Returns what a payload has lost before a writer asks it; null for one that no shuffle brought. */
    private LostFields written(Map step, HoodieRecordPayload payload) {
        LostFields fields = (LostFields) lost.get(step.get("id"));
        if (fields != null) {
            fields.metadataOf(payload);
        }
        return fields;
    }

    private Copies copies() {
        if (copies == null) {
            copies = new Copies();
        }
        return copies;
    }

    private Payloads payloadsOf(String name) throws Throwable {
        Payloads found = (Payloads) payloadClasses.get(name);
        if (found == null) {
            found = new Payloads(name);
            payloadClasses.put(name, found);
        }
        return found;
    }

    private void preCombine(HoodieRecordPayload payload, Map step, Schema schema, Properties props, Map result) {
        HoodieRecordPayload older = payload(step, "older");
        HoodieRecordPayload merged;
        forget(step.get("as"));
        if (props == null) {
            merged = payload.preCombine(older);
        } else {
            merged = schema == null ? payload.preCombine(older, props) : payload.preCombine(older, schema, props);
        }
        result.put("winner", merged == payload ? "self" : merged == older ? "older" : merged == null ? "null" : "new");
        payloads.put(step.get("as"), merged);
    }

    private void answer(Option value, IndexedRecord current, Map step, Map result) throws Exception {
        if (!value.isPresent()) {
            result.put("outcome", "empty");
        } else if (value.get() == Payloads.SENTINEL) {
            result.put("outcome", "sentinel");
            schemas.put(result, current); // Hudi keeps the object that it lent, as the payload left it
        } else {
            IndexedRecord record = (IndexedRecord) value.get();
            result.put("outcome", "record");
            result.put("winner", record == current ? "current" : record == records.get(step.get("id")) ? "own" : "new");
            schemas.put(result, record);
        }
    }

    private HoodieRecordPayload payload(Map step, String name) {
        return (HoodieRecordPayload) payloads.get(step.get(name));
    }

    private static Properties props(Map entries) {
        if (entries == null) {
            return null;
        }
        Properties props = new Properties();
        props.putAll(entries);
        return props;
    }
}
