package bridge.jvm;

import bridge.jvm.Carriers.Buffered;
import bridge.jvm.Carriers.LogEntry;
import bridge.jvm.Carriers.StoredRow;
import bridge.jvm.Carriers.Version;
import bridge.jvm.Constants.MergeMode;
import bridge.jvm.Constants.MergePoint;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.hudi.avro.HoodieAvroUtils;
import org.apache.hudi.common.model.HoodieRecordPayload;
import org.apache.spark.sql.Row;

/** What a writer calls from 1.1 on: bridge/merge/mode_writer.py for compiled classes. */
final class ModeWriter implements Merging.Writer {
    private final Records records;
    private final Merging at;
    private final Properties props;
    private final String[] ordering;
    private final boolean consistentTimestamps;
    private final boolean dedupIgnoresOrdering;
    private final Payloads asked;
    private final Payloads rebuilt;
    private final String indexedSentinel;
    /** What is wrong with an insert value that depends on the file; null where rows of new keys go to new files. */
    private final String ofFile;
    private final boolean testsRows;
    private final LostFields lost;
    private final Inserts inserts;
    private final Inserts logged;
    private final DeleteTest deletes;
    private final OrderingFields storedOrdering;
    private final boolean mayChangeInput;
    private final ModeMerger dedup;
    private final ModeMerger merge;

    ModeWriter(Map described, Records records, RecordMerge owner, Merging at) throws Throwable {
        this.records = records;
        this.at = at;
        props = Payloads.properties((Map) described.get("props"));
        ordering = (String[]) ((List) described.get("ordering")).toArray(new String[0]);
        consistentTimestamps = ((Boolean) described.get("consistent_timestamps")).booleanValue();
        Map dedupRule = (Map) described.get("dedup");
        Map mergeRule = (Map) described.get("merge");
        dedupIgnoresOrdering = dedupRule.get("mode").equals(MergeMode.COMMIT_TIME_ORDERING);
        asked = Payloads.ofWriter(owner.payloads(described, "asked"));
        rebuilt = Payloads.ofMerge(asked);
        indexedSentinel = (String) described.get("indexed_sentinel");
        ofFile = asked == null || asked.givesOwnRecord ? null : (String) described.get("insert_of_file");
        testsRows = ((Boolean) described.get("tests_rows")).booleanValue();
        lost = asked == null ? null : asked.lostFields();
        inserts = new Inserts((Map) described.get("refused"));
        logged = new Inserts((Map) described.get("refused_in_log"));
        deletes = new DeleteTest((Map) described.get("deletes"), records, records.write);
        Payloads dedups = Payloads.ofMerge(owner.payloads(dedupRule, "payload"));
        Payloads merges = Payloads.ofMerge(owner.payloads(mergeRule, "payload"));
        mayChangeInput = mayChange(asked) || mayChange(dedups) || mayChange(merges);
        List fields = (List) dedupRule.get("ordering");
        dedup = merger(dedupRule, fields, new CustomMerger.Asked(dedups, props, true));
        fields = (List) mergeRule.get("ordering");
        storedOrdering = new OrderingFields(records, records.write, fields, false, true);
        merge = merger(mergeRule, fields, new CustomMerger.Asked(merges, props, false));
    }

    private static boolean mayChange(Payloads payloads) {
        return payloads != null && payloads.mayChangeInput;
    }

    private ModeMerger merger(Map rule, List fields, CustomMerger.Asked asked) throws Throwable {
        OrderingFields made = new OrderingFields(records, records.write, fields, false, true);
        RowContext context = new RowContext(records, records.write, made, false, mayChangeInput);
        return ModeMerger.of(rule, asked, context, true);
    }

    public Version incoming(GenericRecord record, Row source, Comparable given) throws Exception {
        at.enters(MergePoint.COMBINE_INPUT);
        if (record == null) {
            return Buffered.delete(given == null ? Integer.valueOf(0) : given);
        }
        Comparable value = given != null ? given
            : dedupIgnoresOrdering ? (Comparable) Integer.valueOf(0) : writtenOrdering(record);
        if (asked == null) {
            return new Buffered(source, record, deletes.isDelete(record), value);
        }
        HoodieRecordPayload payload = lost.without(asked.around(record, value));
        boolean isDelete = testsRows ? deletes.isDelete(record) : isDeleted(payload);
        Buffered version = new Buffered(mayChangeInput ? null : source, record, isDelete, value);
        version.payload = payload;
        return version;
    }

    private HoodieRecordPayload payloadOf(Buffered version) {
        return version.payload == null ? lost.without(asked.around(version.record, version.ordering)) : version.payload;
    }

    private boolean isDeleted(HoodieRecordPayload payload) throws Exception {
        try {
            return Payloads.isDeleted(payload, records.write, props);
        } catch (RuntimeException error) {
            throw lost.explained(error);
        }
    }

    /** Returns a version whose key has a row: the class says whether it is a delete. */
    private Buffered found(Buffered version) throws Exception {
        if (asked == null || version.isIndexed || !version.hasPayload()) {
            return version;
        }
        HoodieRecordPayload payload = payloadOf(version);
        lost.metadataOf(payload);
        boolean isDelete = testsRows ? isDeleted(payload) : version.isDelete;
        if (isDelete == version.isDelete) {
            return version;
        }
        Buffered found = new Buffered(version.source, version.record, isDelete, version.ordering);
        found.payload = payload;
        return found;
    }

    /** Returns a version as a merge gets it, with the record that its payload gives: bridge/merge/payload_rows.py. */
    private Buffered indexed(Buffered version) throws Exception {
        if (asked == null || asked.givesOwnRecord || version.isIndexed || !version.hasPayload()) {
            return version;
        }
        GenericRecord record;
        try {
            record = asked.dataOf(payloadOf(version), records.write, props);
        } catch (RuntimeException error) {
            throw lost.explained(error);
        }
        if (record == Payloads.SENTINEL) {
            throw new RecordError(indexedSentinel);
        }
        return asIndexed(new Buffered(null, record, version.isDelete, version.ordering));
    }

    private static Buffered asIndexed(Buffered version) {
        version.isIndexed = true;
        return version;
    }

    /** Returns what two versions of a batch merged to as the table gets it: with a payload of its own, out of a shuffle. */
    private Buffered combined(Buffered merged) {
        if (asked == null || asked.givesOwnRecord || merged.record == null && !merged.isIndexed) {
            return merged;
        }
        Buffered found = new Buffered(null, merged.record, merged.isDelete, merged.ordering);
        found.payload = lost.without(rebuilt.around(merged.record, merged.ordering));
        return found;
    }

    /** Returns the ordering value as a writer reads it, which a delete entry carries; null where the field is. */
    private Comparable writtenOrdering(GenericRecord record) {
        if (ordering.length == 0) {
            return Integer.valueOf(0);
        }
        Comparable[] values = new Comparable[ordering.length];
        for (int i = 0; i < values.length; i++) {
            values[i] =
                (Comparable) HoodieAvroUtils.getNestedFieldVal(record, ordering[i], true, consistentTimestamps);
        }
        return values.length == 1 ? values[0] : Tuples.of(values);
    }

    public Version combineInput(Version older, Version newer) throws Exception {
        at.enters(MergePoint.COMBINE_INPUT);
        Buffered merged = dedup.delta(indexed((Buffered) newer), indexed((Buffered) older));
        return merged == null ? older : combined(merged);
    }

    public Version foldUncombined(Version older, Version newer) throws Exception {
        at.enters(MergePoint.UPSERT);
        Buffered first = indexed((Buffered) older);
        Buffered merged = merge.delta(indexed((Buffered) newer), first);
        return asIndexed(merged == null ? first : merged);
    }

    public Version shuffled(Version version) {
        return version; // rows are shuffled, and payloads are built of them anew
    }

    public boolean isDeleted(Version version) {
        return ((Buffered) version).isDelete;
    }

    public Comparable orderingOf(Version version) {
        return ((Buffered) version).ordering;
    }

    public StoredRow dataOf(Version version) {
        Buffered buffered = (Buffered) version;
        return buffered.hasData() ? stored(buffered) : null;
    }

    public Outcome insert(Version version) throws Exception {
        return insert((Buffered) version, inserts);
    }

    private Outcome insert(Buffered buffered, Inserts values) throws Exception {
        at.enters(MergePoint.INSERT);
        HoodieRecordPayload payload = asked == null || !buffered.hasPayload() ? null : payloadOf(buffered);
        if (payload != null) {
            lost.metadataOf(payload);
        }
        if (buffered.isDelete) {
            return Outcome.SKIPPED;
        }
        if (payload == null) {
            return Outcome.inserted(stored(buffered));
        }
        GenericRecord value;
        try {
            value = values.of(payload, records.write, props);
            if (ofFile != null && value != null) {
                HoodieRecordPayload again = rebuilt.around(
                    (GenericRecord) GenericData.get().deepCopy(value.getSchema(), value), payload.getOrderingValue());
                Object twice = Payloads.orNull(again.getInsertValue(records.write, props));
                if (twice == null || twice == Payloads.SENTINEL || !Records.isSame((GenericRecord) twice, value)) {
                    throw new RecordError(ofFile);
                }
            }
        } catch (RuntimeException error) {
            throw lost.explained(error);
        }
        if (value == null) {
            return Outcome.SKIPPED;
        }
        return Outcome.inserted(value == buffered.record && !mayChangeInput ? stored(buffered)
            : new StoredRow(records.row(value), null));
    }

    public Outcome upsert(StoredRow base, Version version) throws Exception {
        at.enters(MergePoint.UPSERT);
        // Nobody else holds this record: a payload may change it.
        GenericRecord record = records.stored(base.row(records));
        Buffered older = new Buffered(base.row(records), record, false, storedOrdering.of(record));
        Buffered merged = merge.last(older, indexed(found((Buffered) version)));
        if (merged != older) {
            return merged.isDelete ? Outcome.DELETED : Outcome.updated(stored(merged));
        }
        boolean isChanged = older.source == null && !Records.isSame(record, records.stored(base.row(records)));
        return isChanged ? Outcome.updated(new StoredRow(records.row(record), null)) : Outcome.kept(base);
    }

    public LogEntry logEntry(Version version) throws Exception {
        at.enters(MergePoint.INSERT);
        Buffered buffered = found((Buffered) version);
        if (!buffered.isDelete) {
            StoredRow row = insert(buffered, logged).row;
            return row == null ? null : new LogEntry(row, null);
        }
        // Delete entries carry the real ordering value in commit-time tables, too.
        Comparable value = buffered.record == null ? buffered.ordering : writtenOrdering(buffered.record);
        return new LogEntry(null, value == null ? null : DeleteBlock.readBack(value, true));
    }

    private StoredRow stored(Buffered version) {
        return new StoredRow(version.source == null ? records.row(version.record) : version.source, null);
    }
}
