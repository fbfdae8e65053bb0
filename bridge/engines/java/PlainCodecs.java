package bridge.jvm;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Arrays;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericFixed;
import org.apache.avro.util.Utf8;
import org.apache.spark.sql.catalyst.util.DateTimeUtils;
import org.apache.spark.sql.types.DecimalType;

/** Both directions of text, bytes, decimals, dates and timestamps. */
final class PlainCodecs {
    private PlainCodecs() {
    }

    static final class Text extends Codec {
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
                    throw new RecordError("field '" + column + "': '" + symbol + "' is not one of the symbols "
                        + schema.getEnumSymbols());
                }
                return new GenericData.EnumSymbol(schema, symbol);
            }
            return flat ? new Utf8((byte[]) value) : new Utf8((String) value);
        }

        Object write(Object value) {
            if (schema.getType() == Schema.Type.ENUM) {
                if (!schema.hasEnumSymbol(value.toString())) {
                    throw Codec.unlike(column, value, "symbol of " + schema.getEnumSymbols());
                }
            } else if (!(value instanceof CharSequence)) {
                throw Codec.unlike(column, value, "text");
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

    static final class Bytes extends Codec {
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

    static final class DecimalCodec extends Codec {
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

    static final class DateCodec extends Codec {
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
                throw Codec.unlike(column, value, "Integer");
            }
            int days = ((Integer) value).intValue();
            return java8 ? (Object) DateTimeUtils.daysToLocalDate(days) : (Object) DateTimeUtils.toJavaDate(days);
        }
    }

    static final class TimestampCodec extends Codec {
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
                throw Codec.unlike(column, value, "Long");
            }
            long micros = Math.multiplyExact(((Long) value).longValue(), unit);
            if (local) {
                return DateTimeUtils.microsToLocalDateTime(micros);
            }
            if (flat) {
                return Long.valueOf(micros);
            }
            return java8 ? (Object) DateTimeUtils.microsToInstant(micros)
                : (Object) DateTimeUtils.toJavaTimestamp(micros);
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
        throw Codec.unlike(column, value, "bytes");
    }
}
