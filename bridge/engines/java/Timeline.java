package bridge.jvm;

import bridge.jvm.Carriers.LogEntry;
import bridge.jvm.Carriers.StoredRow;
import bridge.jvm.Carriers.Version;
import bridge.jvm.Constants.Action;
import java.util.ArrayList;
import java.util.List;

/**
 * A key through the commits of a table: its state, and which row of it is visible since when.
 *
 * Every query and every compaction reads the log anew, as in Hudi, so that nothing a payload remembers lasts.
 */
class Timeline extends KeyState {
    private static final long NONE = -1;

    private final List logged = new ArrayList();
    private StoredRow visible;
    private long since = 1;
    /** How often the stored row was written. */
    private long revision;
    /** Which stored row is visible as it is; NONE where the query merged the row. */
    private long visibleRevision = NONE;

    Timeline(RecordMerge merge) {
        super(merge);
    }

    void start() {
        super.start();
        logged.clear();
        visible = null;
        since = 1;
        revision = 0;
        visibleRevision = NONE;
    }

    void finish(Emit emit) throws Exception {
        throw new IllegalStateException("a timeline is part of a program");
    }

    /** Merges the input into the base file (copy-on-write), or inserts it. */
    void writeBase() throws Exception {
        Version version = input;
        input = null;
        if (version != null) {
            store(base == null ? merge.writer.insert(version) : merge.writer.upsert(base, version));
        }
    }

    private void store(Outcome outcome) {
        if (!outcome.isKept()) {
            base = outcome.row;
            revision++;
        }
    }

    /** Appends the input to the log of a stored key (merge-on-read), or inserts it. */
    void writeLog() throws Exception {
        if (base == null || input == null) {
            writeBase();
            return;
        }
        LogEntry entry = merge.writer.logEntry(input);
        input = null;
        if (entry != null) {
            logged.add(entry);
        }
    }

    boolean hasLog() {
        return !logged.isEmpty();
    }

    private Version folded() throws Exception {
        Version folded = null;
        for (int i = 0; i < logged.size(); i++) {
            folded = merge.reader.foldLog(folded, (LogEntry) logged.get(i));
        }
        return folded;
    }

    void compact() throws Exception {
        store(merge.compact(base, folded()));
        logged.clear();
    }

    /** Takes the snapshot after a commit. */
    void query(long commit, Emit emit) throws Exception {
        show(merge.snapshot(base, folded()), commit, emit);
    }

    /** Notes what a query sees from `commit` on, and emits the row that was visible until then. */
    void show(Outcome seen, long commit, Emit emit) throws Exception {
        // A stored row of the same revision is the same row; one that a query merged is new each time.
        if (seen.isKept() && visibleRevision == revision) {
            return;
        }
        if (visible != null && since < commit) {
            emit.add(Action.KEEP, visible, new Object[] {Long.valueOf(since), Long.valueOf(commit - 1)});
        }
        visible = seen.row;
        visibleRevision = seen.isKept() ? revision : NONE;
        since = commit;
    }
}
