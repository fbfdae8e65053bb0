package bridge.jvm;

import bridge.jvm.Carriers.StoredRow;
import bridge.jvm.Constants.Limit;
import bridge.jvm.Constants.Message;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.Row;

/** The keys of one partition path under the small-file rule: bridge/programs/small_files.py for compiled classes. */
final class SmallFiles extends KeyState {
    private final int commits;
    private final int candidates;
    private final List compactions;
    private Map keys = new LinkedHashMap();
    private Map touched = new LinkedHashMap();
    private List groups = new ArrayList();
    private long commit;
    private long measured;
    private Timeline.Listener listener;

    /** A file group: how many rows its base file has, and whether there is a log. */
    private static final class FileGroup {
        int rows;
        boolean hasLog;
    }

    /** A key with the file group that holds it. */
    private static final class Stored extends Timeline {
        FileGroup group;
        private Row named;

        Stored(RecordMerge merge) {
            super(merge);
        }

        void foldInput(Arrival arrival) throws Exception {
            named = arrival.row;
            taken();
            super.foldInput(arrival);
        }

        /** Makes the key the one that is merged. */
        Stored taken() {
            merge.records.current = named;
            return this;
        }
    }

    SmallFiles(RecordMerge merge, int commits, int candidates, List compactions) {
        super(merge);
        this.commits = commits;
        this.candidates = candidates;
        this.compactions = compactions;
    }

    void start() {
        keys = new LinkedHashMap();
        touched = new LinkedHashMap();
        groups = new ArrayList();
        commit = 0;
        measured = 0;
    }

    boolean listen(Timeline.Listener given) {
        listener = given;
        return true;
    }

    void accept(Arrival arrival, Emit emit) throws Exception {
        if (arrival.commit != commit) {
            endCommit(arrival.commit, emit);
        }
        Stored stored = (Stored) keys.get(arrival.key);
        if (stored == null) {
            checkSize(arrival.row);
            stored = new Stored(merge);
            stored.listen(listener);
            stored.start();
            keys.put(arrival.key, stored);
        }
        stored.foldInput(arrival);
        touched.put(arrival.key, stored);
    }

    /** Refuses a path that one task can't hold, by the text of some keys' first versions. */
    private void checkSize(Row row) {
        if (keys.size() % Limit.SMALL_FILES_EVERY != 0) {
            return;
        }
        for (int i = 0; i < row.length(); i++) {
            Object value = row.get(i);
            measured += value instanceof byte[] ? ((byte[]) value).length : String.valueOf(value).length();
        }
        long held = measured * Limit.SMALL_FILES_EVERY;
        if (held > Limit.SMALL_FILES_BYTES) {
            throw new RecordError(String.format(Locale.ROOT, Message.SMALL_FILES,
                new Object[] {Integer.valueOf(keys.size()), Long.valueOf(held >> 20)}));
        }
    }

    void finish(Emit emit) throws Exception {
        endCommit(commits + 1, emit);
        for (Iterator i = keys.values().iterator(); i.hasNext();) {
            ((Stored) i.next()).taken().show(Outcome.SKIPPED, commits + 1, emit);
        }
    }

    private void endCommit(long next, Emit emit) throws Exception {
        Map before = new LinkedHashMap();
        for (Iterator i = touched.values().iterator(); i.hasNext();) {
            Stored stored = (Stored) i.next();
            before.put(stored, stored.seen());
        }
        if (!touched.isEmpty()) {
            write(emit);
        }
        for (int i = 0; i < compactions.size(); i++) {
            int compaction = ((Integer) compactions.get(i)).intValue();
            if (commit <= compaction && compaction < next) {
                compact(compaction, emit);
            }
        }
        for (Iterator i = before.entrySet().iterator(); i.hasNext();) {
            Map.Entry entry = (Map.Entry) i.next();
            ((Stored) entry.getKey()).tell((StoredRow) entry.getValue());
        }
        touched = new LinkedHashMap();
        commit = next;
    }

    private void write(Emit emit) throws Exception {
        Set fresh = new LinkedHashSet();
        for (Iterator i = touched.values().iterator(); i.hasNext();) {
            Stored stored = ((Stored) i.next()).taken();
            if (stored.base == null) {
                fresh.add(stored);
            }
        }
        List chosen = fresh.isEmpty() ? new ArrayList() : smallFiles();
        for (Iterator i = touched.values().iterator(); i.hasNext();) {
            Stored stored = ((Stored) i.next()).taken();
            FileGroup group = stored.group;
            if (fresh.contains(stored)) {
                continue;
            }
            if (chosen.contains(group)) {
                stored.writeBase();
            } else {
                stored.writeLog();
                group.hasLog = group.hasLog || stored.hasLog();
            }
            settle(stored, group);
        }
        FileGroup home = chosen.isEmpty() ? new FileGroup() : (FileGroup) chosen.get(0);
        for (Iterator i = fresh.iterator(); i.hasNext();) {
            Stored stored = ((Stored) i.next()).taken();
            stored.writeBase();
            settle(stored, home);
        }
        if (home.rows > 0 && !groups.contains(home)) {
            groups.add(home);
        }
        for (Iterator i = touched.values().iterator(); i.hasNext();) {
            ((Stored) i.next()).taken().query(commit, emit);
        }
    }

    private List smallFiles() {
        List small = new ArrayList();
        for (Iterator i = groups.iterator(); i.hasNext();) {
            FileGroup group = (FileGroup) i.next();
            if (!group.hasLog) {
                small.add(group);
            }
        }
        Collections.sort(small, new Comparator() {
            public int compare(Object left, Object right) {
                return Integer.compare(((FileGroup) left).rows, ((FileGroup) right).rows);
            }
        });
        return small.subList(0, Math.min(candidates, small.size()));
    }

    private void compact(int at, Emit emit) throws Exception {
        for (Iterator i = keys.values().iterator(); i.hasNext();) {
            Stored stored = ((Stored) i.next()).taken();
            if (stored.group != null && stored.group.hasLog) {
                stored.compact();
                stored.query(at, emit);
                settle(stored, stored.group);
            }
        }
        for (Iterator i = groups.iterator(); i.hasNext();) {
            ((FileGroup) i.next()).hasLog = false;
        }
    }

    /** Notes in which file group the row of a key is, after a write. */
    private static void settle(Stored stored, FileGroup group) {
        boolean holds = stored.base != null;
        if (group != null && holds != (stored.group == group)) {
            group.rows += holds ? 1 : -1;
        }
        stored.group = holds ? group : null;
    }
}
