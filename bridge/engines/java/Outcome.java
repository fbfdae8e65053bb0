package bridge.jvm;

import bridge.jvm.Carriers.StoredRow;
import bridge.jvm.Constants.Action;

/** What a merge call made of a key: the action, and the row that is there afterwards. */
final class Outcome {
    static final Outcome DELETED = new Outcome(Action.DELETE, null);
    static final Outcome SKIPPED = new Outcome(Action.SKIP, null);

    final int action;
    /** Null after DELETE and SKIP. */
    final StoredRow row;

    Outcome(int action, StoredRow row) {
        this.action = action;
        this.row = row;
    }

    static Outcome inserted(StoredRow row) {
        return new Outcome(Action.INSERT, row);
    }

    static Outcome updated(StoredRow row) {
        return new Outcome(Action.UPDATE, row);
    }

    /** The row stays, or there is none. */
    static Outcome kept(StoredRow row) {
        return row == null ? SKIPPED : new Outcome(Action.KEEP, row);
    }

    boolean isKept() {
        return action == Action.KEEP;
    }
}
