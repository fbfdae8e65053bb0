package bridge.jvm;

import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.hudi.common.model.HoodieRecordPayload;
import org.apache.spark.sql.Row;

/** What takes part in a merge: each remembers the Spark row that holds it; a row that stays is not converted. */
final class Carriers {
    private Carriers() {
    }

    /** A stored or visible row, as a Spark row, an Avro record or both; the other form is made when it is asked for. */
    static final class StoredRow {
        /** The merge point that made the record; null where a row has it. */
        final String madeAt;
        private Row source;
        private GenericRecord record;

        StoredRow(Row source, GenericRecord record) {
            this(source, record, null);
        }

        StoredRow(Row source, GenericRecord record, String madeAt) {
            this.source = source;
            this.record = record;
            this.madeAt = madeAt;
        }

        Row row(Records records) {
            if (source == null) {
                source = records.row(record);
            }
            return source;
        }

        GenericRecord record(Records records) {
            if (record == null) {
                record = records.stored(source);
            }
            return record;
        }

        /** Returns the row of the input that it is, which has more than the data columns; null where a merge made it. */
        Row input(int width) {
            return source != null && source.length() > width ? source : null;
        }

        /** Puts the data columns into `values`. */
        void put(Records records, Object[] values) {
            if (source == null) {
                records.put(record, values);
            } else {
                records.copy(source, values);
            }
        }
    }

    /** An incoming version, or the folded log of a key. */
    abstract static class Version {
    }

    /** A version that a payload holds: to writers until 1.0, and to the log scanner of 0.15. */
    static final class Held extends Version {
        final HoodieRecordPayload payload;
        final Row source;
        final boolean hasData;

        Held(HoodieRecordPayload payload, Row source, boolean hasData) {
            this.payload = payload;
            this.source = source;
            this.hasData = hasData;
        }
    }

    /** A version where merge modes decide: data, an ordering value, and a mark where it is a delete. */
    static final class Buffered extends Version {
        final boolean isDelete;
        final Comparable ordering;
        /** The row that holds the data; null where there is none, or a payload has had the record in hand. */
        Row source;
        /** The schema that a payload made the data in, where it has other fields than the one that it was given. */
        Schema foreign;
        /** The data as writers have it; readers have rows alone. */
        final GenericRecord record;
        /** The payload of an incoming row; null where there is none, or a merge made the version. */
        HoodieRecordPayload payload;
        /** Whether the data are what the payload gave for a merge, which asks it once. */
        boolean isIndexed;
        /** The folded log as a compaction has it, where it is another one than a query's. */
        Buffered compacted;

        Buffered(Row source, GenericRecord record, boolean isDelete, Comparable ordering) {
            this.source = source;
            this.record = record;
            this.isDelete = isDelete;
            this.ordering = ordering;
        }

        static Buffered delete(Comparable ordering) {
            return new Buffered(null, null, true, ordering);
        }

        boolean hasData() {
            return source != null || record != null;
        }

        /** Whether there is a payload to ask, or data to build one of: not so for a delete of a key alone. */
        boolean hasPayload() {
            return payload != null || record != null;
        }

        boolean isRowOf(Buffered other) {
            return source == other.source && record == other.record;
        }

        /** Whether it deletes whatever is older: a delete with the ordering value Integer 0. */
        boolean isCommitTimeDelete() {
            return isDelete && Integer.valueOf(0).equals(ordering);
        }
    }

    /** An entry of a log: a row of a data block, or a delete with its ordering value. */
    static final class LogEntry {
        final StoredRow row;
        final Comparable ordering;

        LogEntry(StoredRow row, Comparable ordering) {
            this.row = row;
            this.ordering = ordering;
        }

        boolean isDelete() {
            return row == null;
        }
    }
}
