package bridge.jvm;

import bridge.jvm.Carriers.LogEntry;
import bridge.jvm.Carriers.StoredRow;
import bridge.jvm.Carriers.Version;
import bridge.jvm.Constants.Origin;

/** The parts that all programs share: the stored row of a key, its folded log and its folded input. */
abstract class KeyState {
    /** Takes an outcome: the action, the row (null where only the key is left), and what the program adds. */
    interface Emit {
        void add(int action, StoredRow row, Object[] extras) throws Exception;
    }

    static final Object[] NOTHING = new Object[0];

    final RecordMerge merge;
    StoredRow base;
    Version log;
    Version input;

    KeyState(RecordMerge merge) {
        this.merge = merge;
    }

    void start() {
        base = null;
        log = null;
        input = null;
    }

    void accept(Arrival arrival, Emit emit) throws Exception {
        if (arrival.origin == Origin.INCOMING) {
            foldInput(arrival);
        } else if (arrival.origin == Origin.STORED) {
            if (base != null) {
                throw new RecordError("the stored side has more than one row for the key; deduplicate it or check the "
                    + "key columns");
            }
            base = new StoredRow(arrival.row, null);
        } else {
            StoredRow row = arrival.isDelete ? null : new StoredRow(arrival.row, null);
            log = merge.reader.foldLog(log, new LogEntry(row, row == null ? arrival.ordering() : null));
        }
    }

    abstract void finish(Emit emit) throws Exception;

    void foldInput(Arrival arrival) throws Exception {
        Version version = merge.writer.incoming(arrival.isBare ? null : merge.records.incoming(arrival.row),
            arrival.isBare ? null : arrival.row, arrival.ordering());
        input = input == null ? version : merge.writer.combineInput(input, version);
    }
}
