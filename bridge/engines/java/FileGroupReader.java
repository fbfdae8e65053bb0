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

    FileGroupReader(Map described, Records records, RecordMerge owner, Merging at) throws Throwable {
        this.records = records;
        this.at = at;
        boolean since11 = ((Boolean) described.get("since_1_1")).booleanValue();
        Map rule = (Map) described.get("read");
        String mode = (String) rule.get("mode");
        Schema schema = mode.equals(MergeMode.CUSTOM) ? records.withMeta : records.write;
        ordering = new OrderingFields(records, schema, (List) rule.get("ordering"), true, since11);
        deletes = new DeleteTest((Map) described.get("deletes"), records, schema);
        Properties props = Payloads.properties((Map) described.get("props"));
        CustomMerger.Asked asked = new CustomMerger.Asked(owner.payloads(rule, "payload"), props, false);
        RowContext context = new RowContext(records, schema, ordering, true, true);
        merger = ModeMerger.of(rule, asked, context, since11);
    }

    public Version foldLog(Version folded, LogEntry entry) throws Exception {
        at.enters(MergePoint.LOG_FOLD);
        if (entry.isDelete()) {
            return merger.foldDelete((Buffered) folded, entry.ordering);
        }
        Row row = entry.row.row(records);
        return merger.fold((Buffered) folded, new Buffered(row, null, deletes.isDelete(row), ordering.of(row)));
    }

    public Outcome read(String point, StoredRow base, Version folded) throws Exception {
        if (folded == null) {
            return Outcome.kept(base);
        }
        at.enters(point);
        Buffered newer = (Buffered) folded;
        if (base == null) {
            return newer.isDelete ? Outcome.SKIPPED : Outcome.inserted(new StoredRow(newer.source, null));
        }
        Row row = base.row(records);
        Buffered older = new Buffered(row, null, false, ordering.of(row));
        Buffered merged = merger.last(older, newer);
        if (merged == older) {
            return Outcome.kept(base);
        }
        return merged.isDelete ? Outcome.DELETED : Outcome.updated(new StoredRow(merged.source, null));
    }
}
