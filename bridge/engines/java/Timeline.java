package bridge.jvm;

import bridge.jvm.Carriers.LogEntry;
import bridge.jvm.Carriers.StoredRow;
import bridge.jvm.Carriers.Version;
import bridge.jvm.Constants.Action;
import bridge.jvm.Constants.MergePoint;
import bridge.jvm.Constants.Message;
import java.util.ArrayList;
import java.util.LinkedList;
import java.util.List;
import org.apache.spark.sql.Row;

/**
 * A key through the commits of a table: its state, and which row of it is visible since when.
 *
 * Every query and every compaction reads the log anew, as in Hudi, so that nothing a payload remembers lasts.
 */
class Timeline extends KeyState {
    /** Told what becomes of the rows of commits. */
    interface Listener {
        /** Takes how many rows a commit has of a key, what queries see before and after it, and its newest rows. */
        void ended(long rows, Row before, Row after, List taken);
    }

    private static final long NONE = -1L;

    private Listener listener;
    /** Of the current commit. */
    private long written;
    private final LinkedList taken = new LinkedList();
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

    final boolean listen(Listener given) {
        listener = given;
        return true;
    }

    final Listener listener() {
        return listener;
    }

    void foldInput(Arrival arrival) throws Exception {
        if (listener != null) {
            written++;
            taken.addLast(arrival.row);
            if (taken.size() > Ledger.MOST_COMPARED) {
                taken.removeFirst();
            }
        }
        super.foldInput(arrival);
    }

    /** Returns the row that queries see; null for none. */
    final StoredRow seen() {
        return visible;
    }

    /** Tells what a commit made of its rows. */
    final void tell(StoredRow before) {
        if (written > 0) {
            listener.ended(written, row(before), row(visible), new ArrayList(taken));
        }
        written = 0;
        taken.clear();
    }

    void start() {
        super.start();
        written = 0;
        taken.clear();
        logged.clear();
        visible = null;
        since = 1;
        revision = 0;
        visibleRevision = NONE;
    }

    void finish(Emit emit) throws Exception {
        throw new IllegalStateException("a timeline is part of a program");
    }

    void store(Outcome outcome) {
        if (!outcome.isKept()) {
            super.store(outcome);
            revision++;
        }
    }

    /** Appends the input to the log (merge-on-read), unless it is new and new keys go to base files. */
    final void writeLog() throws Exception {
        if (base == null && merge.insertsToBase) {
            if (hasLog()) {
                merge.failsAt(MergePoint.TAG);
                throw new RecordError(Message.LOG_ALONE);
            }
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
        store(merge.compact(base, folded()));
        logged.clear();
    }

    /** Returns the table and what is visible of it as rows and texts, for another class loader. */
    Object[] state() throws Exception {
        Object[] entries = new Object[logged.size()];
        for (int i = 0; i < entries.length; i++) {
            LogEntry entry = (LogEntry) logged.get(i);
            entries[i] = entry.isDelete() ? (Object) OrderingText.toText(entry.ordering) : entry.row.row(merge.records);
        }
        Object[] shown = {row(visible), Long.valueOf(since), Long.valueOf(visibleRevision)};
        return new Object[] {row(base), Long.valueOf(revision), entries, shown};
    }

    private Row row(StoredRow stored) {
        return stored == null ? null : stored.row(merge.records);
    }

    /** Goes on from the state of another table. */
    void resume(Object[] state) throws Exception {
        base = stored(state[0]);
        revision = ((Long) state[1]).longValue();
        Object[] entries = (Object[]) state[2];
        for (int i = 0; i < entries.length; i++) {
            boolean isRow = entries[i] instanceof Row;
            logged.add(new LogEntry(isRow ? stored(entries[i]) : null, isRow ? null : ordering((String[]) entries[i])));
        }
        Object[] shown = (Object[]) state[3];
        visible = stored(shown[0]);
        since = ((Long) shown[1]).longValue();
        visibleRevision = ((Long) shown[2]).longValue();
    }

    private static StoredRow stored(Object row) {
        return row == null ? null : new StoredRow((Row) row, null);
    }

    private static Comparable ordering(String[] texts) throws Exception {
        return texts == null ? null : OrderingText.fromText(texts[0], texts[1]);
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
