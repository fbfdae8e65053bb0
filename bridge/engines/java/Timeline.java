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
    private final List logged = new ArrayList();
    private StoredRow visible;
    private long since = 1;

    Timeline(RecordMerge merge) {
        super(merge);
    }

    void start() {
        super.start();
        logged.clear();
        visible = null;
        since = 1;
    }

    void finish(Emit emit) throws Exception {
        throw new IllegalStateException("a timeline is part of a program");
    }

    /** Appends the input to the log (merge-on-read), unless it is new and new keys go to base files. */
    final void writeLog() throws Exception {
        if (base == null && merge.insertsToBase) {
            writeBase();
        } else {
            logged.addAll(logEntries());
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
        base = merge.compact(base, folded());
        logged.clear();
    }

    /** Takes the snapshot after a commit. */
    void query(long commit, Emit emit) throws Exception {
        show(merge.snapshot(base, folded()), commit, emit);
    }

    /** Notes that a row is visible from `commit` on, and emits the one that was visible until then. */
    void show(StoredRow row, long commit, Emit emit) throws Exception {
        if (row == visible && row != null) {
            return;
        }
        if (visible != null && since < commit) {
            emit.add(Action.KEEP, visible, new Object[] {Long.valueOf(since), Long.valueOf(commit - 1)});
        }
        visible = row;
        since = commit;
    }
}
