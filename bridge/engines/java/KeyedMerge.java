package bridge.jvm;

import bridge.jvm.Carriers.StoredRow;
import bridge.jvm.Constants.ControlColumn;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.LocalDate;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.StructType;

/** Feeds rows, sorted by key, origin, commit and arrival, to a program, and gives outcomes as they become final. */
public final class KeyedMerge implements MapPartitionsFunction, Iterator, KeyState.Emit {
    private final Map job;
    private final String[] columns;
    private final StructType types;
    private final String payload;
    private final int width;
    private final int extras;
    private final int[] keys;
    private final int[] checked;
    /** Control columns that each outcome has from the versions of its key. */
    private final int[] carried;
    private final int[] identity;
    private final int[] grouping;
    private final boolean[] isKey;
    private final int originAt;
    private final int commitAt;
    private final int deleteAt;
    private final int orderingAt;
    private final boolean byPartition;
    private final RecordMerge merge;
    private final KeyState program;
    private final ArrayDeque ready = new ArrayDeque();
    private Iterator rows;
    private Row row;
    /** The first version of the open key that has data. */
    private Row first;
    private boolean isOpen;
    /** Null without row counts; a task tells them once. */
    private Ledger ledger;
    private boolean hasRowCounts;

    public KeyedMerge(String description) throws Throwable {
        job = (Map) new ObjectMapper().readValue(description, Map.class);
        columns = (String[]) ((List) job.get("columns")).toArray(new String[0]);
        payload = (String) job.get("payload");
        width = ((Integer) job.get("width")).intValue();
        extras = ((Integer) job.get("extras")).intValue();
        keys = positions("key");
        checked = positions("checked");
        carried = positions("carried");
        identity = positions("identity");
        grouping = positions("grouping");
        isKey = new boolean[width];
        for (int i = 0; i < identity.length; i++) {
            isKey[identity[i]] = true;
        }
        List all = Arrays.asList(columns);
        types = (StructType) DataType.fromJson((String) job.get("data"));
        originAt = all.indexOf(ControlColumn.ORIGIN);
        commitAt = all.indexOf(ControlColumn.COMMIT);
        deleteAt = all.indexOf(ControlColumn.IS_DELETE);
        orderingAt = all.indexOf(ControlColumn.ORDERING);
        byPartition = ((Boolean) job.get("by_partition")).booleanValue();
        merge = new RecordMerge(job, Records.of(job));
        program = Programs.of((String) job.get("program"), merge, (Map) job.get("arguments"));
        Map rowCounts = (Map) job.get("row_counts");
        if (rowCounts != null) {
            ledger = new Ledger(rowCounts, width, originAt, program.listen(null));
            program.listen(ledger);
            hasRowCounts = true;
        }
    }

    private int[] positions(String name) {
        List names = (List) job.get(name);
        int[] found = new int[names.size()];
        for (int i = 0; i < found.length; i++) {
            found[i] = Arrays.asList(columns).indexOf(names.get(i));
        }
        return found;
    }

    public Iterator call(Iterator input) {
        rows = input;
        return this;
    }

    public boolean hasNext() {
        if (!ready.isEmpty()) {
            return true;
        }
        // Hudi looks for classes in the thread's loader.
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(KeyedMerge.class.getClassLoader());
        try {
            return advance();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private boolean advance() {
        while (ready.isEmpty()) {
            if (rows.hasNext()) {
                take((Row) rows.next());
            } else if (isOpen) {
                finish();
            } else if (ledger != null && row != null) {
                Object[] values = new Object[width + 2 + extras + carried.length];
                values[width + 1 + extras] = ledger.text();
                ready.addLast(RowFactory.create(values));
                ledger = null;
            } else {
                return false;
            }
        }
        return true;
    }

    public Object next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        return ready.removeFirst();
    }

    private void take(Row next) {
        Row before = row;
        if (isOpen && !isSameGroup(before, next)) {
            finish();
        }
        row = next;
        merge.records.current = next;
        merge.failsAt(null);
        merge.watch.enter();
        try {
            for (int i = 0; i < keys.length; i++) {
                if (row.isNullAt(keys[i])) {
                    throw new RecordError("the key column '" + columns[keys[i]]
                        + "' is null in some rows; fill it or drop these rows");
                }
            }
            if (!isOpen) {
                isOpen = true;
                first = null;
                program.start();
            }
            if (first == null && (deleteAt < 0 || row.isNullAt(deleteAt) || !row.getBoolean(deleteAt))) {
                first = row;
            }
            if (ledger != null) {
                ledger.take(row);
            }
            program.accept(arrival(), this);
        } catch (Throwable error) {
            fail(error);
        } finally {
            merge.watch.leave();
        }
    }

    private void finish() {
        isOpen = false;
        merge.failsAt(null);
        merge.watch.enter();
        try {
            program.finish(this);
            if (ledger != null) {
                ledger.endKey();
            }
        } catch (Throwable error) {
            fail(error);
        } finally {
            merge.watch.leave();
        }
    }

    private Arrival arrival() {
        int origin = row.getByte(originAt);
        long commit = commitAt < 0 || row.isNullAt(commitAt) ? 0 : row.getLong(commitAt);
        boolean isDelete = deleteAt >= 0 && !row.isNullAt(deleteAt) && row.getBoolean(deleteAt);
        boolean isBare = isDelete && merge.records.isBare(row, isKey);
        Row ordering = orderingAt < 0 || row.isNullAt(orderingAt) ? null : row.getStruct(orderingAt);
        return new Arrival(origin, commit, row, isDelete, isBare, byPartition ? key() : null, ordering);
    }

    private boolean isSameGroup(Row left, Row right) {
        for (int i = 0; i < grouping.length; i++) {
            if (!isSame(left.get(grouping[i]), right.get(grouping[i]))) {
                return false;
            }
        }
        return true;
    }

    static boolean isSame(Object left, Object right) {
        if (left instanceof byte[] && right instanceof byte[]) {
            return Arrays.equals((byte[]) left, (byte[]) right);
        }
        return left == null ? right == null : left.equals(right);
    }

    /** Returns the identity of the current row as a value that can be looked up. */
    private Object key() {
        Object[] values = new Object[identity.length];
        for (int i = 0; i < values.length; i++) {
            Object value = row.get(identity[i]);
            values[i] = value instanceof byte[] ? text((byte[]) value) : value;
        }
        return Arrays.asList(values);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, java.nio.charset.StandardCharsets.UTF_8);
    }

    public void add(int action, StoredRow outcome, Object[] added) {
        Object[] values = new Object[width + 1 + extras + (hasRowCounts ? 1 : 0) + carried.length];
        if (outcome == null) {
            for (int i = 0; i < identity.length; i++) {
                values[identity[i]] = row.get(identity[i]);
            }
        } else {
            if (outcome.madeAt != null) {
                merge.failsAt(outcome.madeAt);
            }
            outcome.put(merge.records, values);
            if (outcome.madeAt != null) {
                checkKey(values);
            }
        }
        if (ledger != null) {
            ledger.note(action, outcome, values, row);
        }
        values[width] = Byte.valueOf((byte) action);
        System.arraycopy(added, 0, values, width + 1, added.length);
        for (int i = 0; i < carried.length; i++) {
            values[values.length - carried.length + i] = row.get(carried[i]);
        }
        ready.addLast(RowFactory.create(values));
    }

    /** Refuses a record that a merge made and that has the key of another row. */
    private void checkKey(Object[] values) {
        for (int i = 0; i < checked.length; i++) {
            Row owner = merge.records.current;
            if (owner.isNullAt(checked[i]) && first != null) { // a delete entry of a real table
                owner = first;
            }
            if (!isSame(values[checked[i]], owner.get(checked[i]))) {
                StringBuilder other = new StringBuilder();
                for (int j = 0; j < checked.length; j++) {
                    Object value = plain(values[checked[j]], types.apply(checked[j]).dataType());
                    other.append(j == 0 ? "" : ", ").append(columns[checked[j]]).append("=").append(shown(value));
                }
                throw new RecordError("it returned a record of another key, " + other
                    + "; return one of the same key, or none to delete the row");
            }
        }
    }

    // -- errors

    private void fail(Throwable error) {
        if (error instanceof VirtualMachineError && !Failures.isOfClass(error)) {
            throw (VirtualMachineError) error;
        }
        Row failed = merge.records.current; // under the small-file rule not the row that was taken last
        StringBuilder key = new StringBuilder();
        for (int i = 0; i < identity.length; i++) {
            Object value = plain(failed.get(identity[i]), types.apply(identity[i]).dataType());
            key.append(i == 0 ? "" : ", ").append(columns[identity[i]]).append("=").append(shown(value));
        }
        String at = merge.point() == null ? "" : " at " + merge.point();
        MergeTask.fail(payload + " failed" + at + " (key " + key + "): " + reason(error), error);
    }

    private static Object plain(Object value, DataType type) {
        return value instanceof Integer && type instanceof DateType
            ? LocalDate.ofEpochDay(((Integer) value).longValue()) : value;
    }

    /** Returns a value of a key as the other engines write it. */
    private static String shown(Object value) {
        if (value == null) {
            return "None";
        }
        if (value instanceof Boolean) {
            return ((Boolean) value).booleanValue() ? "True" : "False";
        }
        return value instanceof byte[] ? "'" + text((byte[]) value) + "'" : String.valueOf(value);
    }

    private String reason(Throwable error) {
        return merge.watch.wasEnded() ? merge.watch.reason() : Failures.reason(error, payload);
    }
}
