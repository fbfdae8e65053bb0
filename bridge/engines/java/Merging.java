package bridge.jvm;

import bridge.jvm.Carriers.LogEntry;
import bridge.jvm.Carriers.StoredRow;
import bridge.jvm.Carriers.Version;
import org.apache.avro.generic.GenericRecord;
import org.apache.spark.sql.Row;

/** What a release calls at its merge points, and where a merge is. */
final class Merging {
    /** The merge point of the current call, for messages; null outside all of them. */
    String point;
    /** What looks after the time that a call takes. */
    final Watch watch;

    Merging(Watch watch) {
        this.watch = watch;
    }

    /** Notes that a call at a merge point begins. */
    void enters(String next) {
        point = next;
        watch.next();
    }

    /** The calls of a writer. */
    interface Writer {
        /** Makes the version of an incoming row; `given` overrides what the ordering fields say. */
        Version incoming(GenericRecord record, Row source, Comparable given) throws Exception;

        Version combineInput(Version older, Version newer) throws Exception;

        /** Folds two versions of a batch that was not combined into the one that is merged with the stored row. */
        Version foldUncombined(Version older, Version newer) throws Exception;

        /** Returns a version as the shuffle between the batch and the table hands it on. */
        Version shuffled(Version version);

        /** Whether the writer routes this version as a delete. */
        boolean isDeleted(Version version) throws Exception;

        Comparable orderingOf(Version version);

        /** Returns the data of a version as it is, or null. */
        StoredRow dataOf(Version version) throws Exception;

        /** Stores a version of a key that has no row: INSERT, or SKIP for a delete and a version to ignore. */
        Outcome insert(Version version) throws Exception;

        /** Merges with the stored row: KEEP, UPDATE or DELETE. */
        Outcome upsert(StoredRow base, Version version) throws Exception;

        /** Returns what the writer appends to the log of a stored key; null for a version to ignore. */
        LogEntry logEntry(Version version) throws Exception;
    }

    /** The calls of a reader, which are those of compaction too. */
    interface Reader {
        /** Folds the next log entry of a key into what the reader holds for it. */
        Version foldLog(Version folded, LogEntry entry) throws Exception;

        /** Merges the stored row with the folded log, for a query or a compaction. */
        Outcome read(String at, StoredRow base, Version folded) throws Exception;
    }
}
