package bridge.jvm;

import java.util.Arrays;
import org.apache.avro.Schema;
import org.apache.avro.generic.IndexedRecord;
import org.apache.spark.sql.Row;

/** The value at a dotted path, as Avro has it, of a Spark row or an Avro record; null where there is no such field. */
final class FieldPath {
    private final Records records;
    private final String[] parts;
    private final int column;
    /** The type at the end of the path without its null branch; null where there is no such field. */
    final Schema leaf;

    FieldPath(Records records, Schema schema, String path) {
        this.records = records;
        parts = path.split("\\.");
        column = parts.length == 0 ? -1 : records.column(parts[0]);
        leaf = leaf(schema);
    }

    private Schema leaf(Schema schema) {
        Schema found = schema;
        for (int i = 0; i < parts.length; i++) {
            if (found.getType() != Schema.Type.RECORD) {
                throw noRecord(i);
            }
            Schema.Field field = found.getField(parts[i]);
            if (field == null) {
                return null;
            }
            found = Codec.plain(field.schema(), path());
        }
        return parts.length == 0 ? null : found;
    }

    Object in(Row row) {
        return leaf == null || column < 0 ? null : walk(records.value(row, column));
    }

    Object in(IndexedRecord record) {
        return leaf == null ? null : walk(record.get(record.getSchema().getField(parts[0]).pos()));
    }

    private Object walk(Object top) {
        Object value = top;
        for (int i = 1; i < parts.length; i++) {
            if (!(value instanceof IndexedRecord)) {
                throw noRecord(i);
            }
            IndexedRecord record = (IndexedRecord) value;
            value = record.get(record.getSchema().getField(parts[i]).pos());
        }
        return value;
    }

    private RecordError noRecord(int part) {
        return new RecordError("field '" + path() + "': there is no record above '" + parts[part]
            + "'; choose a field that always exists");
    }

    private String path() {
        return String.join(".", Arrays.asList(parts));
    }
}
