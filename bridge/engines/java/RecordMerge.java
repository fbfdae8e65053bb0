package bridge.jvm;

import bridge.jvm.Carriers.StoredRow;
import bridge.jvm.Carriers.Version;
import bridge.jvm.Constants.MergePoint;
import java.util.HashMap;
import java.util.Map;

/** Writer and reader of a release, as the description of a job says: bridge/merge/record_merge.py for compiled classes. */
final class RecordMerge {
    final Records records;
    final Merging.Writer writer;
    final Merging.Reader reader;
    /** Whether a batch is deduplicated first. */
    final boolean combines;
    /** Whether new keys of a merge-on-read table go to base files, else to logs. */
    final boolean insertsToBase;
    final Watch watch;
    private final Merging at;
    private final Map classes = new HashMap();

    RecordMerge(Map job, Records records) throws Throwable {
        this.records = records;
        watch = new Watch(((Integer) job.get("call_timeout")).intValue());
        at = new Merging(watch);
        combines = ((Boolean) job.get("combines")).booleanValue();
        insertsToBase = ((Boolean) job.get("inserts_to_base")).booleanValue();
        Map byPayload = (Map) job.get("by_payload");
        Map writes = (Map) job.get("mode_writer");
        Map reads = (Map) job.get("mode_reader");
        if (writes == null) {
            writer = new PayloadMerge.Writer(byPayload, records, payloads(byPayload, "payload"), at);
        } else {
            writer = new ModeWriter(writes, records, this, at);
        }
        if (reads == null) {
            reader = new PayloadMerge.LogScanner(byPayload, records, payloads(byPayload, "payload"), at);
        } else {
            reader = new FileGroupReader(reads, records, this, at);
        }
    }

    /** Returns the class that a description names, one object a class; null where it names none. */
    Payloads payloads(Map described, String name) throws Throwable {
        Object payload = described.get(name);
        if (payload != null && !classes.containsKey(payload)) {
            classes.put(payload, new Payloads((String) payload));
        }
        return (Payloads) classes.get(payload);
    }

    /** Returns the merge point of the current call; null outside all of them. */
    String point() {
        return at.point;
    }

    /** Notes where a failure is that no call of writer or reader raises; null for none of the merge points. */
    void failsAt(String point) {
        at.point = point;
    }

    Outcome snapshot(StoredRow base, Version folded) throws Exception {
        return reader.read(MergePoint.SNAPSHOT, base, folded);
    }

    Outcome compact(StoredRow base, Version folded) throws Exception {
        return reader.read(MergePoint.COMPACT, base, folded);
    }
}
