package bridge.jvm;

/** Data or settings that can't be merged; the message is a sentence for the user. */
final class RecordError extends RuntimeException {
    RecordError(String message) {
        super(message);
    }

    RecordError(String message, Throwable cause) {
        super(message, cause);
    }
}
