package bridge.write;

import java.util.ArrayList;
import java.util.Arrays;
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
 * then, and that wrote into a partition of this commit. Hudi asks while it holds the lock of the table.
 */
public class SinceTheRead extends SimpleConcurrentFileWritesConflictResolutionStrategy {
    private static final ThreadLocal READ = new ThreadLocal();

    /** Takes the requested times of the commits that were complete at the read of this thread's merge, with commas. */
    public static void read(String instants) {
        READ.set(new HashSet(Arrays.asList(instants.split(","))));
    }

    public Stream getCandidateInstants(HoodieTableMetaClient table, HoodieInstant own, Option last) {
        Set read = (Set) READ.get();
        if (read == null) {
            throw new HoodieWriteConflictException("the commits that the merge has read are not known in this thread");
        }
        List found = new ArrayList();
        Iterator all = table.getActiveTimeline().getCommitsTimeline().filterCompletedInstants().getInstants().iterator();
        while (all.hasNext()) {
            HoodieInstant one = (HoodieInstant) all.next();
            if (!read.contains(one.requestedTime())) {
                found.add(one);
            }
        }
        return found.stream();
    }

    /** Rows that two writers insert are in no file group of both, so partitions are compared. */
    public boolean hasConflict(ConcurrentOperation own, ConcurrentOperation other) {
        Set partitions = partitions(own);
        partitions.retainAll(partitions(other));
        return !partitions.isEmpty();
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
