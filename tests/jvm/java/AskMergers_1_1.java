package com.acme;

import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.avro.util.Utf8;
import org.apache.hudi.avro.AvroRecordContext;
import org.apache.hudi.common.config.TypedProperties;
import org.apache.hudi.common.model.HoodieOperation;
import org.apache.hudi.common.model.HoodieRecordMerger;
import org.apache.hudi.common.model.OperationModeAwareness;
import org.apache.hudi.common.table.read.BufferedRecord;

/** Merges two versions by each merger that is named, with the stored row and within a batch: a line for each. */
public class AskMergers {
    private static final TypedProperties PROPS = new TypedProperties();
    private static final AvroRecordContext CONTEXT = AvroRecordContext.getFieldAccessorInstance();

    public static String answers(String schema, String names) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader loader = thread.getContextClassLoader();
        thread.setContextClassLoader(AskMergers.class.getClassLoader());
        try {
            return lines(new Schema.Parser().parse(schema), names.split(" "));
        } finally {
            thread.setContextClassLoader(loader);
        }
    }

    private static String lines(Schema schema, String[] names) throws Exception {
        PROPS.setProperty("hoodie.table.ordering.fields", "ts");
        StringBuilder lines = new StringBuilder();
        for (String name : names) {
            HoodieRecordMerger merger = (HoodieRecordMerger) Class.forName(name).getConstructor().newInstance();
            HoodieRecordMerger ofBatch = ((OperationModeAwareness) merger).asPreCombiningMode();
            lines.append(merger.getMergingStrategy()).append(" ").append(merger.getRecordType()).append(" | ")
                .append(told(merger, schema)).append(" | ").append(told(ofBatch, schema)).append("\n");
        }
        return lines.toString();
    }

    private static String told(HoodieRecordMerger merger, Schema schema) throws Exception {
        BufferedRecord<IndexedRecord> merged =
            merger.merge(version(schema, 1, "x", 40L), version(schema, 2, null, 2L), CONTEXT, PROPS);
        String ordering = "@" + merged.getOrderingValue();
        return merged.isDelete() ? "deleted" + ordering : merged.getRecord() + ordering;
    }

    private static BufferedRecord<IndexedRecord> version(Schema schema, int ts, String v, long n) throws Exception {
        GenericRecord record = new GenericData.Record(schema);
        record.put("id", new Utf8("a"));
        record.put("ts", (long) ts);
        record.put("v", v == null ? null : new Utf8(v));
        record.put("n", n);
        return new BufferedRecord<>("a", (long) ts, record, schemaId(schema), (HoodieOperation) null);
    }

    /** Hudi 1.1 numbers an Avro schema, 1.2 one of its own around it. */
    private static Integer schemaId(Schema schema) throws Exception {
        try {
            return (Integer) CONTEXT.getClass().getMethod("encodeAvroSchema", Schema.class).invoke(CONTEXT, schema);
        } catch (NoSuchMethodException e) {
            Class<?> own = Class.forName("org.apache.hudi.common.schema.HoodieSchema");
            Object wrapped = own.getMethod("fromAvroSchema", Schema.class).invoke(null, schema);
            return (Integer) CONTEXT.getClass().getMethod("encodeSchema", own).invoke(CONTEXT, wrapped);
        }
    }
}
