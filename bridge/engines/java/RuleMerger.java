package bridge.jvm;

import bridge.jvm.Carriers.Buffered;
import bridge.jvm.Constants.RulePoint;
import java.util.Map;

/** A merge mode by the rules that it states: for rows of a log or a batch, for delete entries, for the stored row. */
class RuleMerger extends ModeMerger {
    private final MergeRule rows;
    private final MergeRule entries;
    private final MergeRule stored;
    private final boolean convertsEntries;

    RuleMerger(Map rules, RowContext context, boolean since11) {
        super(context);
        rows = new MergeRule((Map) rules.get(RulePoint.BATCH));
        entries = new MergeRule((Map) rules.get(RulePoint.ENTRY));
        stored = new MergeRule((Map) rules.get(RulePoint.STORED));
        convertsEntries = since11;
    }

    Buffered delta(Buffered newer, Buffered existing) throws Exception {
        return rows.merged(existing, newer) == newer ? newer : null;
    }

    /** From 1.1 on an entry's ordering value is compared in the class of the rows; Integer 0 is none. */
    boolean displaces(Comparable entry, Buffered existing) throws Exception {
        boolean isValue = entry != null && !Integer.valueOf(0).equals(entry);
        Comparable value = isValue && convertsEntries ? context.ordering.ofEntry(entry) : entry;
        return entries.merged(existing, Buffered.delete(value)) != existing;
    }

    Buffered last(Buffered older, Buffered newer) throws Exception {
        return stored.merged(older, newer);
    }
}
