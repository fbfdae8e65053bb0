package bridge.jvm;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericEnumSymbol;
import org.apache.avro.generic.GenericFixed;
import org.apache.avro.generic.IndexedRecord;
import org.apache.avro.util.Utf8;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.catalyst.util.DateTimeUtils;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructType;

/**
 * Both directions of one value: Spark's external value and the Avro value that a payload sees.
 *
 * A value of a column (`flat`) comes in a plain form that costs little: text as its UTF-8 bytes, a date as days, a
 * timestamp as microseconds. Inside nested columns values are what Spark's rows hold.
 */
abstract class Codec {
    abstract Object read(Object value);

    abstract Object write(Object value);

    static Codec of(Schema schema, DataType type, String column, boolean flat, boolean java8) {
        Schema plain = plain(schema, column);
        Codec codec = plainCodec(plain, type, column, flat, java8);
        if (codec == null) {
            throw new RecordError("column '" + column + "': a Spark " + type.simpleString()
                + " can't hold the Avro type " + plain + "; cast the column");
        }
        return new Nullable(codec, column, plain != schema);
    }

    /** Returns the one type besides null. */
    private static Schema plain(Schema schema, String column) {
        if (schema.getType() != Schema.Type.UNION) {
            return schema;
        }
        Schema found = null;
        for (Iterator i = schema.getTypes().iterator(); i.hasNext();) {
            Schema branch = (Schema) i.next();
            if (branch.getType() != Schema.Type.NULL) {
                if (found != null) {
                    throw new RecordError("column '" + column + "' is a union of several types; give it one");
                }
                found = branch;
            }
        }
        return found;
    }

    private static Codec plainCodec(Schema avro, DataType spark, String column, boolean flat, boolean java8) {
        String type = spark.typeName();
        String logical = avro.getLogicalType() == null ? avro.getProp("logicalType") : avro.getLogicalType().getName();
        switch (avro.getType()) {
            case BOOLEAN:
                return type.equals("boolean") ? new Same(Boolean.class, column) : null;
            case INT:
                if (type.equals("date")) {
                    return flat ? (Codec) new Same(Integer.class, column) : new DateCodec(column, java8);
                }
                return wholeNumber(type, false, column);
            case LONG:
                if (type.startsWith("timestamp")) {
                    long unit = logical != null && logical.endsWith("millis") ? 1000L : 1L;
                    return new TimestampCodec(column, unit, type.equals("timestamp_ntz"), flat, java8);
                }
                return wholeNumber(type, true, column);
            case FLOAT:
                return type.equals("float") ? new Same(Float.class, column) : null;
            case DOUBLE:
                return type.equals("double") ? new Same(Double.class, column) : null;
            case STRING:
            case ENUM:
                return type.equals("string") || type.startsWith("char") || type.startsWith("varchar")
                    ? new Text(avro, column, flat) : null;
            case BYTES:
            case FIXED:
                if (spark instanceof DecimalType && "decimal".equals(logical)) {
                    return new DecimalCodec(avro, (DecimalType) spark, column);
                }
                return type.equals("binary") ? new Bytes(avro, column) : null;
            case ARRAY:
                return spark instanceof ArrayType
                    ? new ArrayCodec(avro, of(avro.getElementType(), ((ArrayType) spark).elementType(), column + "[]",
                        false, java8), column)
                    : null;
            case MAP:
                return spark instanceof MapType
                    ? new MapCodec(of(avro.getValueType(), ((MapType) spark).valueType(), column + "[]", false, java8),
                        column)
                    : null;
            case RECORD:
                return spark instanceof StructType ? new Struct(avro, (StructType) spark, column, java8) : null;
            default:
                return null;
        }
    }

    private static Codec wholeNumber(String type, boolean wide, String column) {
        if (type.equals("integer")) {
            return wide ? (Codec) new Narrowed(column, 32, true) : new Same(Integer.class, column);
        }
        if (type.equals("long")) {
            return wide ? new Same(Long.class, column) : null;
        }
        if (type.equals("short")) {
            return new Narrowed(column, 16, wide);
        }
        return type.equals("byte") ? new Narrowed(column, 8, wide) : null;
    }

    static RecordError unlike(String column, Object value, String wanted) {
        return new RecordError("field '" + column + "': a " + value.getClass().getName() + " is no " + wanted
            + "; the payload must answer values of the schema's types");
    }

    private static final class Nullable extends Codec {
        private final Codec codec;
        private final String column;
        private final boolean nullable;

        Nullable(Codec codec, String column, boolean nullable) {
            this.codec = codec;
            this.column = column;
            this.nullable = nullable;
        }

        Object read(Object value) {
            return value == null ? refuseNull() : codec.read(value);
        }

        Object write(Object value) {
            return value == null ? refuseNull() : codec.write(value);
        }

        private Object refuseNull() {
            if (!nullable) {
                throw new RecordError(
                    "field '" + column + "' can't be null, and a row has null there; fill it or make it nullable");
            }
            return null;
        }
    }

    private static final class Same extends Codec {
        private final Class type;
        private final String column;

        Same(Class type, String column) {
            this.type = type;
            this.column = column;
        }

        Object read(Object value) {
            return value;
        }

        Object write(Object value) {
            if (value.getClass() != type) {
                throw unlike(column, value, type.getSimpleName());
            }
            return value;
        }
    }

    /** A whole number in a narrower column; Avro has int and long alone. */
    private static final class Narrowed extends Codec {
        private final String column;
        private final int bits;
        private final boolean wide;

        Narrowed(String column, int bits, boolean wide) {
            this.column = column;
            this.bits = bits;
            this.wide = wide;
        }

        Object read(Object value) {
            long number = ((Number) value).longValue();
            return wide ? (Object) Long.valueOf(number) : (Object) Integer.valueOf((int) number);
        }

        Object write(Object value) {
            if (value.getClass() != (wide ? (Class) Long.class : (Class) Integer.class)) {
                throw unlike(column, value, wide ? "Long" : "Integer");
            }
            long number = ((Number) value).longValue();
            if (number != number << (64 - bits) >> (64 - bits)) {
                throw new RecordError("field '" + column + "': " + number + " does not fit a column of " + bits
                    + " bits; widen the column");
            }
            if (bits == 32) {
                return Integer.valueOf((int) number);
            }
            return bits == 16 ? (Object) Short.valueOf((short) number) : (Object) Byte.valueOf((byte) number);
        }
    }

    private static final class Text extends Codec {
        private final Schema schema;
        private final String column;
        private final boolean flat;

        Text(Schema schema, String column, boolean flat) {
            this.schema = schema;
            this.column = column;
            this.flat = flat;
        }

        Object read(Object value) {
            if (schema.getType() == Schema.Type.ENUM) {
                String symbol = flat ? new Utf8((byte[]) value).toString() : (String) value;
                if (!schema.hasEnumSymbol(symbol)) {
                    throw new RecordError("field '" + column + "': '" + symbol + "' is none of the symbols "
                        + schema.getEnumSymbols());
                }
                return new GenericData.EnumSymbol(schema, symbol);
            }
            return flat ? new Utf8((byte[]) value) : new Utf8((String) value);
        }

        Object write(Object value) {
            if (schema.getType() == Schema.Type.ENUM) {
                if (!schema.hasEnumSymbol(value.toString())) {
                    throw unlike(column, value, "symbol of " + schema.getEnumSymbols());
                }
            } else if (!(value instanceof CharSequence)) {
                throw unlike(column, value, "text");
            }
            if (!flat) {
                return value.toString();
            }
            if (value instanceof Utf8) {
                Utf8 text = (Utf8) value;
                return Arrays.copyOf(text.getBytes(), text.getByteLength());
            }
            return new Utf8(value.toString()).getBytes();
        }
    }

    private static final class Bytes extends Codec {
        private final Schema schema;
        private final String column;

        Bytes(Schema schema, String column) {
            this.schema = schema;
            this.column = column;
        }

        Object read(Object value) {
            byte[] bytes = (byte[]) value;
            return schema.getType() == Schema.Type.BYTES ? (Object) ByteBuffer.wrap(bytes) : (Object) fixed(bytes);
        }

        private GenericFixed fixed(byte[] bytes) {
            if (bytes.length != schema.getFixedSize()) {
                throw new RecordError("field '" + column + "': a value has " + bytes.length + " bytes, its fixed type "
                    + schema.getFixedSize());
            }
            return new GenericData.Fixed(schema, bytes);
        }

        Object write(Object value) {
            return bytesOf(value, column);
        }
    }

    static byte[] bytesOf(Object value, String column) {
        if (value instanceof ByteBuffer) {
            ByteBuffer buffer = (ByteBuffer) ((ByteBuffer) value).duplicate();
            byte[] bytes = new byte[buffer.remaining()];
            buffer.get(bytes);
            return bytes;
        }
        if (value instanceof GenericFixed) {
            return ((GenericFixed) value).bytes();
        }
        throw unlike(column, value, "bytes");
    }

    private static final class DecimalCodec extends Codec {
        private final Schema schema;
        private final String column;
        private final int scale;
        private final int precision;

        DecimalCodec(Schema schema, DecimalType type, String column) {
            this.schema = schema;
            this.column = column;
            this.scale = type.scale();
            this.precision = type.precision();
            Object declared = schema.getObjectProp("scale");
            if ((declared == null ? 0 : ((Number) declared).intValue()) != scale) {
                throw new RecordError("column '" + column + "' has " + scale + " digits after the point, its Avro type "
                    + declared + "; cast the column");
            }
        }

        Object read(Object value) {
            byte[] bytes = ((BigDecimal) value).setScale(scale).unscaledValue().toByteArray();
            if (schema.getType() == Schema.Type.BYTES) {
                return ByteBuffer.wrap(bytes);
            }
            byte[] padded = new byte[schema.getFixedSize()];
            Arrays.fill(padded, (byte) (bytes[0] < 0 ? -1 : 0));
            System.arraycopy(bytes, 0, padded, padded.length - bytes.length, bytes.length);
            return new GenericData.Fixed(schema, padded);
        }

        Object write(Object value) {
            byte[] bytes = bytesOf(value, column);
            BigDecimal number = bytes.length == 0 ? new BigDecimal(BigInteger.ZERO, scale)
                : new BigDecimal(new BigInteger(bytes), scale);
            if (number.precision() > precision) {
                throw new RecordError("field '" + column + "': " + number + " has more than " + precision + " digits");
            }
            return number;
        }
    }

    private static final class DateCodec extends Codec {
        private final String column;
        private final boolean java8;

        DateCodec(String column, boolean java8) {
            this.column = column;
            this.java8 = java8;
        }

        Object read(Object value) {
            return Integer.valueOf(value instanceof LocalDate ? DateTimeUtils.localDateToDays((LocalDate) value)
                : DateTimeUtils.fromJavaDate((java.sql.Date) value));
        }

        Object write(Object value) {
            if (!(value instanceof Integer)) {
                throw unlike(column, value, "Integer");
            }
            int days = ((Integer) value).intValue();
            return java8 ? (Object) DateTimeUtils.daysToLocalDate(days) : (Object) DateTimeUtils.toJavaDate(days);
        }
    }

    private static final class TimestampCodec extends Codec {
        private final String column;
        private final long unit;
        private final boolean local;
        private final boolean flat;
        private final boolean java8;

        TimestampCodec(String column, long unit, boolean local, boolean flat, boolean java8) {
            this.column = column;
            this.unit = unit;
            this.local = local;
            this.flat = flat;
            this.java8 = java8;
        }

        Object read(Object value) {
            long micros;
            if (local) {
                micros = DateTimeUtils.localDateTimeToMicros((LocalDateTime) value);
            } else if (flat) {
                micros = ((Long) value).longValue();
            } else if (value instanceof Instant) {
                micros = DateTimeUtils.instantToMicros((Instant) value);
            } else {
                micros = DateTimeUtils.fromJavaTimestamp((java.sql.Timestamp) value);
            }
            return Long.valueOf(Math.floorDiv(micros, unit));
        }

        Object write(Object value) {
            if (!(value instanceof Long)) {
                throw unlike(column, value, "Long");
            }
            long micros = Math.multiplyExact(((Long) value).longValue(), unit);
            if (local) {
                return DateTimeUtils.microsToLocalDateTime(micros);
            }
            if (flat) {
                return Long.valueOf(micros);
            }
            return java8 ? (Object) DateTimeUtils.microsToInstant(micros) : (Object) DateTimeUtils.toJavaTimestamp(micros);
        }
    }

    private static final class ArrayCodec extends Codec {
        private final Schema schema;
        private final Codec items;
        private final String column;

        ArrayCodec(Schema schema, Codec items, String column) {
            this.schema = schema;
            this.items = items;
            this.column = column;
        }

        Object read(Object value) {
            List list = new ArrayList();
            for (scala.collection.Iterator i = ((scala.collection.Iterable) value).iterator(); i.hasNext();) {
                list.add(items.read(i.next()));
            }
            return new GenericData.Array(schema, list);
        }

        Object write(Object value) {
            if (!(value instanceof Collection)) {
                throw unlike(column, value, "list");
            }
            Object[] values = ((Collection) value).toArray();
            for (int i = 0; i < values.length; i++) {
                values[i] = items.write(values[i]);
            }
            return scala.collection.JavaConverters.asScalaBuffer(Arrays.asList(values));
        }
    }

    private static final class MapCodec extends Codec {
        private final Codec items;
        private final String column;

        MapCodec(Codec items, String column) {
            this.items = items;
            this.column = column;
        }

        Object read(Object value) {
            Map map = new HashMap();
            for (scala.collection.Iterator i = ((scala.collection.Iterable) value).iterator(); i.hasNext();) {
                scala.Tuple2 entry = (scala.Tuple2) i.next();
                map.put(new Utf8((String) entry._1()), items.read(entry._2()));
            }
            return map;
        }

        Object write(Object value) {
            if (!(value instanceof Map)) {
                throw unlike(column, value, "map");
            }
            Map map = new HashMap();
            for (Iterator i = ((Map) value).entrySet().iterator(); i.hasNext();) {
                Map.Entry entry = (Map.Entry) i.next();
                map.put(entry.getKey().toString(), items.write(entry.getValue()));
            }
            return scala.collection.JavaConverters.mapAsScalaMap(map);
        }
    }

    private static final class Struct extends Codec {
        private final Schema schema;
        private final String column;
        private final int[] positions;
        private final Codec[] codecs;

        Struct(Schema schema, StructType type, String column, boolean java8) {
            this.schema = schema;
            this.column = column;
            String[] names = type.fieldNames();
            if (names.length != schema.getFields().size()) {
                throw new RecordError("column '" + column + "' has the fields " + Arrays.asList(names)
                    + ", its Avro record others; align them");
            }
            positions = new int[names.length];
            codecs = new Codec[names.length];
            for (int i = 0; i < names.length; i++) {
                Schema.Field field = schema.getField(names[i]);
                if (field == null) {
                    throw new RecordError("the Avro record of column '" + column + "' has no field '" + names[i] + "'");
                }
                positions[i] = field.pos();
                codecs[i] = of(field.schema(), type.apply(i).dataType(), column + "." + names[i], false, java8);
            }
        }

        Object read(Object value) {
            Row row = (Row) value;
            GenericData.Record record = new GenericData.Record(schema);
            for (int i = 0; i < codecs.length; i++) {
                record.put(positions[i], codecs[i].read(row.get(i)));
            }
            return record;
        }

        Object write(Object value) {
            if (!(value instanceof IndexedRecord)) {
                throw unlike(column, value, "record");
            }
            IndexedRecord record = (IndexedRecord) value;
            Object[] values = new Object[codecs.length];
            for (int i = 0; i < values.length; i++) {
                values[i] = codecs[i].write(record.get(positions[i]));
            }
            return RowFactory.create(values);
        }
    }
}
