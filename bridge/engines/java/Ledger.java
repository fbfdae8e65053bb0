package bridge.jvm;

import bridge.jvm.Carriers.StoredRow;
import bridge.jvm.Constants.Action;
import bridge.jvm.Constants.RowCountsEntry;
import bridge.jvm.Constants.RowStatus;
import bridge.jvm.Constants.Origin;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.Row;

/**
 * What becomes of the rows of a task: the ledgers of bridge/engines/python/ledger.py for compiled classes.
 *
 * A class gives a record, not the row that it was read from; a record that equals a row of its key counts as that row.
 */
final class Ledger implements Timeline.Listener {
    /** How many rows of a key, the newest, a record is compared with. */
    static final int MOST_COMPARED = 100;
    private static final int SIDES = 3;
    private static final int NONE = 0;
    private static final int IGNORED = 1;
    private static final int DELETED = 2;
    private static final int MERGED = 3;
    private static final String[] STATUSES = {null, RowStatus.IGNORED, RowStatus.DELETED, RowStatus.MERGED};

    private final String point;
    private final List folds;
    private final int width;
    private final int originAt;
    private final boolean byCommit;
    private final Map counts = new TreeMap();
    /** Of the open key. */
    private final long[] arrived = new long[SIDES];
    private final long[] kept = new long[SIDES];
    private final Row[] compared = new Row[MOST_COMPARED];
    private int inCompared;
    private int status;

    /** Takes what the job says of its row counts; `byCommit` where commits tell what becomes of rows. */
    Ledger(Map described, int width, int originAt, boolean byCommit) {
        point = (String) described.get("point");
        folds = (List) described.get("folds");
        this.width = width;
        this.originAt = originAt;
        this.byCommit = byCommit;
    }

    /** Takes the next row of the open key. */
    void take(Row row) {
        if (byCommit) {
            return;
        }
        arrived[row.getByte(originAt)]++;
        compared[inCompared++ % MOST_COMPARED] = row;
    }

    /** Takes an outcome of the open key with its data columns; `last` is the row of the key that was taken last. */
    void note(int action, StoredRow outcome, Object[] values, Row last) {
        if (byCommit) {
            return;
        }
        boolean isWritten = action == Action.INSERT || action == Action.UPDATE;
        status = Math.max(status, isWritten ? MERGED : action == Action.DELETE ? DELETED : IGNORED);
        if (!isWritten && action != Action.KEEP) {
            return;
        }
        Row found = outcome == null ? last : outcome.input(width);
        for (int i = 0; found == null && i < Math.min(inCompared, MOST_COMPARED); i++) {
            found = isRow(values, compared[i]) ? compared[i] : null;
        }
        if (found == null) {
            add(RowCountsEntry.MADE, 1);
        } else {
            kept[found.getByte(originAt)]++;
        }
    }

    /** Ends the open key. */
    void endKey() {
        for (int side = 0; side < SIDES; side++) {
            long others = arrived[side] - kept[side];
            count(point, side, RowStatus.KEPT, kept[side]);
            if (folds.get(side) != null && others > 0) {
                long last = kept[side] == 0 ? 1 : 0;
                count((String) folds.get(side), side, RowStatus.MERGED, others - last);
                others = last;
            }
            if (status != NONE) {
                count(point, side, STATUSES[status], others);
            }
        }
        Arrays.fill(arrived, 0);
        Arrays.fill(kept, 0);
        Arrays.fill(compared, null);
        inCompared = 0;
        status = NONE;
    }

    public void ended(long rows, Row before, Row after, List taken) {
        boolean isSame = before == after || before != null && after != null && isRow(values(before), after);
        if (after == null || isSame) {
            count(RowCountsEntry.BY_COMMIT, Origin.INCOMING, isSame ? RowStatus.IGNORED : RowStatus.DELETED, rows);
            return;
        }
        Object[] shown = values(after);
        boolean stands = after.length() > width;
        for (int i = 0; !stands && i < taken.size(); i++) {
            stands = isRow(shown, (Row) taken.get(i));
        }
        count(RowCountsEntry.BY_COMMIT, Origin.INCOMING, RowStatus.KEPT, stands ? 1 : 0);
        count(RowCountsEntry.BY_COMMIT, Origin.INCOMING, RowStatus.MERGED, stands ? rows - 1 : rows);
    }

    /** Returns all counts as `_pb_row_counts` has them. */
    String text() {
        try {
            return new ObjectMapper().writeValueAsString(counts);
        } catch (java.io.IOException error) {
            throw new IllegalStateException(error);
        }
    }

    private void count(String at, int side, String what, long rows) {
        if (rows > 0) {
            add(at + " " + RowCountsEntry.SIDES[side] + " " + what, rows);
        }
    }

    private void add(String name, long rows) {
        Long before = (Long) counts.get(name);
        counts.put(name, Long.valueOf(before == null ? rows : before.longValue() + rows));
    }

    private Object[] values(Row row) {
        Object[] found = new Object[width];
        for (int i = 0; i < width; i++) {
            found[i] = row.get(i);
        }
        return found;
    }

    private boolean isRow(Object[] values, Row row) {
        for (int i = 0; i < width; i++) {
            if (!KeyedMerge.isSame(values[i], row.get(i))) {
                return false;
            }
        }
        return true;
    }
}
