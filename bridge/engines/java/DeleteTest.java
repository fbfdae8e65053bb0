package bridge.jvm;

import bridge.jvm.Constants.RowMark;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.spark.sql.Row;

/** What marks a row as a delete where merge modes decide: DeleteContext of mergers/record/context.py. */
final class DeleteTest {
    private static final List OPERATIONS = Arrays.asList(RowMark.OPERATIONS);
    private static final List DELETE_OPERATIONS = Arrays.asList(RowMark.DELETE_OPERATIONS);

    private final FieldPath flag;
    private final FieldPath operation;
    private final FieldPath field;
    private final String marker;

    DeleteTest(Map described, Records records, Schema schema) {
        flag = path(described, "flag", records, schema);
        operation = path(described, "operation", records, schema);
        field = path(described, "field", records, schema);
        marker = (String) described.get("marker");
    }

    private static FieldPath path(Map described, String name, Records records, Schema schema) {
        Object path = described.get(name);
        return path == null ? null : new FieldPath(records, schema, (String) path);
    }

    boolean isDelete(Row row) {
        return flag != null && isTrue(flag.in(row)) || operation != null && deletes(operation.in(row))
            || field != null && isMarker(field.in(row));
    }

    boolean isDelete(GenericRecord record) {
        return flag != null && isTrue(flag.in(record)) || operation != null && deletes(operation.in(record))
            || field != null && isMarker(field.in(record));
    }

    private static boolean isTrue(Object value) {
        if (value != null && !(value instanceof Boolean)) {
            throw new RecordError(RowMark.IS_DELETED + " holds " + value + ", which can't be cast to boolean; "
                + "make the column a boolean");
        }
        return Boolean.TRUE.equals(value);
    }

    private static boolean deletes(Object value) {
        String code = String.valueOf(value);
        if (!OPERATIONS.contains(code)) {
            throw new RecordError(RowMark.OPERATION_COLUMN + " is " + code + ", and Hudi fails on that; use one of "
                + String.join(", ", OPERATIONS));
        }
        return DELETE_OPERATIONS.contains(code);
    }

    private boolean isMarker(Object value) {
        return value != null && value.toString().equals(marker);
    }
}
