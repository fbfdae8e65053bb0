package bridge.jvm;

import bridge.jvm.Carriers.StoredRow;
import bridge.jvm.Constants.Origin;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.spark.sql.Row;

/**
 * The release that takes a table over from another, in a class loader of its own: what it is told comes as rows and texts.
 *
 * It answers a list of outcomes, each an action, a row and what is added; or, after a failure, the merge point, the
 * message of a RecordError or null, and the exception. What a commit made of its rows is among the outcomes, without an
 * action.
 */
public final class Successor implements Function, KeyState.Emit, Timeline.Listener {
    private final Records records;
    private final Table table;
    private final boolean compacts;
    private final RecordMerge kept;
    private final RecordMerge upgraded;
    private final int firstSeen;
    private List outcomes = new ArrayList();

    /** The table from the upgrade on; its first batch may be combined in another way than later ones. */
    private static final class Table extends Programs.Simulate {
        private final RecordMerge upgrading;
        private final int after;

        Table(RecordMerge merge, RecordMerge upgrading, Map job, int after) {
            super(merge, ((Integer) job.get("commits")).intValue(), ((Boolean) job.get("log_updates")).booleanValue(),
                (List) job.get("compact_after"));
            this.upgrading = upgrading;
            this.after = after;
        }

        void start() {
            super.start();
            commit = after + 1;
        }

        void foldInput(Arrival arrival) throws Exception {
            RecordMerge own = merge;
            merge = arrival.commit == after + 1 ? upgrading : own;
            try {
                super.foldInput(arrival);
            } finally {
                if (merge != own) {
                    own.failsAt(merge.point());
                }
                merge = own;
            }
        }
    }

    public Successor(String description) throws Throwable {
        Map job = (Map) new ObjectMapper().readValue(description, Map.class);
        records = Records.of(job);
        kept = merge(job, "before");
        upgraded = merge(job, "upgraded");
        compacts = ((Boolean) job.get("compacts")).booleanValue();
        int after = ((Integer) job.get("after")).intValue();
        boolean onlyReads = ((Boolean) job.get("only_reads")).booleanValue();
        firstSeen = onlyReads ? after : after + 1;
        table = new Table(upgraded, merge(job, "upgrading"), job, after);
        table.listen(this);
    }

    private RecordMerge merge(Map job, String name) throws Throwable {
        return new RecordMerge((Map) job.get(name), records);
    }

    public Object apply(Object told) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(Successor.class.getClassLoader());
        outcomes = new ArrayList();
        try {
            run((Object[]) told);
            return outcomes;
        } catch (Throwable error) {
            String message = error instanceof RecordError ? error.getMessage() : null;
            return new Object[] {table.merge.point(), message, error};
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private void run(Object[] told) throws Exception {
        if (told[0].equals(Upgrade.CHANGE_WRITER)) {
            records.current = (Row) told[1];
            table.start();
            table.resume((Object[]) told[2]);
            table.merge = kept;
            if (compacts) {
                table.compact();
            }
            table.merge = upgraded;
            table.query(firstSeen, this);
        } else if (told[0].equals(Upgrade.ACCEPT)) {
            Row row = (Row) told[1];
            records.current = row;
            boolean isBare = ((Boolean) told[3]).booleanValue();
            long commit = ((Long) told[2]).longValue();
            table.accept(new Arrival(Origin.INCOMING, commit, row, isBare, isBare, null, (Row) told[4]), this);
        } else {
            table.finish(this);
        }
    }

    public void ended(long rows, Row before, Row after, List taken) {
        outcomes.add(new Object[] {null, Long.valueOf(rows), before, after, taken});
    }

    public void add(int action, StoredRow row, Object[] extras) {
        if (row != null && row.madeAt != null) {
            table.merge.failsAt(row.madeAt);
        }
        outcomes.add(new Object[] {Integer.valueOf(action), row == null ? null : row.row(records), extras});
    }
}
