package org.apache.hudi.common.model;

import java.io.IOException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.avro.HoodieAvroUtils;
import org.apache.hudi.common.util.Option;

/** A fork in Hudi's own package, for 0.15, which reads the fields of another payload; comments as in OlderShapes. */
public class OlderFork extends OverwriteWithLatestAvroPayload {
    public OlderFork(GenericRecord record, Comparable orderingVal) {
        super(record, orderingVal);
    }

    @Override
    public OverwriteWithLatestAvroPayload preCombine(OverwriteWithLatestAvroPayload older) {
        if (older.recordBytes.length == 0) {
        // since 1.0: if (older.getRecordBytes().length == 0) {
            return this;
        }
        return older.orderingVal.compareTo(orderingVal) > 0 ? older : this;
    }

    @Override
    public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord current, Schema schema) throws IOException {
        if (recordBytes.length == 0 || isDeletedRecord) {
        // since 1.0: if (getRecordBytes().length == 0 || isDeletedRecord) {
            return Option.empty();
        }
        return Option.of(recordBytes)
        // since 1.0: return Option.of(getRecordBytes())
            .map(bytes -> merged((GenericRecord) current, bytes.length + this.recordBytes.length, schema));
            // since 1.0: .map(bytes -> merged((GenericRecord) current, bytes.length + this.getRecordBytes().length, schema));
    }

    private IndexedRecord merged(GenericRecord current, int size, Schema schema) {
        try {
            GenericRecord incoming = HoodieAvroUtils.bytesToAvro(recordBytes, schema);
            // since 1.0: GenericRecord incoming = HoodieAvroUtils.bytesToAvro(getRecordBytes(), schema);
            incoming.put("n", size + (Long) current.get("n"));
            return incoming;
        } catch (IOException unreadable) {
            throw new IllegalStateException(unreadable);
        }
    }
}
