import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.*;
import java.lang.reflect.*;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Timestamp;
import java.time.*;
import java.util.*;
import java.util.concurrent.Callable;
import org.apache.avro.Schema;
import org.apache.avro.generic.*;
import org.apache.avro.io.*;
import org.apache.avro.util.Utf8;
import org.apache.hudi.common.model.*;
import org.apache.hudi.common.util.Option;

/** Answers vectors of tests/data/golden (see its format) with the classes of the Hudi that it is loaded with. */
public final class Judge {
    static final ObjectMapper JSON = new ObjectMapper();
    static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    static final boolean SINCE_1_1 = has("org.apache.hudi.common.table.read.BufferedRecordMergerFactory");
    static final Object SENTINEL = HoodieRecord.SENTINEL;
    GenericRecord lastGiven;
    final Map<String, Schema> schemas = new HashMap<>();

    static boolean has(String name) {
        try { Class.forName(name); return true; } catch (ClassNotFoundException e) { return false; }
    }

    /** Returns the vectors' ids and `expect`, a line each; the first line holds the schemas that the vectors name. */
    public static String answers(String lines) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader loader = thread.getContextClassLoader();
        TimeZone zone = TimeZone.getDefault();
        // Hudi looks for classes in the thread's loader, and takes dates of values in the zone of the JVM.
        thread.setContextClassLoader(Judge.class.getClassLoader());
        TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
        try {
            return answered(new BufferedReader(new StringReader(lines)));
        } finally {
            TimeZone.setDefault(zone);
            thread.setContextClassLoader(loader);
        }
    }

    /** Returns the record key and the partition path that Hudi's key generators make of a double and of a text. */
    public static String[] keyAndPath(double key, String part) throws Exception {
        Schema schema = new Schema.Parser().parse("{\"type\": \"record\", \"name\": \"r\", \"fields\": ["
            + "{\"name\": \"id\", \"type\": \"double\"}, {\"name\": \"part\", \"type\": [\"null\", \"string\"]}]}");
        GenericRecord record = new GenericData.Record(schema);
        record.put("id", key);
        record.put("part", part == null ? null : new Utf8(part));
        Class<?> keys = Class.forName("org.apache.hudi.keygen.KeyGenUtils");
        Object path;
        try {
            path = call(keys, "getPartitionPath", 5, record, "part", false, false, false);
        } catch (NoSuchMethodException since12) {
            path = call(keys, "getPartitionPath", 6, record, "part", false, false, false, false);
        }
        return new String[] {(String) call(keys, "getRecordKey", 3, record, "id", false), (String) path};
    }

    private static String answered(BufferedReader lines) throws Exception {
        Judge judge = new Judge();
        JsonNode named = JSON.readTree(lines.readLine());
        for (Iterator<String> i = named.fieldNames(); i.hasNext();) {
            String name = i.next();
            judge.schemas.put(name, parsed(named.get(name)));
        }
        StringBuilder answers = new StringBuilder();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            JsonNode vector = JSON.readTree(line);
            ObjectNode answer = NODES.objectNode();
            answer.set("id", vector.get("id"));
            answer.set("expect", judge.answer(vector));
            answers.append(JSON.writeValueAsString(answer)).append('\n');
        }
        return answers.toString();
    }

    static Schema parsed(JsonNode node) throws Exception {
        return new Schema.Parser().parse(JSON.writeValueAsString(node));
    }

    // -- stages

    static final class Staged extends Exception {
        final ObjectNode error;
        Staged(String stage, Throwable thrown) {
            Throwable t = thrown;
            while (t instanceof InvocationTargetException && t.getCause() != null) t = t.getCause();
            error = described(t);
            error.put("stage", stage);
            ArrayNode causes = error.putArray("causes");
            for (Throwable c = t.getCause(); c != null; c = c.getCause()) causes.add(described(c));
            if (System.getenv("TRACE") != null) t.printStackTrace();
        }
        static ObjectNode described(Throwable t) {
            ObjectNode node = NODES.objectNode();
            node.put("type", t.getClass().getName());
            String m = t.getMessage();
            if (m != null) m = m.replaceAll(" \\((class )?\\S+ (and|is) .*\\)$", "").replaceAll("@[0-9a-f]{4,}", "@*");
            node.put("message", m == null ? null : m.length() > 400 ? m.substring(0, 400) : m);
            return node;
        }
    }

    static <T> T stage(String name, Callable<T> call) throws Staged {
        try { return call.call(); } catch (Staged s) { throw s; } catch (Throwable t) { throw new Staged(name, t); }
    }

    static ObjectNode failed(Staged s) {
        ObjectNode node = NODES.objectNode();
        node.set("error", s.error);
        return node;
    }

    // -- Avro JSON

    static Object read(Schema s, JsonNode n) {
        switch (s.getType()) {
            case NULL: return null;
            case UNION:
                if (n.isNull()) return null;
                String name = n.fieldNames().next();
                for (Schema b : s.getTypes()) if (b.getFullName().equals(name)) return read(b, n.get(name));
                throw new IllegalStateException("no branch " + name + " in " + s);
            case RECORD:
                GenericData.Record r = new GenericData.Record(s);
                for (Schema.Field f : s.getFields()) r.put(f.pos(), read(f.schema(), n.get(f.name())));
                return r;
            case ENUM: return new GenericData.EnumSymbol(s, n.asText());
            case FIXED: return new GenericData.Fixed(s, n.asText().getBytes(StandardCharsets.ISO_8859_1));
            case BYTES: return ByteBuffer.wrap(n.asText().getBytes(StandardCharsets.ISO_8859_1));
            case STRING: return new Utf8(n.asText());
            case INT: return n.intValue();
            case LONG: return n.longValue();
            case FLOAT: return (float) number(n);
            case DOUBLE: return number(n);
            case BOOLEAN: return n.booleanValue();
            case ARRAY:
                List<Object> items = new ArrayList<>();
                for (JsonNode i : n) items.add(read(s.getElementType(), i));
                return new GenericData.Array<>(s, items);
            default:
                Map<Object, Object> map = new HashMap<>();
                for (Iterator<String> i = n.fieldNames(); i.hasNext();) {
                    String key = i.next();
                    map.put(new Utf8(key), read(s.getValueType(), n.get(key)));
                }
                return map;
        }
    }

    static double number(JsonNode n) {
        return n.isTextual() ? Double.parseDouble(n.asText()) : n.doubleValue();
    }

    /** Returns a record as a reader of Avro bytes makes it, of the very schema object. */
    static GenericRecord record(Schema schema, JsonNode value) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(bytes, null);
        new GenericDatumWriter<Object>(schema).write(read(schema, value), encoder);
        encoder.flush();
        return (GenericRecord) new GenericDatumReader<Object>(schema)
            .read(null, DecoderFactory.get().binaryDecoder(bytes.toByteArray(), null));
    }

    static JsonNode write(Schema s, Object v) {
        switch (s.getType()) {
            case NULL: if (v != null) throw new IllegalStateException("not null"); return NODES.nullNode();
            case UNION:
                if (v == null) { if (s.getIndexNamed("null") == null) throw new NullPointerException("null"); return NODES.nullNode(); }
                Schema b = s.getTypes().get(GenericData.get().resolveUnion(s, v));
                ObjectNode u = NODES.objectNode();
                u.set(b.getFullName(), write(b, v));
                return u;
            case RECORD:
                ObjectNode r = NODES.objectNode();
                for (Schema.Field f : s.getFields()) r.set(f.name(), write(f.schema(), ((IndexedRecord) v).get(f.pos())));
                return r;
            case ENUM: return NODES.textNode(v.toString());
            case FIXED: return NODES.textNode(new String(((GenericFixed) v).bytes(), StandardCharsets.ISO_8859_1));
            case BYTES: return NODES.textNode(latin((ByteBuffer) v));
            case STRING: return NODES.textNode(((CharSequence) v).toString());
            case INT: return NODES.numberNode(((Integer) v).intValue());
            case LONG: return NODES.numberNode(((Long) v).longValue());
            case FLOAT: return real(((Float) v).doubleValue());
            case DOUBLE: return real((Double) v);
            case BOOLEAN: return NODES.booleanNode((Boolean) v);
            case ARRAY:
                ArrayNode a = NODES.arrayNode();
                for (Object i : (Collection<?>) v) a.add(write(s.getElementType(), i));
                return a;
            default:
                ObjectNode m = NODES.objectNode();
                for (Map.Entry<?, ?> e : ((Map<?, ?>) v).entrySet()) m.set(e.getKey().toString(), write(s.getValueType(), e.getValue()));
                return m;
        }
    }

    static String latin(ByteBuffer b) {
        ByteBuffer d = b.duplicate();
        byte[] bytes = new byte[d.remaining()];
        d.get(bytes);
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    static JsonNode real(double v) {
        return Double.isNaN(v) || Double.isInfinite(v) ? NODES.textNode(Double.toString(v)) : NODES.numberNode(v);
    }

    JsonNode shown(Object record) {
        if (record == null) return NODES.nullNode();
        Schema s = ((IndexedRecord) record).getSchema();
        try {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(bytes, null);
            new GenericDatumWriter<Object>(s).write(record, encoder);
            encoder.flush();
            return write(s, new GenericDatumReader<Object>(s).read(null, DecoderFactory.get().binaryDecoder(bytes.toByteArray(), null)));
        } catch (Exception e) {
            ObjectNode node = NODES.objectNode();
            node.set("__unencodable__", new Staged("encode_result", e).error);
            try { node.put("to_string", record.toString()); } catch (RuntimeException f) { node.put("to_string", f.toString()); }
            return node;
        }
    }

    // -- ordering values

    static Comparable ordering(JsonNode n) throws Exception {
        JsonNode v = n.get("value");
        switch (n.get("type").asText()) {
            case "null": return null;
            case "int": return v.intValue();
            case "long": return v.longValue();
            case "float": return (float) number(v);
            case "double": return number(v);
            case "boolean": return v.booleanValue();
            case "string": return v.asText();
            case "utf8": return new Utf8(v.asText());
            case "decimal": return new BigDecimal(v.asText());
            case "local_date": return LocalDate.ofEpochDay(n.has("epoch_day") ? n.get("epoch_day").longValue() : LocalDate.parse(v.asText()).toEpochDay());
            case "timestamp": Timestamp t = new Timestamp(n.get("millis").longValue()); t.setNanos(n.get("nanos").intValue()); return t;
            case "bytes": return ByteBuffer.wrap(v.asText().getBytes(StandardCharsets.ISO_8859_1));
            case "avro": return (Comparable) read(parsed(n.get("schema")), v);
            case "array":
                Comparable[] values = new Comparable[v.size()];
                for (int i = 0; i < values.length; i++) values[i] = ordering(v.get(i));
                return (Comparable) Class.forName("org.apache.hudi.common.util.collection.ArrayComparable").getConstructor(Comparable[].class).newInstance((Object) values);
            default: throw new IllegalStateException(n.toString());
        }
    }

    static JsonNode shownOrdering(Object o) throws Exception {
        ObjectNode n = NODES.objectNode();
        if (o == null) return n.put("type", "null");
        if (o instanceof Integer) return n.put("type", "int").put("value", (Integer) o);
        if (o instanceof Long) return n.put("type", "long").put("value", (Long) o);
        if (o instanceof Float) { n.put("type", "float").set("value", real(((Float) o).doubleValue())); return n; }
        if (o instanceof Double) { n.put("type", "double").set("value", real((Double) o)); return n; }
        if (o instanceof Boolean) return n.put("type", "boolean").put("value", (Boolean) o);
        if (o instanceof String) return n.put("type", "string").put("value", (String) o);
        if (o instanceof Utf8) return n.put("type", "utf8").put("value", o.toString());
        if (o instanceof BigDecimal) return n.put("type", "decimal").put("value", o.toString());
        if (o instanceof LocalDate) return n.put("type", "local_date").put("value", o.toString()).put("epoch_day", ((LocalDate) o).toEpochDay());
        if (o instanceof Timestamp) return n.put("type", "timestamp").put("millis", ((Timestamp) o).getTime()).put("nanos", ((Timestamp) o).getNanos());
        if (o instanceof ByteBuffer) return n.put("type", "bytes").put("value", latin((ByteBuffer) o));
        if (o instanceof GenericContainer) {
            Schema s = ((GenericContainer) o).getSchema();
            n.put("type", "avro").set("schema", JSON.readTree(s.toString()));
            n.set("value", write(s, o));
            return n;
        }
        if (o.getClass().getName().endsWith("ArrayComparable")) {
            ArrayNode a = n.put("type", "array").putArray("value");
            for (Object e : (List<?>) o.getClass().getMethod("getValues").invoke(o)) a.add(shownOrdering(e));
            return n;
        }
        return n.put("type", o.getClass().getName()).put("value", o.toString());
    }

    // -- what a vector says

    Schema schemaOf(JsonNode vector, JsonNode raw) throws Exception {
        String name = raw.has("schema") ? raw.get("schema").asText() : vector.get("schema").asText();
        Schema s = schemas.get(name);
        return raw.has("schema_instance") ? new Schema.Parser().parse(s.toString()) : s;
    }

    GenericRecord given(JsonNode vector, int i) throws Exception {
        JsonNode raw = vector.get("records").get(i);
        lastGiven = raw.isNull() || !raw.hasNonNull("value") ? null : record(schemaOf(vector, raw), raw.get("value"));
        return lastGiven;
    }

    static Properties props(JsonNode vector) {
        Properties p = new org.apache.hudi.common.config.TypedProperties();
        if (vector.hasNonNull("props")) for (Iterator<String> i = vector.get("props").fieldNames(); i.hasNext();) {
            String k = i.next();
            p.setProperty(k, vector.get("props").get(k).asText());
        }
        return p;
    }

    static Comparable orderingOf(JsonNode raw) throws Exception {
        return raw.has("ordering") ? ordering(raw.get("ordering")) : Integer.valueOf(0);
    }

    HoodieRecordPayload payload(JsonNode vector, int i) throws Staged {
        return stage("construct[" + i + "]", () -> {
            JsonNode raw = vector.get("records").get(i);
            String name = (raw.has("payload_class") ? raw : vector).get("payload_class").asText();
            Class<?> c = Class.forName(name);
            String ctor = raw.has("ctor") ? raw.get("ctor").asText() : "record_ordering";
            switch (ctor) {
                case "record_ordering": return (HoodieRecordPayload) c.getConstructor(GenericRecord.class, Comparable.class).newInstance(given(vector, i), orderingOf(raw));
                case "option": return (HoodieRecordPayload) c.getConstructor(Option.class).newInstance(Option.ofNullable(given(vector, i)));
                case "record": return (HoodieRecordPayload) c.getConstructor(GenericRecord.class).newInstance(given(vector, i));
                case "noarg": return (HoodieRecordPayload) c.getConstructor().newInstance();
                default: return (HoodieRecordPayload) c.getConstructor(String.class).newInstance(raw.get("json").isNull() ? null : raw.get("json").asText());
            }
        });
    }

    // -- operations

    JsonNode answer(JsonNode vector) {
        try {
            switch (vector.get("op").asText()) {
                case "construct": return view(vector, payload(vector, 0));
                case "insert_value": return insertValue(vector);
                case "pre_combine": return preCombine(vector);
                case "combine": return combine(vector);
                case "extract_ordering": return extract(vector);
                case "merger": return SINCE_1_1 ? mergeBuffered(vector) : mergePayloads(vector);
                case "is_delete": return isDelete(vector);
                case "buffered": return buffered(vector);
                default: throw new IllegalStateException(vector.get("op").asText());
            }
        } catch (Staged s) {
            return failed(s);
        } catch (Exception e) {
            throw new RuntimeException(e);
        }
    }

    ObjectNode view(JsonNode vector, HoodieRecordPayload p) throws Exception {
        Schema schema = schemas.get(vector.get("schema").asText());
        Properties props = props(vector);
        ObjectNode n = NODES.objectNode();
        if (p instanceof BaseAvroPayload || p.getClass().getSimpleName().equals("HoodieAvroPayload")) n.set("record", shown(data(p, schema, props)));
        n.set("ordering", shownOrdering(p.getOrderingValue()));
        try { n.put("insert_outcome", outcome(stage("getInsertValue", () -> p.getInsertValue(schema, props)))); } catch (Staged s) { n.set("insert_outcome", failed(s)); }
        if (p instanceof BaseAvroPayload) {
            try { n.put("is_deleted", (Boolean) stage("isDeleted", () -> ((BaseAvroPayload) p).isDeleted(schema, props))); } catch (Staged s) { n.set("is_deleted", failed(s)); }
        }
        if (!p.getClass().getName().equals(vector.get("payload_class").asText())) n.put("payload_class", p.getClass().getName());
        if (vector.get("op").asText().equals("construct")) {
            n.set("metadata", metadata(p));
            if (p instanceof BaseAvroPayload) n.put("can_produce_sentinel", ((BaseAvroPayload) p).canProduceSentinel());
        }
        return n;
    }

    static Object data(HoodieRecordPayload p, Schema schema, Properties props) throws Exception {
        if (p instanceof BaseAvroPayload) {
            try {
                Method m = BaseAvroPayload.class.getMethod("getIndexedRecord", Schema.class, Properties.class);
                return ((Option<?>) m.invoke(p, schema, props)).orElse(null);
            } catch (NoSuchMethodException old) {
                Field f = BaseAvroPayload.class.getDeclaredField("recordBytes");
                f.setAccessible(true);
                byte[] raw = (byte[]) f.get(p);
                byte[] bytes = raw;
                return bytes.length == 0 ? null : org.apache.hudi.avro.HoodieAvroUtils.bytesToAvro(bytes, schema);
            }
        }
        byte[] bytes = (byte[]) p.getClass().getMethod("getRecordBytes").invoke(p);
        return bytes.length == 0 ? null : org.apache.hudi.avro.HoodieAvroUtils.bytesToAvro(bytes, schema);
    }

    static String outcome(Option<?> o) {
        return !o.isPresent() ? "empty" : o.get() == SENTINEL ? "sentinel" : "record";
    }

    static JsonNode metadata(HoodieRecordPayload p) {
        Option<?> m = p.getMetadata();
        return m.isPresent() ? JSON.valueToTree(m.get()) : NODES.nullNode();
    }

    ObjectNode insertValue(JsonNode vector) throws Staged, Exception {
        HoodieRecordPayload p = payload(vector, 0);
        Schema schema = schemas.get(vector.get("schema").asText());
        Option<?> r = stage("op", () -> vector.has("api") ? p.getInsertValue(schema) : p.getInsertValue(schema, props(vector)));
        ObjectNode n = NODES.objectNode();
        n.put("outcome", outcome(r));
        if (outcome(r).equals("record")) n.set("record", shown(r.get()));
        n.set("metadata", metadata(p));
        return n;
    }

    ObjectNode preCombine(JsonNode vector) throws Staged, Exception {
        HoodieRecordPayload older = payload(vector, 0), newer = payload(vector, 1);
        Schema schema = schemas.get(vector.get("schema").asText());
        String api = vector.has("api") ? vector.get("api").asText() : "";
        HoodieRecordPayload r = (HoodieRecordPayload) stage("op", () -> api.equals("plain") ? newer.preCombine(older)
            : api.equals("props") ? newer.preCombine(older, props(vector)) : newer.preCombine(older, schema, props(vector)));
        ObjectNode n = NODES.objectNode();
        if (r == older) n.put("winner", 0); else if (r == newer) n.put("winner", 1); else n.put("winner", "merged");
        n.setAll(view(vector, r));
        return n;
    }

    static JsonNode winnerOf(Object result, JsonNode shown, JsonNode stored, JsonNode incoming) {
        if (shown.equals(incoming)) return NODES.numberNode(1);
        if (shown.equals(stored)) return NODES.numberNode(0);
        return NODES.textNode("merged");
    }

    ObjectNode combine(JsonNode vector) throws Staged, Exception {
        GenericRecord current = given(vector, 0);
        HoodieRecordPayload p = payload(vector, 1);
        Schema schema = schemas.get(vector.get("schema").asText());
        GenericRecord mine = lastGiven;
        JsonNode stored = shown(current), incoming = shown(mine);
        Option<?> r = stage("op", () -> vector.has("api") && vector.get("api").asText().equals("no_props")
            ? p.combineAndGetUpdateValue(current, schema) : p.combineAndGetUpdateValue(current, schema, props(vector)));
        ObjectNode n = NODES.objectNode();
        String outcome = outcome(r);
        n.put("outcome", outcome);
        if (outcome.equals("record")) {
            JsonNode shown = shown(r.get());
            Object own = mine;
            n.put("identity", r.get() == current ? "older" : r.get() == own ? "newer" : "new");
            ArrayNode equal = n.putArray("equals");
            if (shown.equals(stored)) equal.add(0);
            if (shown.equals(incoming)) equal.add(1);
            boolean changed = r.get() == own && !shown.equals(incoming);
            n.set("winner", r.get() == current ? NODES.numberNode(0) : changed ? NODES.textNode("merged") : winnerOf(r.get(), shown, stored, incoming));
            n.set("record", shown);
        } else if (outcome.equals("sentinel")) n.put("winner", 0); else n.putNull("winner");
        n.set("metadata", metadata(p));
        return n;
    }

    ObjectNode extract(JsonNode vector) throws Staged, Exception {
        GenericRecord record = given(vector, 0);
        String fields = vector.get("fields").asText();
        ObjectNode n = NODES.objectNode();
        Schema schema = schemas.get(vector.get("schema").asText());
        Object o = stage("op", () -> {
            if (vector.get("via").asText().equals("record_context")) {
                Object context = Class.forName("org.apache.hudi.avro.AvroRecordContext").getMethod("getFieldAccessorInstance").invoke(null);
                return call(context, "getOrderingValue", 3, record, engine(schema), fields.split(","));
            }
            boolean lenient = vector.get("return_null_if_not_found").booleanValue(), consistent = vector.get("consistent_logical_timestamp").booleanValue();
            if (!SINCE_1_1) return org.apache.hudi.avro.HoodieAvroUtils.getNestedFieldVal(record, fields, lenient, consistent);
            String[] names = fields.split(",");
            if (names.length == 0) return Integer.valueOf(0);
            if (names.length == 1) return org.apache.hudi.avro.HoodieAvroUtils.getNestedFieldVal(record, names[0], lenient, consistent);
            Comparable[] values = new Comparable[names.length];
            for (int i = 0; i < names.length; i++) values[i] = (Comparable) org.apache.hudi.avro.HoodieAvroUtils.getNestedFieldVal(record, names[i], lenient, consistent);
            return Class.forName("org.apache.hudi.common.util.collection.ArrayComparable").getConstructor(Comparable[].class).newInstance((Object) values);
        });
        n.set("ordering", shownOrdering(o));
        return n;
    }

    ObjectNode isDelete(JsonNode vector) throws Staged, Exception {
        Schema schema = schemas.get(vector.get("schema").asText());
        Object context = Class.forName("org.apache.hudi.avro.AvroRecordContext").getConstructor().newInstance();
        Class<?> c = Class.forName("org.apache.hudi.common.table.read.DeleteContext");
        Object asked = stage("delete_context", () -> call(c.getConstructors()[0].newInstance(props(vector), engine(schema)), "withReaderSchema", 1, engine(schema)));
        ObjectNode n = NODES.objectNode();
        n.put("is_delete", (Boolean) stage("op", () -> call(context, "isDeleteRecord", 2, given(vector, 0), asked)));
        return n;
    }

    ObjectNode mergePayloads(JsonNode vector) throws Staged, Exception {
        HoodieRecordPayload older = payload(vector, 0), newer = payload(vector, 1);
        Schema schema = schemas.get(vector.get("schema").asText());
        HoodieKey key = new HoodieKey("key", "partition");
        HoodieRecord o = new HoodieAvroRecord(key, older), w = new HoodieAvroRecord(key, newer);
        Object merger = Class.forName("org.apache.hudi.common.model." + vector.get("merger").asText()).getConstructor().newInstance();
        Option<?> r = (Option<?>) stage("op", () -> call(merger, "merge", 5, o, schema, w, schema, props(vector)));
        ObjectNode n = NODES.objectNode();
        if (!r.isPresent()) { n.put("outcome", "empty"); n.putNull("winner"); return n; }
        HoodieRecord result = (HoodieRecord) ((org.apache.hudi.common.util.collection.Pair<?, ?>) r.get()).getLeft();
        if (result instanceof HoodieAvroRecord) {
            HoodieRecordPayload p = (HoodieRecordPayload) result.getData();
            n.put("outcome", "hoodie_record");
            if (p == older) n.put("winner", 0); else if (p == newer) n.put("winner", 1); else n.put("winner", "merged");
            n.setAll(view(vector, p));
            return n;
        }
        JsonNode shown = shown(result.getData());
        n.put("outcome", "record");
        n.set("winner", winnerOf(result.getData(), shown, shown(given(vector, 0)), shown(given(vector, 1))));
        n.set("record", shown);
        return n;
    }

    // -- from 1.1 on

    /** Returns a schema in the class that the release's engines take. */
    static Object engine(Schema schema) throws Exception {
        return has("org.apache.hudi.common.schema.HoodieSchema")
            ? Class.forName("org.apache.hudi.common.schema.HoodieSchema").getMethod("fromAvroSchema", Schema.class).invoke(null, schema) : schema;
    }

    static Object call(Object target, String name, int arity, Object... arguments) throws Exception {
        Class<?> type = target instanceof Class ? (Class<?>) target : target.getClass();
        next:
        for (Method m : type.getMethods()) {
            if (!m.getName().equals(name) || m.getParameterCount() != arity || m.isBridge()) continue;
            Class<?>[] types = m.getParameterTypes();
            for (int i = 0; i < arity; i++) if (arguments[i] != null && !box(types[i]).isInstance(arguments[i])) continue next;
            m.setAccessible(true);
            return m.invoke(target instanceof Class ? null : target, arguments);
        }
        throw new NoSuchMethodException("judge: " + type + "." + name);
    }

    static Class<?> box(Class<?> c) { return c == boolean.class ? Boolean.class : c; }

    Object bufferedRecord(Object context, JsonNode vector, int i) throws Exception {
        JsonNode raw = vector.get("records").get(i);
        if (raw.isNull()) return null;
        GenericRecord r = given(vector, i);
        Object id = r != null ? call(context, "encodeAvroSchema", 1, r.getSchema()) : null;
        if (r == null && raw.path("keep_schema_id").asBoolean()) id = encoded(context, schemaOf(vector, raw));
        return newBuffered(raw, r, id);
    }

    static Object newBuffered(JsonNode raw, Object r, Object id) throws Exception {
        HoodieOperation op = raw.hasNonNull("operation") ? HoodieOperation.valueOf(raw.get("operation").asText()) : null;
        return Class.forName("org.apache.hudi.common.table.read.BufferedRecord").getConstructors()[0].getParameterCount() == 0
            ? Class.forName("org.apache.hudi.common.table.read.BufferedRecord").getConstructors()[1].newInstance(raw.path("key").asText("key"), orderingOf(raw), r, id, op)
            : Class.forName("org.apache.hudi.common.table.read.BufferedRecord").getConstructors()[0].newInstance(raw.path("key").asText("key"), orderingOf(raw), r, id, op);
    }

    static Object encoded(Object context, Schema s) throws Exception {
        try { return call(context, "encodeSchema", 1, engine(s)); } catch (NoSuchMethodException e) { return call(context, "encodeAvroSchema", 1, engine(s)); }
    }

    ObjectNode view(Object context, JsonNode vector, Object result, Object[] versions) throws Exception {
        ObjectNode n = NODES.objectNode();
        int winner = -1;
        for (int i = 0; i < versions.length; i++) if (versions[i] == result) { winner = i; break; }
        if (winner < 0) n.put("winner", "merged"); else n.put("winner", winner);
        Object op = call(result, "getHoodieOperation", 0);
        n.put("operation", op == null ? null : ((HoodieOperation) op).name());
        n.put("is_delete", (Boolean) call(result, "isDelete", 0));
        n.set("ordering", shownOrdering(call(result, "getOrderingValue", 0)));
        Object r = call(result, "getRecord", 0);
        n.set("record", shown(r));
        if (r != null) {
            Schema s = ((IndexedRecord) r).getSchema();
            for (Map.Entry<String, Schema> e : schemas.entrySet()) {
                if (e.getValue() == s && !e.getKey().equals(vector.get("schema").asText())) n.put("record_schema", e.getKey());
            }
        }
        return n;
    }

    Object context(Properties props, Schema schema) throws Exception {
        return Class.forName("org.apache.hudi.avro.AvroRecordContext").getConstructor().newInstance();
    }

    Object bufferedOf(Object context, JsonNode vector, int i) throws Exception {
        JsonNode raw = vector.get("records").get(i);
        if (raw.isNull()) return null;
        GenericRecord r = given(vector, i);
        Object id = r != null || raw.path("keep_schema_id").asBoolean() ? encoded(context, schemaOf(vector, raw)) : null;
        return newBuffered(raw, r, id);
    }

    ObjectNode mergeBuffered(JsonNode vector) throws Staged, Exception {
        Object context = context(null, null);
        Properties props = props(vector);
        if (vector.hasNonNull("payload_class")) props.setProperty("_hoodie.merger.payload.class", vector.get("payload_class").asText());
        Object merger = mergerNamed(vector.get("merger").asText());
        Object older = bufferedOf(context, vector, 0), newer = bufferedOf(context, vector, 1);
        Object r = stage("op", () -> call(merger, "merge", 4, older, newer, context, props));
        return view(context, vector, r, new Object[] {older, newer});
    }

    static Object mergerNamed(String name) throws Exception {
        return Class.forName("org.apache.hudi.common.model." + name).getConstructor().newInstance();
    }

    ObjectNode buffered(JsonNode vector) throws Staged, Exception {
        Properties props = props(vector);
        Schema schema = schemas.get(vector.get("schema").asText());
        Object config = Class.forName("org.apache.hudi.common.table.HoodieTableConfig").getConstructor().newInstance();
        Object storage = Class.forName("org.apache.hudi.storage.hadoop.HadoopStorageConfiguration").getConstructor(Boolean.class).newInstance(false);
        Object reader = null;
        for (Constructor<?> c : Class.forName("org.apache.hudi.avro.HoodieAvroReaderContext").getConstructors()) {
            if (c.getParameterCount() == 4 && c.getParameterTypes()[2] == Option.class) reader = c.newInstance(storage, config, Option.empty(), Option.empty());
        }
        Object context = call(reader, "getRecordContext", 0);
        String mode = vector.get("merge_mode").asText();
        Object modeValue = Enum.valueOf((Class) Class.forName("org.apache.hudi.common.config.RecordMergeMode"), mode);
        Option<?> payloadClass = vector.hasNonNull("payload_class") ? Option.of(vector.get("payload_class").asText()) : Option.empty();
        if (payloadClass.isPresent()) props.setProperty("_hoodie.merger.payload.class", (String) payloadClass.get());
        Option<?> merger = vector.hasNonNull("merger") ? Option.of(mergerNamed(vector.get("merger").asText())) : Option.empty();
        Option<?> partial = vector.hasNonNull("partial_update_mode")
            ? Option.of(Enum.valueOf((Class) Class.forName("org.apache.hudi.common.table.PartialUpdateMode"), vector.get("partial_update_mode").asText())) : Option.empty();
        Object readerContext = reader;
        Object built = stage("factory", () -> {
            for (Method m : Class.forName("org.apache.hudi.common.table.read.BufferedRecordMergerFactory").getMethods()) {
                if (m.getName().equals("create") && m.getParameterTypes()[4] == Option.class) {
                    return m.invoke(null, readerContext, modeValue, vector.path("partial_merging").asBoolean(), merger, payloadClass, engine(schema), props, partial);
                }
            }
            throw new IllegalStateException();
        });
        Object older = bufferedOf(context, vector, 0);
        ObjectNode n = NODES.objectNode();
        switch (vector.get("call").asText()) {
            case "delta_merge_delete":
                JsonNode raw = vector.get("records").get(1);
                Object entry = DeleteRecord.create(raw.path("key").asText("key"), "", orderingOf(raw));
                Option<?> d = (Option<?>) stage("op", () -> call(built, "deltaMerge", 2, entry, older));
                n.put("outcome", d.isPresent() ? "delete_record" : "empty");
                if (d.isPresent()) {
                    n.put("winner", 1);
                    n.set("ordering", shownOrdering(((DeleteRecord) d.get()).getOrderingValue()));
                } else n.put("winner", 0);
                return n;
            case "delta_merge":
                Object newer = bufferedOf(context, vector, 1);
                Option<?> m = (Option<?>) stage("op", () -> call(built, "deltaMerge", 2, newer, older));
                n.put("outcome", m.isPresent() ? "record" : "empty");
                if (m.isPresent()) n.setAll(view(context, vector, m.get(), new Object[] {older, newer})); else n.put("winner", 0);
                return n;
            default:
                Object last = bufferedOf(context, vector, 1);
                Object f = stage("op", () -> call(built, "finalMerge", 2, older, last));
                n.put("outcome", "record");
                n.setAll(view(context, vector, f, new Object[] {older, last}));
                return n;
        }
    }
}
