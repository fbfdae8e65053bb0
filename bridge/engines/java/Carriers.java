package bridge.jvm;

import org.apache.avro.generic.GenericRecord;
import org.apache.hudi.common.model.HoodieRecordPayload;
import org.apache.spark.sql.Row;

/** What takes part in a merge: each remembers the Spark row that holds it; a row that stays is not converted. */
final class Carriers {
    private Carriers() {
    }

    /** A stored or visible row; the record is made when it is first asked for. */
    static final class StoredRow {
        final Row source;
        private GenericRecord record;

        StoredRow(Row source, GenericRecord record) {
            this.source = source;
            this.record = record;
        }

        GenericRecord record(Records records) {
            if (record == null) {
                record = records.stored(source);
            }
            return record;
        }
    }

    /** An incoming version, or the folded log of a key. */
    static final class Version {
        final HoodieRecordPayload payload;
        final Row source;
        final boolean hasData;

        Version(HoodieRecordPayload payload, Row source, boolean hasData) {
            this.payload = payload;
            this.source = source;
            this.hasData = hasData;
        }
    }

    /** An entry of a log: a row of a data block, or a delete with its ordering value. */
    static final class LogEntry {
        final GenericRecord record;
        final Comparable ordering;

        LogEntry(GenericRecord record, Comparable ordering) {
            this.record = record;
            this.ordering = ordering;
        }
    }
}
