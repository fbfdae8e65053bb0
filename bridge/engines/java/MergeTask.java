package bridge.jvm;

import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;

/**
 * What Spark sends to its tasks: the names of the jars and the description of a job; the rest is loaded from the jars.
 *
 * Spark tries a failed task again, which can't help where a payload refuses a record: a second attempt in the same
 * executor repeats the first failure at once.
 */
public final class MergeTask implements MapPartitionsFunction {
    private static final Map FAILED = new ConcurrentHashMap();

    private final java.util.ArrayList jars;
    private final String job;

    public MergeTask(List jars, String job) {
        this.jars = new java.util.ArrayList(jars);
        this.job = job;
    }

    public Iterator call(Iterator rows) throws Exception {
        TaskContext task = TaskContext.get();
        if (task != null && task.attemptNumber() > 0) {
            MergeFailedError before = (MergeFailedError) FAILED.get(name(task));
            if (before != null) {
                throw before;
            }
        }
        Class merge = JarLoader.ofSentFiles(jars).loadClass("bridge.jvm.KeyedMerge");
        MapPartitionsFunction function =
            (MapPartitionsFunction) merge.getConstructor(new Class[] {String.class}).newInstance(new Object[] {job});
        return function.call(rows);
    }

    /** Notes the failure of this task for its next attempt, and returns it. */
    public static MergeFailedError failed(MergeFailedError error) {
        TaskContext task = TaskContext.get();
        if (task != null) {
            FAILED.put(name(task), error);
        }
        return error;
    }

    private static String name(TaskContext task) {
        return task.stageId() + "/" + task.partitionId();
    }
}
