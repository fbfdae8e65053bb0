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
import org.apache.avro.generic.GenericRecord;
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
    /** The class that is asked for the insert value of a row that only the log has, from 1.1 on; else null. */
    private final Payloads asked;
    private final Inserts inserts;
    private final Schema schema;
    private final Properties props;
    private final Properties queryProps;

    FileGroupReader(Map described, Records records, RecordMerge owner, Merging at) throws Throwable {
        this.records = records;
        this.at = at;
        boolean since11 = ((Boolean) described.get("since_1_1")).booleanValue();
        Map rule = (Map) described.get("read");
        String mode = (String) rule.get("mode");
        schema = mode.equals(MergeMode.CUSTOM) ? records.withMeta : records.write;
        ordering = new OrderingFields(records, schema, (List) rule.get("ordering"), true, since11);
        deletes = new DeleteTest((Map) described.get("deletes"), records, schema);
        RowContext context = new RowContext(records, schema, ordering, true, true);
        Payloads payloads = owner.payloads(rule, "payload");
        asked = since11 && payloads != null && payloads.mayChangeInput ? payloads : null;
        inserts = new Inserts((Map) described.get("refused"));
        props = Payloads.properties((Map) described.get("props"));
        merger = ModeMerger.of(rule, new CustomMerger.Asked(payloads, props, false), context, since11);
        Map queried = (Map) described.get("query_props");
        queryProps = queried == null ? props : Payloads.properties(queried);
        ofQueries = queried == null ? null
            : ModeMerger.of(rule, new CustomMerger.Asked(payloads, queryProps, false), context, since11);
    }

    /** Returns a row that only the log has, as its payload inserts it; null for one to ignore. */
    private Row inserted(Row row, Properties given) throws Exception {
        if (asked == null) {
            return row;
        }
        GenericRecord own = records.wide(row);
        GenericRecord value = inserts.of(asked.around(own, ordering.of(row)), schema, given);
        return value == null ? null : records.row(value);
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
            Row row = newer.isDelete ? null : inserted(newer.source, isQuery ? queryProps : props);
            return row == null ? Outcome.SKIPPED : Outcome.inserted(new StoredRow(row, null));
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
