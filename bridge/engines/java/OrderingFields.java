package bridge.jvm;

import bridge.jvm.Constants.Limit;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.util.Utf8;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Ordering values where merge modes decide, in the Java classes of the engine: mergers/strategies/record_context.py.
 *
 * Rows are Avro's in a writer and Spark's in a reader. A null or missing field reads as Integer 0.
 */
final class OrderingFields {
    private static final Integer NONE = Integer.valueOf(0);

    private final FieldPath[] paths;
    private final boolean ofSpark;
    private final boolean since11;

    OrderingFields(Records records, Schema schema, List names, boolean ofSpark, boolean since11) {
        paths = new FieldPath[names.size()];
        for (int i = 0; i < paths.length; i++) {
            paths[i] = new FieldPath(records, schema, (String) names.get(i));
        }
        this.ofSpark = ofSpark;
        this.since11 = since11;
    }

    Comparable of(Row row) {
        if (paths.length == 1) {
            return made(paths[0], paths[0].in(row));
        }
        Comparable[] values = new Comparable[paths.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = made(paths[i], paths[i].in(row));
        }
        return listed(values);
    }

    Comparable of(GenericRecord record) {
        if (paths.length == 1) {
            Comparable value = made(paths[0], paths[0].in(record));
            // A payload may have put plain text; this conversion does not reach into a list.
            return value instanceof String ? new Utf8((String) value) : value;
        }
        Comparable[] values = new Comparable[paths.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = made(paths[i], paths[i].in(record));
        }
        return listed(values);
    }

    private static Comparable listed(Comparable[] values) {
        return values.length == 0 ? NONE : Tuples.of(values);
    }

    private Comparable made(FieldPath path, Object value) {
        if (value == null) {
            return NONE;
        }
        if (!ofSpark) {
            return (Comparable) value;
        }
        switch (path.leaf.getType()) {
            case STRING:
            case ENUM:
                return UTF8String.fromString(value.toString());
            case BYTES:
            case FIXED:
                return decimal(path.leaf, value);
            case LONG:
                return isMillis(path) ? Long.valueOf(((Long) value).longValue() * 1000L) : (Long) value;
            default:
                return (Comparable) value;
        }
    }

    private static Comparable decimal(Schema schema, Object value) {
        if (!"decimal".equals(schema.getProp("logicalType"))) {
            return (Comparable) value;
        }
        Object scale = schema.getObjectProp("scale");
        BigInteger digits = new BigInteger(PlainCodecs.bytesOf(value, "ordering"));
        return Decimal.apply(new BigDecimal(digits, scale == null ? 0 : ((Number) scale).intValue()));
    }

    private static boolean isMillis(FieldPath path) {
        return path.leaf != null && path.leaf.getType() == Schema.Type.LONG
            && "timestamp-millis".equals(path.leaf.getProp("logicalType"));
    }

    /** Returns the ordering value of an entry of a delete block as the engine's rows have it. */
    Comparable ofEntry(Comparable value) {
        List elements = Tuples.elements(value);
        if (elements == null) {
            return ofEntry(paths.length == 0 ? null : paths[0], value);
        }
        Comparable[] values = new Comparable[elements.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = ofEntry(values.length == paths.length ? paths[i] : null, (Comparable) elements.get(i));
        }
        return Tuples.of(values);
    }

    private Comparable ofEntry(FieldPath path, Comparable value) {
        if (value instanceof String) {
            return ofSpark ? (Comparable) UTF8String.fromString((String) value) : new Utf8((String) value);
        }
        if (!ofSpark || !since11) {
            return value;
        }
        if (value instanceof BigDecimal) {
            return Decimal.apply((BigDecimal) value);
        }
        if (path != null && isMillis(path) && (value instanceof Long || value instanceof Integer)) {
            long millis = ((Number) value).longValue();
            return millis <= Limit.LARGEST_MILLIS ? Long.valueOf(millis * 1000L) : value;
        }
        return value;
    }
}
