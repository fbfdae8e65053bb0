package bridge.jvm;

import bridge.jvm.Carriers.Buffered;
import bridge.jvm.Carriers.Held;
import bridge.jvm.Carriers.LogEntry;
import bridge.jvm.Carriers.StoredRow;
import bridge.jvm.Carriers.Version;
import bridge.jvm.Constants.MergePoint;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Properties;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.hudi.avro.HoodieAvroUtils;
import org.apache.hudi.common.model.HoodieRecordPayload;
import org.apache.spark.sql.Row;

/** Merging with payload objects, writers until 1.0 and the log scanner of 0.15: bridge/merge/payload_*.py, log_scanner.py. */
abstract class PayloadMerge {
    final Records records;
    final Payloads payloads;
    final Merging at;
    private final Map calls = new HashMap();
    private final Inserts inserts;
    private final Inserts compacted;

    /** What a merge point hands to the payload. */
    private static final class Call {
        final Schema schema;
        final Properties props;

        Call(Schema schema, Properties props) {
            this.schema = schema;
            this.props = props;
        }
    }

    PayloadMerge(Map described, Records records, Payloads payloads, Merging at) {
        this.records = records;
        this.payloads = payloads;
        this.at = at;
        inserts = new Inserts((Map) described.get("refused"));
        compacted = new Inserts((Map) described.get("refused_reads"));
        for (Iterator i = ((Map) described.get("points")).entrySet().iterator(); i.hasNext();) {
            Map.Entry entry = (Map.Entry) i.next();
            Map point = (Map) entry.getValue();
            boolean meta = ((Boolean) point.get("with_meta")).booleanValue();
            calls.put(entry.getKey(),
                new Call(meta ? records.withMeta : records.write, Payloads.properties((Map) point.get("props"))));
        }
    }

    private Call call(String point) {
        return (Call) calls.get(point);
    }

    /** What a writer calls: dedup, insert, copy-on-write merge, log entries. */
    static final class Writer extends PayloadMerge implements Merging.Writer {
        private final String ordering;
        private final boolean consistentTimestamps;
        private final boolean since10;
        private Copies copies;

        Writer(Map described, Records records, Payloads payloads, Merging at) {
            super(described, records, payloads, at);
            ordering = (String) described.get("written_ordering");
            consistentTimestamps = ((Boolean) described.get("consistent_timestamps")).booleanValue();
            since10 = ((Boolean) described.get("since_1_0")).booleanValue();
        }

        public Version incoming(GenericRecord record, Row source, Comparable given) {
            at.enters(MergePoint.COMBINE_INPUT);
            Comparable value = given;
            if (value == null) {
                value = record == null || ordering == null ? Integer.valueOf(0)
                    : (Comparable) HoodieAvroUtils.getNestedFieldVal(record, ordering, false, consistentTimestamps);
            }
            return new Held(payloads.make(record, value), source, record != null);
        }

        public Version combineInput(Version older, Version newer) {
            return fold(MergePoint.COMBINE_INPUT, (Held) older, (Held) newer);
        }

        public Version foldUncombined(Version older, Version newer) {
            return newer; // the map of the merge handle keeps the last
        }

        public Version shuffled(Version version) {
            if (!payloads.isChangedByShuffle) {
                return version;
            }
            at.enters(MergePoint.COMBINE_INPUT);
            if (copies == null) {
                copies = new Copies();
            }
            Held held = (Held) version;
            return new Held((HoodieRecordPayload) copies.shuffled(held.payload), held.source, held.hasData);
        }

        public boolean isDeleted(Version version) throws Exception {
            return isDeleted(MergePoint.INSERT, (Held) version);
        }

        public Comparable orderingOf(Version version) {
            return ((Held) version).payload.getOrderingValue();
        }

        public StoredRow dataOf(Version version) throws Exception {
            Held held = (Held) version;
            if (!held.hasData) {
                return null;
            }
            return held.source == null ? dataOf(MergePoint.COMBINE_INPUT, held) : new StoredRow(held.source, null);
        }

        public Outcome insert(Version version) throws Exception {
            return insert(MergePoint.INSERT, (Held) version);
        }

        public Outcome upsert(StoredRow base, Version version) throws Exception {
            return apply(MergePoint.UPSERT, base, (Held) version);
        }

        public LogEntry logEntry(Version version) throws Exception {
            at.enters(MergePoint.INSERT);
            Comparable value = orderingOf(version);
            if (isDeleted(version)) {
                return new LogEntry(null, DeleteBlock.readBack(value, since10));
            }
            StoredRow row = insert(MergePoint.INSERT, (Held) version, !since10).row;
            return row == null ? null : new LogEntry(row, null);
        }
    }

    /** What readers and compaction of 0.15 call: log entries are pre-combined, then meet the stored row. */
    static final class LogScanner extends PayloadMerge implements Merging.Reader {
        private final int ordering;
        private final MergeRule entries;

        LogScanner(Map described, Records records, Payloads payloads, Merging at) {
            super(described, records, payloads, at);
            entries = new MergeRule((Map) described.get("entries"));
            String name = (String) described.get("ordering");
            Schema.Field field = name == null ? null : records.withMeta.getField(name);
            ordering = field == null ? -1 : field.pos();
        }

        public Version foldLog(Version folded, LogEntry entry) {
            at.enters(MergePoint.LOG_FOLD);
            if (entry.isDelete()) {
                return foldDelete((Held) folded, entry.ordering == null ? Integer.valueOf(0) : entry.ordering);
            }
            GenericRecord record = records.withMeta(entry.row.record(records));
            // The log reader takes a top-level field as it is stored; Integer 0 where there is no such field.
            Comparable value = ordering < 0 ? Integer.valueOf(0) : (Comparable) record.get(ordering);
            Held newer = new Held(payloads.make(record, value), null, true);
            return folded == null ? newer : fold(MergePoint.LOG_FOLD, (Held) folded, newer);
        }

        private Held foldDelete(Held folded, Comparable value) {
            Comparable kept = folded == null ? null : folded.payload.getOrderingValue();
            Buffered before = new Buffered(null, null, false, kept);
            if (folded != null && entries.merged(before, Buffered.delete(value)) == before) {
                return folded;
            }
            return new Held(payloads.make(null, value), null, false);
        }

        public Outcome read(String point, StoredRow base, Version folded) throws Exception {
            if (folded == null) {
                return Outcome.kept(base);
            }
            if (base == null) {
                return insert(point, (Held) folded);
            }
            StoredRow stored = new StoredRow(null, records.withMeta(base.record(records)));
            Outcome outcome = apply(point, stored, (Held) folded);
            return outcome.isKept() ? Outcome.kept(base) : outcome;
        }
    }

    // -- the calls of a payload

    final boolean isDeleted(String point, Held version) throws Exception {
        Call call = call(point);
        return Payloads.isDeleted(version.payload, call.schema, call.props);
    }

    final StoredRow dataOf(String point, Held version) throws Exception {
        Call call = call(point);
        GenericRecord data = payloads.dataOf(version.payload, call.schema, call.props);
        return data == null ? null : new StoredRow(null, data, point);
    }

    final Outcome insert(String point, Held version) throws Exception {
        return insert(point, version, point.equals(MergePoint.SNAPSHOT));
    }

    private Outcome insert(String point, Held version, boolean isTested) throws Exception {
        at.enters(point);
        Call call = call(point);
        // A snapshot query asks no delete test of a key that only the log has (RecordMergingFileIterator).
        if (!isTested && isDeleted(point, version)) {
            return Outcome.SKIPPED;
        }
        Inserts values = point.equals(MergePoint.INSERT) ? inserts : point.equals(MergePoint.COMPACT) ? compacted : null;
        Object value = values != null ? values.of(version.payload, call.schema, call.props)
            : Payloads.orNull(version.payload.getInsertValue(call.schema, call.props));
        return value == null || value == Payloads.SENTINEL ? Outcome.SKIPPED
            : Outcome.inserted(made((GenericRecord) value, point));
    }

    /** Returns the row of a record that a payload made; a user's becomes one at once, as a file has it. */
    private StoredRow made(GenericRecord record, String point) {
        return payloads.mayChangeInput ? new StoredRow(records.row(record), null, point)
            : new StoredRow(null, record, point);
    }

    final Held fold(String point, Held older, Held newer) {
        at.enters(point);
        Call call = call(point);
        HoodieRecordPayload merged = newer.payload.preCombine(older.payload, call.schema, call.props);
        if (merged == older.payload) {
            return older;
        }
        return merged == newer.payload ? newer : new Held(merged, null, true);
    }

    final Outcome apply(String point, StoredRow base, Held version) throws Exception {
        at.enters(point);
        Call call = call(point);
        GenericRecord stored = base.record(records);
        GenericRecord current = stored;
        if (payloads.mayChangeInput) {
            current = (GenericRecord) GenericData.get().deepCopy(stored.getSchema(), stored);
        }
        Object merged = Payloads.orNull(version.payload.combineAndGetUpdateValue(current, call.schema, call.props));
        if (merged == null) {
            return Outcome.DELETED;
        }
        if (merged != current && merged != Payloads.SENTINEL) {
            return Outcome.updated(made((GenericRecord) merged, point));
        }
        // Hudi then writes the very object that it lent to the payload.
        boolean isChanged = payloads.mayChangeInput && !Records.isSame(current, stored);
        return isChanged ? Outcome.updated(made(current, point)) : Outcome.kept(base);
    }
}
