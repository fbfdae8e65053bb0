package com.acme;

import java.io.IOException;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.avro.HoodieAvroUtils;
import org.apache.hudi.common.model.FirstValueAvroPayload;
import org.apache.hudi.common.model.HoodieAvroIndexedRecord;
import org.apache.hudi.common.model.HoodieKey;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.hudi.common.model.OverwriteWithLatestAvroPayload;
import org.apache.hudi.common.util.Option;

/** Payloads that use what Hudi had in 0.15 and has no longer. */
public class OlderHelpers {

    /** Writes what helpers answer into the column `v`. */
    public static class AsksHelpers extends OverwriteWithLatestAvroPayload {
        public AsksHelpers(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
        }

        @Override
        public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord current, Schema schema) throws IOException {
            GenericRecord merged = (GenericRecord) getInsertValue(schema).get();
            Schema wide = HoodieAvroUtils.addMetadataFields(HoodieAvroUtils.removeMetadataFields(schema));
            String meta = wide.getFields().stream().map(Schema.Field::name).filter(HoodieAvroUtils::isMetadataField)
                .collect(Collectors.joining(","));
            merged.put("v", String.join(" ", meta,
                HoodieAvroUtils.generateProjectionSchema(schema, Arrays.asList("ts", "id")).toString(),
                HoodieAvroUtils.RECORD_KEY_SCHEMA.getName(),
                HoodieAvroUtils.sanitizeName("1a-b"),
                String.valueOf(HoodieAvroUtils.unwrapAvroValueWrapper(HoodieAvroUtils.wrapValueIntoAvro(7L))),
                String.valueOf(HoodieAvroUtils.indexedRecordToBytes(merged).length),
                String.valueOf(HoodieAvroUtils.getNestedFieldSchemaFromWriteSchema(schema, "ts"))));
            return Option.of(merged);
        }
    }

    /** Extends a class that is gone. */
    public static class ExtendsGone extends FirstValueAvroPayload {
        public ExtendsGone(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
        }
    }

    /** Calls a method in whose place nothing stands. */
    public static class CallsAbstract extends OverwriteWithLatestAvroPayload {
        public CallsAbstract(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
        }

        @Override
        public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord current, Schema schema) throws IOException {
            HoodieRecord<?> record = new HoodieAvroIndexedRecord(new HoodieKey("a", ""), current);
            record.getRecordKey(schema, "id");
            return getInsertValue(schema);
        }
    }
}
