package bridge.jvm;

import bridge.jvm.Carriers.Buffered;
import bridge.jvm.Constants.MergeMode;
import java.util.Map;

/** A merge mode where rows meet: its rules, or for CUSTOM a class. */
abstract class ModeMerger {
    final RowContext context;

    ModeMerger(RowContext context) {
        this.context = context;
    }

    /** Returns the merger of a rule; `asked` is for CUSTOM, where no merger of the user's is described. */
    static ModeMerger of(Map rule, CustomMerger.Asked asked, RowContext context, boolean since11) throws Throwable {
        Map user = (Map) rule.get("merger");
        Map rules = (Map) rule.get("rules");
        if (user != null) {
            return since11 ? (ModeMerger) new UserMerger(user, asked.props, context, asked.preCombines)
                : new UserMerger10(user, asked.props, rules, context);
        }
        if (!MergeMode.CUSTOM.equals(rule.get("mode"))) {
            return new RuleMerger(rules, context, since11);
        }
        return since11 ? (ModeMerger) new CustomMerger(asked, context) : new CustomMerger10(asked, rules, context);
    }

    /** Merges a row with what came before it; null keeps `existing`. */
    abstract Buffered delta(Buffered newer, Buffered existing) throws Exception;

    /** Whether an entry of a delete block takes the place of what came before it. */
    abstract boolean displaces(Comparable entry, Buffered existing) throws Exception;

    /** Merges a row of a base file with what has gathered for its key; `older` itself where it stays. */
    abstract Buffered last(Buffered older, Buffered newer) throws Exception;

    final Buffered fold(Buffered existing, Buffered newer) throws Exception {
        Buffered merged = existing == null ? newer : delta(newer, existing);
        return merged == null ? existing : merged;
    }

    final Buffered foldDelete(Buffered existing, Comparable entry) throws Exception {
        return existing == null || displaces(entry, existing) ? delete(entry) : existing;
    }

    final Buffered delete(Comparable entry) {
        return Buffered.delete(entry == null ? Integer.valueOf(0) : context.ordering.ofEntry(entry));
    }

    static boolean isCommitTimeDelete(Buffered older, Buffered newer) {
        return older.isCommitTimeDelete() || newer.isCommitTimeDelete();
    }

    static boolean isLater(Comparable left, Comparable right) {
        if (left == null || right == null) {
            throw new RecordError("a version has a null ordering value; fill the ordering field");
        }
        return left.compareTo(right) > 0;
    }

    /** Returns the delete that two versions merge to: one of them, or a new one without data. */
    static Buffered deleted(Buffered older, Buffered newer) {
        if (newer.isDelete) {
            return newer;
        }
        if (older.isDelete) {
            return older;
        }
        return Buffered.delete(isLater(older.ordering, newer.ordering) ? older.ordering : newer.ordering);
    }

    /** CUSTOM from 1.1 on: one merge of two versions, the same wherever rows meet. */
    abstract static class Custom extends ModeMerger {
        Custom(RowContext context) {
            super(context);
        }

        /** Merges two versions; `older` or `newer` itself where it stays as it is. */
        abstract Buffered merged(Buffered older, Buffered newer) throws Exception;

        Buffered delta(Buffered newer, Buffered existing) throws Exception {
            Buffered merged = merged(existing, newer);
            // Two deletes without data have the same row, none: the earlier one stays.
            return merged.isRowOf(existing) ? null : merged;
        }

        boolean displaces(Comparable entry, Buffered existing) throws Exception {
            return delta(delete(entry), existing) != null;
        }

        Buffered last(Buffered older, Buffered newer) throws Exception {
            return merged(older, newer);
        }
    }
}
