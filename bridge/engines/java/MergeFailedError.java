package bridge.jvm;

/** The merge of one key failed; the message says which, where and why. */
public final class MergeFailedError extends RuntimeException {
    public MergeFailedError(String message, Throwable cause) {
        super(message, cause == null ? null : new Copy(cause, 0));
    }

    /** A cause without its class, which the driver may not have. */
    static final class Copy extends RuntimeException {
        private static final int DEEPEST = 20;
        private final String text;

        Copy(Throwable original, int depth) {
            super(original.getMessage(), next(original, depth));
            text = original.toString();
            setStackTrace(original.getStackTrace());
        }

        private static Throwable next(Throwable original, int depth) {
            Throwable cause = original.getCause();
            return cause == null || depth == DEEPEST ? null : new Copy(cause, depth + 1);
        }

        public String toString() {
            return text;
        }
    }
}
