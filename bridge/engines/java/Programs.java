package bridge.jvm;

import bridge.jvm.Carriers.LogEntry;
import bridge.jvm.Carriers.StoredRow;
import bridge.jvm.Carriers.Version;
import bridge.jvm.Constants.Action;
import bridge.jvm.Constants.MergePoint;
import bridge.jvm.Constants.ProgramName;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;

/** How the sorted versions of one key go through the merge points: bridge/programs for compiled classes. */
final class Programs {
    private Programs() {
    }

    static KeyState of(String name, RecordMerge merge, Map arguments) throws Exception {
        if (name.equals(ProgramName.COMBINE_INPUT)) {
            return new CombineInput(merge);
        }
        if (name.equals(ProgramName.UPSERT)) {
            return new Upsert(merge);
        }
        if (name.equals(ProgramName.APPEND)) {
            return new Append(merge);
        }
        if (name.equals(ProgramName.SNAPSHOT)) {
            return new Snapshot(merge);
        }
        if (name.equals(ProgramName.COMPACT)) {
            return new Compact(merge);
        }
        int commits = ((Integer) arguments.get("commits")).intValue();
        List compactions = (List) arguments.get("compact_after");
        if (name.equals(ProgramName.SIMULATE)) {
            return new Simulate(merge, commits, ((Boolean) arguments.get("log_updates")).booleanValue(), compactions);
        }
        if (name.equals(ProgramName.SIMULATE_UPGRADE)) {
            boolean logUpdates = ((Boolean) arguments.get("log_updates")).booleanValue();
            Map successor = (Map) arguments.get("successor");
            return successor == null ? new Simulate(merge, commits, logUpdates, compactions)
                : new Upgrade(merge, commits, logUpdates, compactions, successor);
        }
        if (name.equals(ProgramName.SIMULATE_SMALL_FILES)) {
            return new SmallFiles(merge, commits, ((Integer) arguments.get("candidates")).intValue(), compactions);
        }
        throw new RecordError("the jvm engine has no program " + name + "; use the python engine");
    }

    private static Row orderingRow(Comparable value) throws Exception {
        String[] texts = OrderingText.toText(value);
        return texts == null ? null : RowFactory.create(texts);
    }

    static final class CombineInput extends KeyState {
        CombineInput(RecordMerge merge) {
            super(merge);
        }

        void finish(Emit emit) throws Exception {
            if (input != null) {
                merge.failsAt(MergePoint.COMBINE_INPUT);
                Version version = merge.writer.shuffled(input);
                Object[] extras = new Object[] {
                    Boolean.valueOf(merge.writer.isDeleted(version)), orderingRow(merge.writer.orderingOf(version))};
                emit.add(Action.INSERT, merge.writer.dataOf(version), extras);
            }
        }
    }

    static final class Upsert extends KeyState {
        Upsert(RecordMerge merge) {
            super(merge);
        }

        void finish(Emit emit) throws Exception {
            Outcome outcome = writeBase();
            emit.add(outcome.action, outcome.row, NOTHING);
        }
    }

    static final class Append extends KeyState {
        Append(RecordMerge merge) {
            super(merge);
        }

        void finish(Emit emit) throws Exception {
            Object[] stays = new Object[] {Boolean.FALSE, null};
            if (base != null) {
                emit.add(Action.KEEP, base, stays);
            } else if (merge.insertsToBase) {
                Outcome outcome = writeBase();
                emit.add(outcome.action, outcome.row, stays);
                return;
            }
            boolean hadInput = input != null;
            List entries = logEntries();
            if (hadInput && entries.isEmpty()) {
                emit.add(Action.SKIP, null, new Object[] {Boolean.TRUE, null});
            }
            for (int i = 0; i < entries.size(); i++) {
                LogEntry entry = (LogEntry) entries.get(i);
                if (entry.isDelete()) {
                    emit.add(Action.DELETE, null, new Object[] {Boolean.TRUE, orderingRow(entry.ordering)});
                } else {
                    int added = base == null ? Action.INSERT : Action.UPDATE;
                    emit.add(added, entry.row, new Object[] {Boolean.TRUE, null});
                }
            }
        }
    }

    static final class Snapshot extends KeyState {
        Snapshot(RecordMerge merge) {
            super(merge);
        }

        void finish(Emit emit) throws Exception {
            Outcome outcome = merge.snapshot(base, log);
            emit.add(outcome.action, outcome.row, NOTHING);
        }
    }

    static final class Compact extends KeyState {
        Compact(RecordMerge merge) {
            super(merge);
        }

        void finish(Emit emit) throws Exception {
            Outcome outcome = merge.compact(base, log);
            emit.add(outcome.action, outcome.row, NOTHING);
        }
    }

    /** Commits in order through all merge points. */
    static class Simulate extends Timeline {
        private final int commits;
        private final boolean logUpdates;
        private final List compactions;
        long commit;

        Simulate(RecordMerge merge, int commits, boolean logUpdates, List compactions) {
            super(merge);
            this.commits = commits;
            this.logUpdates = logUpdates;
            this.compactions = compactions;
        }

        void start() {
            super.start();
            commit = 0;
        }

        void accept(Arrival arrival, Emit emit) throws Exception {
            if (arrival.commit != commit) {
                endCommit(arrival.commit, emit);
            }
            foldInput(arrival);
        }

        void finish(Emit emit) throws Exception {
            endCommit(commits + 1, emit);
            show(Outcome.SKIPPED, commits + 1, emit);
        }

        final void endCommit(long next, Emit emit) throws Exception {
            StoredRow before = seen();
            if (input != null) {
                if (logUpdates) {
                    writeLog();
                } else {
                    writeBase();
                }
                if (!logUpdates || !compactions.contains(Integer.valueOf((int) commit))) {
                    query(commit, emit);
                }
            }
            for (int i = 0; logUpdates && i < compactions.size(); i++) {
                int compaction = ((Integer) compactions.get(i)).intValue();
                if (commit <= compaction && compaction < next) {
                    compact();
                    query(compaction, emit);
                }
            }
            tell(before);
            commit = next;
        }
    }
}
