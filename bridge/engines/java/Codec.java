package bridge.jvm;

import java.util.Iterator;
import org.apache.avro.Schema;
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
    static Schema plain(Schema schema, String column) {
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
                    return flat ? (Codec) new Same(Integer.class, column) : new PlainCodecs.DateCodec(column, java8);
                }
                return wholeNumber(type, false, column);
            case LONG:
                if (type.startsWith("timestamp")) {
                    long unit = logical != null && logical.endsWith("millis") ? 1000L : 1L;
                    return new PlainCodecs.TimestampCodec(column, unit, type.equals("timestamp_ntz"), flat, java8);
                }
                return wholeNumber(type, true, column);
            case FLOAT:
                return type.equals("float") ? new Same(Float.class, column) : null;
            case DOUBLE:
                return type.equals("double") ? new Same(Double.class, column) : null;
            case STRING:
            case ENUM:
                return type.equals("string") || type.startsWith("char") || type.startsWith("varchar")
                    ? new PlainCodecs.Text(avro, column, flat) : null;
            case BYTES:
            case FIXED:
                if (spark instanceof DecimalType && "decimal".equals(logical)) {
                    return new PlainCodecs.DecimalCodec(avro, (DecimalType) spark, column);
                }
                return type.equals("binary") ? new PlainCodecs.Bytes(avro, column) : null;
            case ARRAY:
                return spark instanceof ArrayType
                    ? new NestedCodecs.ArrayCodec(avro, of(avro.getElementType(), ((ArrayType) spark).elementType(),
                        column + "[]", false, java8), column)
                    : null;
            case MAP:
                return spark instanceof MapType
                    ? new NestedCodecs.MapCodec(of(avro.getValueType(), ((MapType) spark).valueType(),
                        column + "[]", false, java8), column)
                    : null;
            case RECORD:
                return spark instanceof StructType
                    ? new NestedCodecs.Struct(avro, (StructType) spark, column, java8)
                    : null;
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
        return new RecordError("field '" + column + "': the payload returned a " + value.getClass().getName() + ", not "
            + wanted + "; return values of the schema's types");
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
                    "field '" + column + "' can't be null, and a row has null there; fill it or make the field nullable");
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
}
