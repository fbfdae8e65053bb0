package org.apache.hudi.common.model;

import java.io.IOException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.common.util.Option;

/** Reads a protected field of another object, which its package allows it in the class loader of Hudi alone. */
public class LinkedNear extends OverwriteWithLatestAvroPayload {
    public LinkedNear(GenericRecord record, Comparable ordering) {
        super(record, ordering);
    }

    public LinkedNear(Option<GenericRecord> record) {
        super(record);
    }

    @Override
    public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord stored, Schema schema) throws IOException {
        return Beside.orderingOf(this) == null ? Option.empty() : getInsertValue(schema);
    }

    /** Extends nothing of Hudi. */
    static class Beside {
        static Comparable orderingOf(BaseAvroPayload payload) {
            return payload.orderingVal;
        }
    }
}
