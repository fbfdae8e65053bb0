package com.acme;

import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.common.model.HoodieRecordPayload;
import org.apache.hudi.common.util.Option;

/** A user's class: it adds quantities, ignores rows named `skip`, and deletes below zero. */
public class Balance implements HoodieRecordPayload<Balance> {
    private final GenericRecord record;

    public Balance(GenericRecord record, Comparable orderingVal) {
        this.record = record;
    }

    @Override
    public Balance preCombine(Balance older) {
        return new Balance(added(older.record), 0);
    }

    @Override
    public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord current, Schema schema) {
        if ("skip".equals(String.valueOf(record.get("name")))) {
            return Option.of(current);
        }
        return notNegative(added((GenericRecord) current));
    }

    @Override
    public Option<IndexedRecord> getInsertValue(Schema schema) {
        return notNegative(record);
    }

    private GenericRecord added(GenericRecord older) {
        GenericRecord sum = GenericData.get().deepCopy(record.getSchema(), record);
        sum.put("qty", (Integer) older.get("qty") + (Integer) record.get("qty"));
        return sum;
    }

    private static Option<IndexedRecord> notNegative(GenericRecord found) {
        return (Integer) found.get("qty") < 0 ? Option.empty() : Option.of(found);
    }
}
