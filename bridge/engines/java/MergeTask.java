package bridge.jvm;

import java.lang.reflect.InvocationTargetException;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.SparkException;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.unsafe.Platform;

/**
 * What Spark sends to its tasks: the names of the jars and the description of a job; the rest is loaded from the jars.
 *
 * Spark tries a failed task again, which can't help where a payload refuses a record: a second attempt in the same
 * executor repeats the first failure at once.
 */
public final class MergeTask implements MapPartitionsFunction {
    private static final int DEEPEST = 20;
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
            SparkException before = (SparkException) FAILED.get(name(task));
            if (before != null) {
                throw before;
            }
        }
        // Static initialisers look for resources in the thread's loader.
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(JarLoader.ofSentFiles(jars));
        try {
            return merge(jars, job).call(rows);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** Loads what merges, from the jars. */
    static MapPartitionsFunction merge(List jars, String job) throws Exception {
        Class merge = JarLoader.ofSentFiles(jars).loadClass("bridge.jvm.KeyedMerge");
        try {
            return (MapPartitionsFunction) merge.getConstructor(new Class[] {String.class})
                .newInstance(new Object[] {job});
        } catch (InvocationTargetException failed) {
            // Such as a static initialiser that fails on this machine alone.
            throw new SparkException(Failures.reason(failed.getCause(), "the class"), null);
        }
    }

    /** Notes why this task failed, for its next attempt, and gives up. */
    public static void fail(String message, Throwable cause) {
        SparkException error = new SparkException(message, known(cause, 0));
        TaskContext task = TaskContext.get();
        if (task != null) {
            FAILED.put(name(task), error);
        }
        Platform.throwException(error);
    }

    /** Returns a cause in classes that the driver has, which may not know those of the jars. */
    private static Throwable known(Throwable cause, int depth) {
        if (cause == null || depth == DEEPEST) {
            return null;
        }
        RuntimeException copy = new RuntimeException(Failures.shortened(cause.toString()), known(cause.getCause(), depth + 1));
        copy.setStackTrace(cause.getStackTrace());
        return copy;
    }

    private static String name(TaskContext task) {
        return task.stageId() + "/" + task.partitionId();
    }
}
