package bridge.jvm;

import bridge.jvm.Constants.Limit;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.avro.JsonProperties;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;

/** The rows of a job as Avro records, and back; a row's data columns come first. */
final class Records {
    final Schema write;
    final Schema withMeta;
    /** A row with the key of the versions that are merged, be it without data. */
    Row current;
    private final boolean hasMeta;
    private final String[] columns;
    private final Codec[] codecs;
    private final int[] writeColumns;
    private final int[] metaColumns;
    private Schema lastSchema;
    private int[] lastPositions;
    private Schema lastAlike;
    private Schema lastWanted;

    Records(Schema write, Schema withMeta, boolean hasMeta, StructType data, boolean java8) {
        this.write = write;
        this.withMeta = withMeta;
        this.hasMeta = hasMeta;
        Schema full = hasMeta ? withMeta : write;
        columns = data.fieldNames();
        codecs = new Codec[columns.length];
        for (int i = 0; i < columns.length; i++) {
            Schema.Field field = full.getField(columns[i]);
            if (field == null) {
                throw new RecordError("the schema has no field for the column '" + columns[i] + "'");
            }
            codecs[i] = Codec.of(field.schema(), data.apply(i).dataType(), columns[i], true, java8);
        }
        writeColumns = columnsOf(write, data);
        metaColumns = columnsOf(withMeta, data);
    }

    /** Returns the records of a job. */
    static Records of(Map job) {
        StructType data = (StructType) DataType.fromJson((String) job.get("data"));
        return new Records(schema(job, "write_schema"), schema(job, "meta_schema"), flag(job, "has_meta"), data,
            flag(job, "java8"));
    }

    private static Schema schema(Map job, String name) {
        return new Schema.Parser().setValidateDefaults(false).parse((String) job.get(name));
    }

    private static boolean flag(Map job, String name) {
        return ((Boolean) job.get(name)).booleanValue();
    }

    private static int[] columnsOf(Schema schema, StructType data) {
        List fields = schema.getFields();
        int[] found = new int[fields.size()];
        for (int i = 0; i < found.length; i++) {
            String name = ((Schema.Field) fields.get(i)).name();
            found[i] = data.getFieldIndex(name).isEmpty() ? -1 : data.fieldIndex(name);
        }
        return found;
    }

    /** Returns what is written of a row: no meta columns. */
    GenericRecord incoming(Row row) {
        return record(row, write, writeColumns);
    }

    /** Returns a stored row: with its meta columns where the table has them. */
    GenericRecord stored(Row row) {
        return hasMeta ? record(row, withMeta, metaColumns) : record(row, write, writeColumns);
    }

    /** Returns a stored row with meta columns, null where the table has none. */
    GenericRecord wide(Row row) {
        return record(row, withMeta, metaColumns);
    }

    /** Returns a record as a row of the data columns. */
    Row row(GenericRecord record) {
        Object[] values = new Object[columns.length];
        put(record, values);
        return RowFactory.create(values);
    }

    /** Returns the value of one column of a row, or null. */
    Object value(Row row, int column) {
        return row.isNullAt(column) ? null : codecs[column].read(row.get(column));
    }

    /** Returns the position of a column; -1 where there is no such column. */
    int column(String name) {
        return Arrays.asList(columns).indexOf(name);
    }

    private GenericRecord record(Row row, Schema schema, int[] positions) {
        GenericData.Record record = new GenericData.Record(schema);
        for (int i = 0; i < positions.length; i++) {
            int column = positions[i];
            if (column >= 0) {
                record.put(i, codecs[column].read(row.get(column)));
            }
        }
        return record;
    }

    /** Returns a record with meta columns, itself where it has them. */
    GenericRecord withMeta(GenericRecord record) {
        if (record.getSchema().getFields().size() == withMeta.getFields().size()) {
            return record;
        }
        GenericData.Record wide = new GenericData.Record(withMeta);
        for (int i = Limit.META_COLUMNS; i < withMeta.getFields().size(); i++) {
            wide.put(i, record.get(i - Limit.META_COLUMNS));
        }
        return wide;
    }

    /** Whether a record is still what it was: texts by content, the rest by class and value, and every field. */
    static boolean isSame(GenericRecord record, GenericRecord before) {
        for (int i = 0; i < before.getSchema().getFields().size(); i++) {
            if (!isSameValue(record.get(i), before.get(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isSameValue(Object value, Object before) {
        if (value instanceof GenericRecord && before instanceof GenericRecord) {
            return isSame((GenericRecord) value, (GenericRecord) before);
        }
        if (value instanceof List && before instanceof List) {
            Iterator items = ((List) value).iterator();
            Iterator others = ((List) before).iterator();
            while (items.hasNext() && others.hasNext()) {
                if (!isSameValue(items.next(), others.next())) {
                    return false;
                }
            }
            return items.hasNext() == others.hasNext();
        }
        if (value instanceof Map && before instanceof Map) {
            return isSameMap((Map) value, (Map) before);
        }
        if (value instanceof CharSequence && before instanceof CharSequence) {
            // Avro's own class and String are stored alike; neither equals the other.
            return value.toString().equals(before.toString());
        }
        return before == null ? value == null : before.equals(value);
    }

    private static boolean isSameMap(Map value, Map before) {
        boolean isByText = !value.keySet().equals(before.keySet());
        Map found = isByText ? byText(value) : value;
        if (found.size() != before.size()) {
            return false;
        }
        for (Iterator i = before.entrySet().iterator(); i.hasNext();) {
            Map.Entry entry = (Map.Entry) i.next();
            Object key = isByText ? String.valueOf(entry.getKey()) : entry.getKey();
            if (!found.containsKey(key) || !isSameValue(found.get(key), entry.getValue())) {
                return false;
            }
        }
        return true;
    }

    private static Map byText(Map map) {
        Map found = new HashMap();
        for (Iterator i = map.entrySet().iterator(); i.hasNext();) {
            Map.Entry entry = (Map.Entry) i.next();
            found.put(String.valueOf(entry.getKey()), entry.getValue());
        }
        return found;
    }

    /** Whether every column but the key's is null: a delete without data. */
    boolean isBare(Row row, boolean[] isKey) {
        for (int i = 0; i < writeColumns.length; i++) {
            if (!isKey[writeColumns[i]] && !row.isNullAt(writeColumns[i])) {
                return false;
            }
        }
        return true;
    }

    /** Puts the data columns of a row into `values`. */
    void copy(Row row, Object[] values) {
        for (int i = 0; i < columns.length; i++) {
            values[i] = row.get(i);
        }
    }

    /** Puts the data columns of a record into `values`; meta columns that it lacks are null. */
    void put(IndexedRecord record, Object[] values) {
        Schema schema = record.getSchema();
        if (schema != lastSchema) {
            lastPositions = positionsIn(schema);
            lastSchema = schema;
        }
        for (int i = 0; i < columns.length; i++) {
            int position = lastPositions[i];
            values[i] = position < 0 ? null : codecs[i].write(record.get(position));
        }
    }

    private static boolean hasDefaultNull(Schema.Field field) {
        return field.hasDefaultValue() && field.defaultVal() == JsonProperties.NULL_VALUE;
    }

    /** Whether a record has the fields of a schema in its order, as merges from 1.1 on need it. */
    boolean isOf(Schema schema, GenericRecord record) {
        Schema own = record.getSchema();
        if (own == schema || own == lastAlike && schema == lastWanted) {
            return true;
        }
        List fields = schema.getFields();
        if (own.getFields().size() != fields.size()) {
            return false;
        }
        for (int i = 0; i < fields.size(); i++) {
            if (!((Schema.Field) own.getFields().get(i)).name().equals(((Schema.Field) fields.get(i)).name())) {
                return false;
            }
        }
        lastAlike = own;
        lastWanted = schema;
        return true;
    }

    /** Whether the fields of a schema are some of another's, in its order. */
    static boolean isPart(Schema own, Schema schema) {
        Iterator all = schema.getFields().iterator();
        for (Iterator i = own.getFields().iterator(); i.hasNext();) {
            String name = ((Schema.Field) i.next()).name();
            boolean isFound = false;
            while (!isFound && all.hasNext()) {
                isFound = ((Schema.Field) all.next()).name().equals(name);
            }
            if (!isFound) {
                return false;
            }
        }
        return true;
    }

    static String names(Schema schema) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < schema.getFields().size(); i++) {
            text.append(i == 0 ? "" : ", ").append(((Schema.Field) schema.getFields().get(i)).name());
        }
        return text.toString();
    }

    private int[] positionsIn(Schema schema) {
        int[] found = new int[columns.length];
        for (int i = 0; i < columns.length; i++) {
            Schema.Field field = schema.getField(columns[i]);
            Schema.Field wanted = write.getField(columns[i]);
            // Hudi's writers look fields up by name, and leave null what is not there.
            if (field == null && wanted != null && !hasDefaultNull(wanted)) {
                throw new RecordError("the payload returned a record without the field '" + columns[i]
                    + "', which has no default null; return every field of the schema that is given");
            }
            found[i] = field == null ? -1 : field.pos();
        }
        return found;
    }
}
