package bridge.jvm;

import bridge.jvm.Carriers.LogEntry;
import bridge.jvm.Carriers.StoredRow;
import bridge.jvm.Carriers.Version;

/** A key through the commits of a table: its state, and which row of it is visible since when. */
class Timeline extends KeyState {
    private StoredRow visible;
    private long since = 1;

    Timeline(RecordMerge merge) {
        super(merge);
    }

    void start() {
        super.start();
        visible = null;
        since = 1;
    }

    void finish(Emit emit) throws Exception {
        throw new IllegalStateException("a timeline is part of a program");
    }

    /** Merges the input into the base file (copy-on-write), or inserts it. */
    void writeBase() throws Exception {
        Version version = input;
        input = null;
        if (version != null) {
            base = base == null ? merge.insert(version, RecordMerge.INSERT) : merge.upsert(base, version);
        }
    }

    /** Appends the input to the log of a stored key (merge-on-read), or inserts it. */
    void writeLog() throws Exception {
        if (base == null || input == null) {
            writeBase();
            return;
        }
        LogEntry entry = merge.logEntry(input);
        input = null;
        if (entry != null) {
            log = merge.foldLog(log, entry);
        }
    }

    void compact() throws Exception {
        if (log != null) {
            base = merge.compact(base, log);
            log = null;
        }
    }

    /** Takes the snapshot after a commit. */
    void query(long commit, Emit emit) throws Exception {
        Version read = log;
        if (log != null) {
            // Every query builds its payloads anew: what a payload remembers of this one must not last.
            read = new Version(Payloads.copyOf(log.payload), log.source, log.hasData);
        }
        show(merge.snapshot(base, read), commit, emit);
    }

    /** Notes that a row is visible from `commit` on, and emits the one that was visible until then. */
    void show(StoredRow row, long commit, Emit emit) throws Exception {
        if (row == visible && row != null) {
            return;
        }
        if (visible != null && since < commit) {
            emit.add(KEEP, visible, new Object[] {Long.valueOf(since), Long.valueOf(commit - 1)});
        }
        visible = row;
        since = commit;
    }
}
