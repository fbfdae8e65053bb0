package bridge.jvm;

/** What a class calls in place of System.exit and its kind, which would end Spark with it. */
public final class Exits {
    private Exits() {
    }

    /** Stands for System.exit. */
    public static void exit(int status) {
        throw new ExitError("System.exit(" + status + ")");
    }

    /** Stands for Runtime.exit. */
    public static void exit(Runtime runtime, int status) {
        throw new ExitError("Runtime.exit(" + status + ")");
    }

    /** Stands for Runtime.halt. */
    public static void halt(Runtime runtime, int status) {
        throw new ExitError("Runtime.halt(" + status + ")");
    }

    /** A class has tried to end Java; no exception, so that code which goes on after those does not swallow it. */
    public static final class ExitError extends Error {
        ExitError(String call) {
            super("the class calls " + call + ", which would end Spark with it; throw an exception instead");
        }
    }
}
