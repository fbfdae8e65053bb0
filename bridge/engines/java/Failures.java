package bridge.jvm;

/** What the user is told about whatever a class throws. */
final class Failures {
    /** The longest message of an exception that is kept, in characters. */
    static final int LONGEST = 2000;
    private static final int LONGEST_LINE = 200;

    private Failures() {
    }

    /** Whether an error of the JVM is one that a class causes and the JVM survives. */
    static boolean isOfClass(Throwable error) {
        return error instanceof StackOverflowError || error instanceof OutOfMemoryError;
    }

    /** Returns one sentence, or none where the error of the class says all: its first line, and that of its cause. */
    static String reason(Throwable error, String payload) {
        if (error instanceof RecordError || error instanceof Exits.ExitError) {
            return error.getMessage();
        }
        String text = oneLine(error);
        Throwable cause = error;
        while (cause.getCause() != null && cause.getCause() != cause) {
            cause = cause.getCause();
        }
        if (cause instanceof Exits.ExitError) {
            return cause.getMessage();
        }
        if (cause != error) {
            text = text + "; caused by " + oneLine(cause);
        }
        String advice = advice(error, payload);
        return advice == null ? text : advice + " (" + text + ")";
    }

    /** Returns what is behind an error and what to do; null where its own text says it. */
    static String advice(Throwable error, String payload) {
        if (error instanceof OutOfMemoryError) {
            return "the class needs more memory than the " + (Runtime.getRuntime().maxMemory() >> 20)
                + " MiB that Java has; let it keep less, or give Spark more (--conf spark.driver.memory, "
                + "spark.executor.memory)";
        }
        return Links.explained(error, payload);
    }

    /** Returns a message, without its end where it is long. */
    static String shortened(String text) {
        return text == null || text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "...";
    }

    private static String oneLine(Throwable error) {
        String text;
        try {
            text = error.toString().split("\n", 2)[0];
        } catch (RuntimeException failing) {
            text = error.getClass().getName();
        }
        return text.length() > LONGEST_LINE ? text.substring(0, LONGEST_LINE) + "..." : text;
    }
}
