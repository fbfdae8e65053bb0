package bridge.jvm;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.IndexedRecord;
import org.apache.avro.util.Utf8;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.StructType;

/** Both directions of arrays, maps and structs. */
final class NestedCodecs {
    private NestedCodecs() {
    }

    private static String names(Schema record) {
        StringBuilder text = new StringBuilder();
        for (Iterator i = record.getFields().iterator(); i.hasNext();) {
            text.append(text.length() == 0 ? "" : ", ").append(((Schema.Field) i.next()).name());
        }
        return text.toString();
    }

    static final class ArrayCodec extends Codec {
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
                throw Codec.unlike(column, value, "list");
            }
            Object[] values = ((Collection) value).toArray();
            for (int i = 0; i < values.length; i++) {
                values[i] = items.write(values[i]);
            }
            return scala.collection.JavaConverters.asScalaBuffer(Arrays.asList(values));
        }
    }

    static final class MapCodec extends Codec {
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
                throw Codec.unlike(column, value, "map");
            }
            Map map = new HashMap();
            for (Iterator i = ((Map) value).entrySet().iterator(); i.hasNext();) {
                Map.Entry entry = (Map.Entry) i.next();
                map.put(entry.getKey().toString(), items.write(entry.getValue()));
            }
            return scala.collection.JavaConverters.mapAsScalaMap(map);
        }
    }

    static final class Struct extends Codec {
        private final Schema schema;
        private final String column;
        private final int[] positions;
        private final Codec[] codecs;

        Struct(Schema schema, StructType type, String column, boolean java8) {
            this.schema = schema;
            this.column = column;
            String[] names = type.fieldNames();
            if (names.length != schema.getFields().size()) {
                throw new RecordError("column '" + column + "' has the fields " + String.join(", ", names)
                    + ", its Avro record " + names(schema) + "; align them");
            }
            positions = new int[names.length];
            codecs = new Codec[names.length];
            for (int i = 0; i < names.length; i++) {
                Schema.Field field = schema.getField(names[i]);
                if (field == null) {
                    throw new RecordError("the Avro record of column '" + column + "' has no field '" + names[i] + "'");
                }
                positions[i] = field.pos();
                codecs[i] = Codec.of(field.schema(), type.apply(i).dataType(), column + "." + names[i], false, java8);
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
                throw Codec.unlike(column, value, "record");
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
