package bridge.jvm;

import bridge.jvm.Carriers.Buffered;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.spark.sql.Row;

/**
 * How rows are lent to a payload, and what becomes of the records that it makes.
 *
 * A writer's rows are Avro records, so that what a payload changes in one stays changed. A reader's are Spark's: a
 * payload gets a copy, and a record that it makes becomes a row at once.
 */
final class RowContext {
    final Records records;
    final Schema schema;
    final OrderingFields ordering;
    /** Whether rows are Spark's, else Avro's. */
    final boolean ofSpark;
    private final boolean mayChangeInput;

    RowContext(Records records, Schema schema, OrderingFields ordering, boolean ofSpark, boolean mayChangeInput) {
        this.records = records;
        this.schema = schema;
        this.ordering = ordering;
        this.ofSpark = ofSpark;
        this.mayChangeInput = mayChangeInput;
    }

    /** Returns the data of a version for a payload; null for a delete without data. */
    GenericRecord lent(Buffered version) {
        if (ofSpark) {
            return version.source == null ? null : records.wide(version.source);
        }
        if (mayChangeInput && version.record != null) {
            version.source = null;
        }
        return version.record;
    }

    /** Returns the ordering value of a version with data, as its columns say it. */
    Comparable orderingOf(Buffered version) {
        return ofSpark ? ordering.of(version.source) : ordering.of(version.record);
    }

    /** Returns the version that a record of a payload makes. */
    Buffered made(GenericRecord record) {
        if (!ofSpark) {
            return new Buffered(null, record, false, ordering.of(record));
        }
        Row row = records.row(record);
        return new Buffered(row, null, false, ordering.of(row));
    }
}
