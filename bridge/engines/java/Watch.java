package bridge.jvm;

import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;

/**
 * Ends calls of a user's class that take too long. A thread looks once a second whether the same call still runs.
 *
 * The watched thread only counts, so that a call costs no look at a clock. A thread that stands still is interrupted,
 * then stopped; Java 20 and later stop none, and there the stage of Spark is cancelled.
 */
final class Watch {
    private static final List ALL = new ArrayList();
    private static final long SECOND = 1000L;
    private static Thread looking;

    private final int seconds;
    private int stage = -1;
    private Thread thread;
    private long calls;
    private boolean isInside;
    private volatile boolean isOver;
    // Of the thread that looks.
    private long seen;
    private int looks;

    /** Makes a watch of calls of at most so many seconds; 0 for any time. */
    Watch(int seconds) {
        this.seconds = seconds;
        if (seconds > 0) {
            synchronized (ALL) {
                ALL.add(new WeakReference(this));
                if (looking == null) {
                    looking = new Thread(new Looks(), "payload-bridge-watch");
                    looking.setDaemon(true);
                    looking.start();
                }
            }
        }
    }

    /** Notes that a call begins in this thread; another one begins in it with `next`. */
    void enter() {
        Thread current = Thread.currentThread();
        if (thread != current) {
            thread = current;
            TaskContext task = TaskContext.get();
            stage = task == null ? -1 : task.stageId();
        }
        calls++;
        isInside = true;
    }

    void next() {
        calls++;
    }

    void leave() {
        isInside = false;
    }

    /** Whether the call was ended; forgets it. */
    boolean wasEnded() {
        boolean found = isOver;
        isOver = false;
        if (found) {
            Thread.interrupted();
        }
        return found;
    }

    String reason() {
        return "a call of the class has not ended after " + seconds
            + " s; end its loop or what it waits for, or allow more with --call-timeout";
    }

    private void look() {
        if (!isInside || calls != seen) {
            seen = calls;
            looks = 0;
            return;
        }
        looks++;
        if (looks < seconds) {
            return;
        }
        isOver = true;
        if (looks == seconds) {
            thread.interrupt();
            return;
        }
        try {
            Method stop = Thread.class.getMethod("stop", new Class[0]);
            stop.invoke(thread, new Object[0]);
        } catch (Exception notInThisJava) {
            cancel();
        }
    }

    private void cancel() {
        if (stage >= 0 && "driver".equals(SparkEnv.get().executorId())) {
            SparkContext.getOrCreate().cancelStage(stage, reason());
        }
    }

    private static final class Looks implements Runnable {
        public void run() {
            while (true) {
                try {
                    Thread.sleep(SECOND);
                } catch (InterruptedException ended) {
                    return;
                }
                synchronized (ALL) {
                    for (Iterator i = ALL.iterator(); i.hasNext();) {
                        Watch watch = (Watch) ((WeakReference) i.next()).get();
                        if (watch == null) {
                            i.remove();
                        } else {
                            watch.look();
                        }
                    }
                }
            }
        }
    }
}
