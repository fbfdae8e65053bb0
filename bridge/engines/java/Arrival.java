package bridge.jvm;

import org.apache.spark.sql.Row;

/** One version as it arrives at a program. */
final class Arrival {
    final int origin;
    final long commit;
    final Row row;
    final boolean isDelete;
    final boolean isBare;
    final Object key;
    final Row ordering;

    Arrival(int origin, long commit, Row row, boolean isDelete, boolean isBare, Object key, Row ordering) {
        this.origin = origin;
        this.commit = commit;
        this.row = row;
        this.isDelete = isDelete;
        this.isBare = isBare;
        this.key = key;
        this.ordering = ordering;
    }

    /** Returns the ordering value that overrides the record's own, or null. */
    Comparable ordering() throws Exception {
        return ordering == null ? null : OrderingText.fromText(ordering.getString(0), ordering.getString(1));
    }
}
