package com.acme;

import java.io.IOException;
import java.util.Properties;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.common.model.DefaultHoodieRecordPayload;
import org.apache.hudi.common.util.Option;

/** A payload compiled for Hudi 1.2: its overrides and its calls are those of 1.1 and later. */
public class NewLinked extends DefaultHoodieRecordPayload {
    public NewLinked(GenericRecord record, Comparable ordering) {
        super(record, ordering);
    }

    public NewLinked(Option<GenericRecord> record) {
        super(record);
    }

    @Override
    public Option<IndexedRecord> getIndexedRecord(Schema schema, Properties props) throws IOException {
        return getInsertValue(schema, props);
    }

    @Override
    public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord stored, Schema schema, Properties props)
        throws IOException {
        return getRecordBytes().length == 0 ? Option.empty() : getInsertValue(schema, props);
    }
}
