package bridge.write;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.hudi.client.transaction.ConcurrentOperation;
import org.apache.hudi.client.transaction.SimpleConcurrentFileWritesConflictResolutionStrategy;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.common.util.collection.Pair;
import org.apache.hudi.exception.HoodieWriteConflictException;

/**
 * Conflicts since the stored rows were read, not only since Hudi began to write: every commit that was not complete
 * then, and that wrote into a partition of this commit; and every one that was read and has been undone since. Hudi
 * asks while it holds the lock of the table.
 */
public class SinceTheRead extends SimpleConcurrentFileWritesConflictResolutionStrategy {
    private static final ThreadLocal READ = new ThreadLocal();

    /** Takes the requested times of the commits that were complete at the read of this thread's merge, with commas. */
    public static void read(String instants) {
        Set read = new HashSet();
        if (!instants.isEmpty()) {
            read.addAll(Arrays.asList(instants.split(",")));
        }
        READ.set(read);
    }

    /** Drops them: the commit of this thread has ended. */
    public static void forget() {
        READ.remove();
    }

    public Stream getCandidateInstants(HoodieTableMetaClient table, HoodieInstant own, Option last) {
        Set read = (Set) READ.get();
        if (read == null) {
            throw new HoodieWriteConflictException("the commits that the merge has read are not known in this thread");
        }
        checkPresent(table, read);
        List found = new ArrayList();
        Iterator all = table.getActiveTimeline().getCommitsTimeline().filterCompletedInstants().getInstants().iterator();
        while (all.hasNext()) {
            HoodieInstant one = (HoodieInstant) all.next();
            if (!read.contains(timeOf(one))) {
                found.add(one);
            }
        }
        // Table services that were scheduled after this commit began: Hudi's own rule.
        Iterator pending = super.getCandidateInstants(table, own, last).iterator();
        while (pending.hasNext()) {
            HoodieInstant one = (HoodieInstant) pending.next();
            if (!one.isCompleted()) {
                found.add(one);
            }
        }
        return found.stream();
    }

    /** A commit that was read and has gone was rolled back or restored over, unless it is so old that it was archived. */
    private static void checkPresent(HoodieTableMetaClient table, Set read) {
        Set present = new HashSet();
        String first = null;
        Iterator all = table.getActiveTimeline().getInstants().iterator();
        while (all.hasNext()) {
            HoodieInstant one = (HoodieInstant) all.next();
            boolean isWrite = !one.getAction().equals("clean") && !one.getAction().equals("rollback");
            if (isWrite && (first == null || timeOf(one).compareTo(first) < 0)) {
                first = timeOf(one);
            }
            if (one.isCompleted()) {
                present.add(timeOf(one));
            }
        }
        String latest = read.isEmpty() ? null : (String) Collections.max(read);
        Iterator known = read.iterator();
        while (known.hasNext()) {
            String one = (String) known.next();
            boolean isActive = one.equals(latest) || (first != null && one.compareTo(first) > 0);
            if (isActive && !present.contains(one)) {
                throw new HoodieWriteConflictException(one + " was read, and has gone from the timeline since");
            }
        }
    }

    /** Rows that two writers insert are in no file group of both, so partitions are compared. */
    public boolean hasConflict(ConcurrentOperation own, ConcurrentOperation other) {
        Set partitions = partitions(own);
        partitions.retainAll(partitions(other));
        return !partitions.isEmpty();
    }

    /** Until 0.15 the requested time is called the timestamp. */
    private static String timeOf(HoodieInstant one) {
        try {
            return (String) named("requestedTime", "getTimestamp").invoke(one, new Object[0]);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the time of " + one + " is not known", e);
        }
    }

    private static Method named(String name, String earlier) throws NoSuchMethodException {
        try {
            return HoodieInstant.class.getMethod(name, new Class[0]);
        } catch (NoSuchMethodException e) {
            return HoodieInstant.class.getMethod(earlier, new Class[0]);
        }
    }

    private static Set partitions(ConcurrentOperation operation) {
        Set found = new HashSet();
        Iterator files = operation.getMutatedPartitionAndFileIds().iterator();
        while (files.hasNext()) {
            found.add(((Pair) files.next()).getLeft());
        }
        return found;
    }
}
