package bridge.jvm;

import bridge.jvm.Carriers.LogEntry;
import bridge.jvm.Carriers.StoredRow;
import bridge.jvm.Carriers.Version;
import bridge.jvm.Constants.MergePoint;
import bridge.jvm.Constants.Origin;
import java.util.ArrayList;
import java.util.List;

/** The parts that all programs share: the stored row of a key, its folded log and its folded input. */
abstract class KeyState {
    /** Takes an outcome: the action, the row (null where only the key is left), and what the program adds. */
    interface Emit {
        void add(int action, StoredRow row, Object[] extras) throws Exception;
    }

    static final Object[] NOTHING = new Object[0];

    /** What merges; an upgrade replaces it. */
    RecordMerge merge;
    StoredRow base;
    Version log;
    Version input;
    /** What the batch has before `input`, where it is not combined. */
    private final List uncombined = new ArrayList();

    KeyState(RecordMerge merge) {
        this.merge = merge;
    }

    void start() {
        base = null;
        log = null;
        input = null;
        uncombined.clear();
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

    /** Takes who is told what commits make of rows; returns whether commits do. */
    boolean listen(Timeline.Listener listener) {
        return false;
    }

    abstract void finish(Emit emit) throws Exception;

    void foldInput(Arrival arrival) throws Exception {
        Version version = merge.writer.incoming(arrival.isBare ? null : merge.records.incoming(arrival.row),
            arrival.isBare ? null : arrival.row, arrival.ordering());
        if (input == null) {
            input = version;
        } else if (merge.combines) {
            input = merge.writer.combineInput(input, version);
        } else {
            uncombined.add(input);
            input = version;
        }
    }

    /** Returns the versions of the batch that reach the table, in order of arrival, and forgets them. */
    private List takeInput() {
        List versions = new ArrayList();
        for (int i = 0; i < uncombined.size(); i++) {
            versions.add(merge.writer.shuffled((Version) uncombined.get(i)));
        }
        if (input != null) {
            versions.add(merge.writer.shuffled(input));
        }
        input = null;
        uncombined.clear();
        return versions;
    }

    /** Merges the input into the base file (copy-on-write), or inserts it; returns what became of the stored row. */
    final Outcome writeBase() throws Exception {
        List versions = takeInput();
        Outcome outcome = versions.isEmpty() ? Outcome.kept(base) : base == null ? inserted(versions) : merged(versions);
        store(outcome);
        return outcome;
    }

    /** Notes what the stored row is now. */
    void store(Outcome outcome) {
        base = outcome.row;
    }

    private Outcome merged(List versions) throws Exception {
        Version folded = (Version) versions.get(0);
        for (int i = 1; i < versions.size(); i++) {
            folded = merge.writer.foldUncombined(folded, (Version) versions.get(i));
        }
        return merge.writer.upsert(base, folded);
    }

    private Outcome inserted(List versions) throws Exception {
        Outcome found = Outcome.SKIPPED;
        int count = 0;
        for (int i = 0; i < versions.size(); i++) {
            Outcome outcome = merge.writer.insert((Version) versions.get(i));
            if (outcome.row != null) {
                found = outcome;
                count++;
            }
        }
        if (count > 1) {
            merge.failsAt(MergePoint.INSERT);
            throw new RecordError("a batch inserts " + count + " rows of the new key; Hudi would store them all and "
                + "have duplicates from then on, which is not supported: combine the batch "
                + "(hoodie.combine.before.upsert=true) or drop one");
        }
        return found;
    }

    /** Returns what the input becomes in a log, in its order there: deletes come last. */
    final List logEntries() throws Exception {
        List versions = takeInput();
        List rows = new ArrayList();
        List deletes = new ArrayList();
        for (int i = 0; i < versions.size(); i++) {
            LogEntry entry = merge.writer.logEntry((Version) versions.get(i));
            if (entry != null) {
                (entry.isDelete() ? deletes : rows).add(entry);
            }
        }
        rows.addAll(deletes);
        return rows;
    }
}
