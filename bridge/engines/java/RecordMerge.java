package bridge.jvm;

import bridge.jvm.Carriers.LogEntry;
import bridge.jvm.Carriers.StoredRow;
import bridge.jvm.Carriers.Version;
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

/** The calls of a release at its merge points, one record at a time: bridge/record_merge.py for compiled classes. */
final class RecordMerge {
    static final String COMBINE_INPUT = "combine-input";
    static final String UPSERT = "upsert";
    static final String INSERT = "insert";
    static final String LOG_FOLD = "log-fold";
    static final String COMPACT = "compact";
    static final String SNAPSHOT = "snapshot";

    final Records records;
    private final Payloads payloads;
    private final String ordering;
    private final boolean consistentTimestamps;
    private final int logOrdering;
    private final boolean mayChangeInput;
    private final Map calls = new HashMap();
    /** The merge point of the last call, for messages. */
    String point = COMBINE_INPUT;

    /** What a merge point hands to the payload. */
    private static final class Call {
        final Schema schema;
        final Properties props;

        Call(Schema schema, Properties props) {
            this.schema = schema;
            this.props = props;
        }
    }

    RecordMerge(Map job, Records records, Payloads payloads) {
        this.records = records;
        this.payloads = payloads;
        mayChangeInput = !((String) job.get("payload")).startsWith("org.apache.hudi.");
        ordering = (String) job.get("ordering");
        consistentTimestamps = ((Boolean) job.get("consistent_timestamps")).booleanValue();
        Schema.Field field = ordering == null ? null : records.withMeta.getField(ordering);
        logOrdering = field == null ? -1 : field.pos();
        for (Iterator i = ((Map) job.get("points")).entrySet().iterator(); i.hasNext();) {
            Map.Entry entry = (Map.Entry) i.next();
            Map described = (Map) entry.getValue();
            Properties props = new Properties();
            for (Iterator j = ((Map) described.get("props")).entrySet().iterator(); j.hasNext();) {
                Map.Entry prop = (Map.Entry) j.next();
                props.setProperty((String) prop.getKey(), (String) prop.getValue());
            }
            boolean meta = ((Boolean) described.get("with_meta")).booleanValue();
            calls.put(entry.getKey(), new Call(meta ? records.withMeta : records.write, props));
        }
    }

    private Call call(String name) {
        return (Call) calls.get(name);
    }

    // -- the incoming batch

    /** Builds the payload of an incoming row; `given` overrides what the ordering field says. */
    Version incoming(GenericRecord record, Row source, Comparable given) {
        point = COMBINE_INPUT;
        Comparable value = given;
        if (value == null) {
            value = record == null || ordering == null ? Integer.valueOf(0)
                : (Comparable) HoodieAvroUtils.getNestedFieldVal(record, ordering, false, consistentTimestamps);
        }
        return new Version(payloads.make(record, value), source, record != null);
    }

    Version combineInput(Version older, Version newer) {
        return fold(COMBINE_INPUT, older, newer);
    }

    /** Whether the writer routes this version as a delete. */
    boolean isDeleted(Version version) throws Exception {
        Call call = call(INSERT);
        return Payloads.isDeleted(version.payload, call.schema, call.props);
    }

    /** Returns the data of a version as it stands, or null. */
    StoredRow dataOf(Version version) throws Exception {
        if (!version.hasData) {
            return null;
        }
        Call call = call(COMBINE_INPUT);
        if (version.source != null) {
            return new StoredRow(version.source, null);
        }
        GenericRecord data = payloads.dataOf(version.payload, call.schema, call.props);
        return data == null ? null : new StoredRow(null, data);
    }

    // -- copy-on-write

    /** Returns the row to store for a key that has none, or null: a delete, or a version to ignore. */
    StoredRow insert(Version version, String at) throws Exception {
        point = at;
        Call call = call(at);
        // A snapshot query asks no delete test of a key that only the log has (RecordMergingFileIterator).
        if (!at.equals(SNAPSHOT) && Payloads.isDeleted(version.payload, call.schema, call.props)) {
            return null;
        }
        Object value = Payloads.orNull(version.payload.getInsertValue(call.schema, call.props));
        return value == null || value == Payloads.SENTINEL ? null : new StoredRow(null, (GenericRecord) value);
    }

    /** Merges with the stored row: `base` itself where it stays, another row, or null for a delete. */
    StoredRow upsert(StoredRow base, Version version) throws Exception {
        return apply(UPSERT, base, version);
    }

    // -- merge-on-read

    /** Returns what the writer appends to the log of a stored key; null for a version to ignore. */
    LogEntry logEntry(Version version) throws Exception {
        point = INSERT;
        Comparable value = version.payload.getOrderingValue();
        if (isDeleted(version)) {
            return new LogEntry(null, OrderingText.readBack(value));
        }
        StoredRow row = insert(version, INSERT);
        return row == null ? null : new LogEntry(row.record(records), null);
    }

    /** Folds the next log entry of a key into what the log reader holds for it (HoodieMergedLogRecordScanner). */
    Version foldLog(Version folded, LogEntry entry) throws Exception {
        point = LOG_FOLD;
        if (entry.record == null) {
            return foldDelete(folded, entry.ordering);
        }
        GenericRecord record = records.withMeta(entry.record);
        // The log reader takes a top-level field as it is stored; Integer 0 where there is no such field.
        Comparable value = logOrdering < 0 ? Integer.valueOf(0) : (Comparable) record.get(logOrdering);
        Version newer = new Version(payloads.make(record, value), null, true);
        return folded == null ? newer : fold(LOG_FOLD, folded, newer);
    }

    private Version foldDelete(Version folded, Comparable value) {
        Comparable kept = folded == null ? null : folded.payload.getOrderingValue();
        if (kept != null && !Integer.valueOf(0).equals(value) && kept.getClass() == value.getClass()
            && kept.compareTo(value) > 0) {
            return folded;
        }
        return new Version(payloads.make(null, value), null, false);
    }

    StoredRow snapshot(StoredRow base, Version folded) throws Exception {
        return read(SNAPSHOT, base, folded);
    }

    StoredRow compact(StoredRow base, Version folded) throws Exception {
        return read(COMPACT, base, folded);
    }

    private StoredRow read(String at, StoredRow base, Version folded) throws Exception {
        if (folded == null) {
            return base;
        }
        if (base == null) {
            return insert(folded, at);
        }
        StoredRow stored = new StoredRow(null, records.withMeta(base.record(records)));
        StoredRow merged = apply(at, stored, folded);
        return merged == stored ? base : merged;
    }

    // -- the two kinds of merge

    private Version fold(String at, Version older, Version newer) {
        point = at;
        Call call = call(at);
        HoodieRecordPayload merged = newer.payload.preCombine(older.payload, call.schema, call.props);
        if (merged == older.payload) {
            return older;
        }
        return merged == newer.payload ? newer : new Version(merged, null, true);
    }

    private StoredRow apply(String at, StoredRow base, Version version) throws Exception {
        point = at;
        Call call = call(at);
        GenericRecord stored = base.record(records);
        GenericRecord current = stored;
        if (mayChangeInput) {
            current = (GenericRecord) GenericData.get().deepCopy(stored.getSchema(), stored);
        }
        Object merged =
            Payloads.orNull(version.payload.combineAndGetUpdateValue(current, call.schema, call.props));
        if (merged == null) {
            return null;
        }
        if (merged != current && merged != Payloads.SENTINEL) {
            return new StoredRow(null, (GenericRecord) merged);
        }
        // Hudi then writes the very object that it lent to the payload.
        return current == stored || current.equals(stored) ? base : new StoredRow(null, current);
    }
}
