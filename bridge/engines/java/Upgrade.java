package bridge.jvm;

import bridge.jvm.Carriers.StoredRow;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.spark.sql.Row;
import org.apache.spark.unsafe.Platform;

/** A table that is upgraded: bridge/programs/takeover.py; the next release goes on in a class loader of its own. */
final class Upgrade extends Programs.Simulate {
    static final String CHANGE_WRITER = "change writer";
    static final String ACCEPT = "accept";
    static final String FINISH = "finish";

    private final int after;
    private final Function successor;
    private boolean isHandedOver;

    Upgrade(RecordMerge merge, int commits, boolean logUpdates, List compactions, Map successor) throws Exception {
        super(merge, commits, logUpdates, compactions);
        after = ((Integer) successor.get("after")).intValue();
        Class type = JarLoader.ofSentFiles((List) successor.get("jars")).loadClass("bridge.jvm.Successor");
        this.successor = (Function) type.getConstructor(new Class[] {String.class})
            .newInstance(new Object[] {successor.get("description")});
    }

    void start() {
        super.start();
        isHandedOver = false;
    }

    void accept(Arrival arrival, Emit emit) throws Exception {
        if (arrival.commit <= after) {
            super.accept(arrival, emit);
            return;
        }
        handOver(emit);
        tell(new Object[] {ACCEPT, arrival.row, Long.valueOf(arrival.commit), Boolean.valueOf(arrival.isBare),
            arrival.ordering}, emit);
    }

    void finish(Emit emit) throws Exception {
        handOver(emit);
        tell(new Object[] {FINISH}, emit);
    }

    private void handOver(Emit emit) throws Exception {
        if (!isHandedOver) {
            endCommit(after + 1, emit);
            tell(new Object[] {CHANGE_WRITER, merge.records.current, state()}, emit);
            isHandedOver = true;
        }
    }

    /** Tells the next release something, and emits what it does; objects of its classes don't cross the border. */
    private void tell(Object[] message, Emit emit) throws Exception {
        Object answer = successor.apply(message);
        if (answer instanceof Object[]) {
            Object[] failed = (Object[]) answer;
            merge.failsAt((String) failed[0]);
            if (failed[1] != null) {
                throw new RecordError((String) failed[1]);
            }
            Platform.throwException((Throwable) failed[2]);
        }
        for (Iterator i = ((List) answer).iterator(); i.hasNext();) {
            Object[] outcome = (Object[]) i.next();
            if (outcome[0] == null) {
                if (listener() != null) {
                    listener().ended(((Long) outcome[1]).longValue(), (Row) outcome[2], (Row) outcome[3],
                        (List) outcome[4]);
                }
                continue;
            }
            StoredRow row = outcome[1] == null ? null : new StoredRow((Row) outcome[1], null);
            emit.add(((Integer) outcome[0]).intValue(), row, (Object[]) outcome[2]);
        }
    }
}
