package bridge.jvm;

import bridge.jvm.Constants.ControlColumn;
import bridge.jvm.Constants.Limit;
import bridge.jvm.Constants.OrderingType;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericContainer;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericEnumSymbol;
import org.apache.avro.generic.GenericFixed;
import org.apache.avro.util.Utf8;

/** Ordering values as the two texts of the column `_pb_ordering`: Java type and value. */
final class OrderingText {
    private static final ObjectMapper JSON = new ObjectMapper();

    private OrderingText() {
    }

    /** Returns type and text, or null for no ordering value. */
    static String[] toText(Object value) throws Exception {
        if (value == null) {
            return null;
        }
        if (value instanceof Integer) {
            return pair(OrderingType.INT, value);
        }
        if (value instanceof Long) {
            return pair(OrderingType.LONG, value);
        }
        if (value instanceof Float) {
            return pair(OrderingType.FLOAT, hex(((Float) value).doubleValue()));
        }
        if (value instanceof Double) {
            return pair(OrderingType.DOUBLE, hex(((Double) value).doubleValue()));
        }
        if (value instanceof Boolean) {
            return pair(OrderingType.BOOLEAN, value);
        }
        if (value instanceof String) {
            return pair(OrderingType.STRING, value);
        }
        if (value instanceof Utf8) {
            return pair(OrderingType.UTF8, value);
        }
        if (value instanceof BigDecimal) {
            return pair(OrderingType.DECIMAL, value);
        }
        if (value instanceof LocalDate) {
            return pair(OrderingType.LOCAL_DATE, Long.valueOf(((LocalDate) value).toEpochDay()));
        }
        if (value instanceof Timestamp) {
            Timestamp moment = (Timestamp) value;
            long seconds = Math.floorDiv(moment.getTime(), 1000L);
            return pair(OrderingType.TIMESTAMP, BigDecimal.valueOf(seconds).movePointRight(9)
                .add(BigDecimal.valueOf(moment.getNanos())).toPlainString());
        }
        if (value instanceof Instant) {
            return pair(OrderingType.INSTANT, Long.valueOf(ChronoUnit.MICROS.between(Instant.EPOCH, (Instant) value)));
        }
        if (value instanceof ByteBuffer) {
            return pair(OrderingType.BYTES, Base64.getEncoder().encodeToString(PlainCodecs.bytesOf(value, "ordering")));
        }
        if (value instanceof GenericEnumSymbol || value instanceof GenericFixed) {
            Map described = new LinkedHashMap();
            described.put("schema", JSON.readValue(((GenericContainer) value).getSchema().toString(), Object.class));
            described.put("value", value instanceof GenericFixed
                ? Base64.getEncoder().encodeToString(((GenericFixed) value).bytes()) : value.toString());
            return pair(OrderingType.AVRO, JSON.writeValueAsString(described));
        }
        List elements = elements(value);
        if (elements != null) {
            List texts = new ArrayList();
            for (Iterator i = elements.iterator(); i.hasNext();) {
                String[] element = toText(i.next());
                Map described = null;
                if (element != null) {
                    described = new LinkedHashMap();
                    described.put("type", element[0]);
                    described.put("value", element[1]);
                }
                texts.add(described);
            }
            return pair(OrderingType.ARRAY, JSON.writeValueAsString(texts));
        }
        throw new RecordError("an ordering value of the class " + value.getClass().getName()
            + " can't leave the payload; use a plain column as ordering field");
    }

    private static String[] pair(String type, Object value) {
        return new String[] {type, value.toString()};
    }

    private static String hex(double value) {
        return Double.isNaN(value) || Double.isInfinite(value) ? Double.toString(value) : Double.toHexString(value);
    }

    /** Returns the elements of a list of ordering values (ArrayComparable, from 1.1 on), or null for another class. */
    private static List elements(Object value) throws Exception {
        if (!value.getClass().getName().endsWith(".ArrayComparable")) {
            return null;
        }
        return (List) value.getClass().getMethod("getValues", new Class[0]).invoke(value, new Object[0]);
    }

    static Comparable fromText(String type, String text) throws Exception {
        if (type.equals(OrderingType.INT)) {
            return Integer.valueOf(text);
        }
        if (type.equals(OrderingType.LONG)) {
            return Long.valueOf(text);
        }
        if (type.equals(OrderingType.FLOAT)) {
            return Float.valueOf((float) number(text));
        }
        if (type.equals(OrderingType.DOUBLE)) {
            return Double.valueOf(number(text));
        }
        if (type.equals(OrderingType.BOOLEAN)) {
            return Boolean.valueOf(text);
        }
        if (type.equals(OrderingType.STRING)) {
            return text;
        }
        if (type.equals(OrderingType.UTF8)) {
            return new Utf8(text);
        }
        if (type.equals(OrderingType.DECIMAL)) {
            return new BigDecimal(text);
        }
        if (type.equals(OrderingType.LOCAL_DATE)) {
            return LocalDate.ofEpochDay(Long.parseLong(text));
        }
        if (type.equals(OrderingType.TIMESTAMP)) {
            BigDecimal[] parts = new BigDecimal(text).divideAndRemainder(BigDecimal.valueOf(1000000000L));
            Instant moment = Instant.ofEpochSecond(parts[0].longValueExact(), parts[1].longValueExact());
            Timestamp result = new Timestamp(moment.getEpochSecond() * 1000L);
            result.setNanos(moment.getNano());
            return result;
        }
        if (type.equals(OrderingType.INSTANT)) {
            return Instant.EPOCH.plus(Long.parseLong(text), ChronoUnit.MICROS);
        }
        if (type.equals(OrderingType.BYTES)) {
            return ByteBuffer.wrap(Base64.getDecoder().decode(text));
        }
        if (type.equals(OrderingType.AVRO)) {
            Map described = (Map) JSON.readValue(text, Map.class);
            Schema schema = new Schema.Parser().parse(JSON.writeValueAsString(described.get("schema")));
            if (schema.getType() == Schema.Type.FIXED) {
                return new GenericData.Fixed(schema, Base64.getDecoder().decode((String) described.get("value")));
            }
            if (schema.getType() == Schema.Type.ENUM) {
                return new GenericData.EnumSymbol(schema, (String) described.get("value"));
            }
        }
        if (type.equals(OrderingType.ARRAY)) {
            List texts = (List) JSON.readValue(text, List.class);
            Comparable[] values = new Comparable[texts.size()];
            for (int i = 0; i < values.length; i++) {
                Map element = (Map) texts.get(i);
                values[i] = element == null ? null
                    : fromText((String) element.get("type"), (String) element.get("value"));
            }
            Class list = OrderingText.class.getClassLoader()
                .loadClass("org.apache.hudi.common.util.collection.ArrayComparable");
            return (Comparable) list.getConstructor(new Class[] {Comparable[].class})
                .newInstance(new Object[] {values});
        }
        throw new RecordError("the column " + ControlColumn.ORDERING + " has '" + text + "' of type '" + type
            + "', which is not an ordering value");
    }

    private static double number(String text) {
        if (text.equals("nan")) {
            return Double.NaN;
        }
        if (text.endsWith("inf")) {
            return text.startsWith("-") ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
        }
        return Double.parseDouble(text);
    }

    /** Returns an ordering value as a reader of a delete block gets it, until release 0.15. */
    static Comparable readBack(Comparable value) {
        if (value instanceof Utf8) {
            return value.toString();
        }
        if (value instanceof Timestamp) {
            Instant moment = ((Timestamp) value).toInstant();
            return moment.truncatedTo(ChronoUnit.MICROS);
        }
        if (value instanceof BigDecimal) {
            BigDecimal number = (BigDecimal) value;
            BigDecimal scaled;
            try {
                scaled = number.setScale(Limit.DECIMAL_SCALE);
            } catch (ArithmeticException rounded) {
                scaled = null;
            }
            if (scaled == null || scaled.precision() > Limit.DECIMAL_DIGITS) {
                throw new RecordError("the ordering value " + number + " does not fit a delete block, which "
                    + "stores " + Limit.DECIMAL_DIGITS + " digits, " + Limit.DECIMAL_SCALE
                    + " of them after the point; use another ordering field");
            }
            return scaled;
        }
        if (value instanceof Integer || value instanceof Long || value instanceof Float || value instanceof Double
            || value instanceof Boolean || value instanceof ByteBuffer || value instanceof String
            || value instanceof LocalDate) {
            return value;
        }
        throw new RecordError("a delete with an ordering value of type " + value.getClass().getName()
            + " can't be written to a log; use another ordering field");
    }
}
