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
import org.apache.avro.Schema;
import org.apache.spark.sql.Row;

/** What readers and compaction call from 1.0 on, where rows are Spark's own: bridge/merge/file_group_reader.py. */
final class FileGroupReader implements Merging.Reader {
    private final Records records;
    private final Merging at;
    private final OrderingFields ordering;
    private final DeleteTest deletes;
    private final ModeMerger merger;
    /** That of queries, where they pass other properties than compactions do; else null. */
    private final ModeMerger ofQueries;

    FileGroupReader(Map described, Records records, RecordMerge owner, Merging at) throws Throwable {
        this.records = records;
        this.at = at;
        boolean since11 = ((Boolean) described.get("since_1_1")).booleanValue();
        Map rule = (Map) described.get("read");
        String mode = (String) rule.get("mode");
        Schema schema = mode.equals(MergeMode.CUSTOM) ? records.withMeta : records.write;
        ordering = new OrderingFields(records, schema, (List) rule.get("ordering"), true, since11);
        deletes = new DeleteTest((Map) described.get("deletes"), records, schema);
        RowContext context = new RowContext(records, schema, ordering, true, true);
        Payloads payloads = owner.payloads(rule, "payload");
        merger = merger(rule, payloads, (Map) described.get("props"), context, since11);
        Map queried = (Map) described.get("query_props");
        ofQueries = queried == null ? null : merger(rule, payloads, queried, context, since11);
    }

    private static ModeMerger merger(Map rule, Payloads payloads, Map props, RowContext context, boolean since11)
        throws Throwable {
        CustomMerger.Asked asked = new CustomMerger.Asked(payloads, Payloads.properties(props), false);
        return ModeMerger.of(rule, asked, context, since11);
    }

    public Version foldLog(Version folded, LogEntry entry) throws Exception {
        at.enters(MergePoint.LOG_FOLD);
        Buffered before = (Buffered) folded;
        if (ofQueries == null) {
            return fold(merger, before, entry);
        }
        Buffered compacted = fold(merger, before == null ? null : before.compacted, entry);
        Buffered result = fold(ofQueries, before, entry);
        result.compacted = compacted;
        return result;
    }

    private Buffered fold(ModeMerger by, Buffered folded, LogEntry entry) throws Exception {
        if (entry.isDelete()) {
            return by.foldDelete(folded, entry.ordering);
        }
        Row row = entry.row.row(records);
        return by.fold(folded, new Buffered(row, null, deletes.isDelete(row), ordering.of(row)));
    }

    public Outcome read(String point, StoredRow base, Version folded) throws Exception {
        if (folded == null) {
            return Outcome.kept(base);
        }
        at.enters(point);
        boolean isQuery = ofQueries != null && point.equals(MergePoint.SNAPSHOT);
        Buffered newer = (Buffered) folded;
        newer = ofQueries == null || isQuery ? newer : newer.compacted;
        if (base == null) {
            return newer.isDelete ? Outcome.SKIPPED : Outcome.inserted(new StoredRow(newer.source, null));
        }
        Row row = base.row(records);
        Buffered older = new Buffered(row, null, false, ordering.of(row));
        Buffered merged = (isQuery ? ofQueries : merger).last(older, newer);
        if (merged == older) {
            return Outcome.kept(base);
        }
        return merged.isDelete ? Outcome.DELETED : Outcome.updated(new StoredRow(merged.source, null));
    }
}
