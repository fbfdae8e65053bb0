package com.acme;

import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.util.Utf8;
import org.apache.hudi.AvroConversionUtils;
import org.apache.hudi.common.config.TypedProperties;
import org.apache.hudi.common.model.HoodieKey;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.hudi.common.model.HoodieRecordMerger;
import org.apache.hudi.common.model.HoodieSparkRecord;
import org.apache.hudi.common.model.OperationModeAwareness;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.common.util.collection.Pair;
import org.apache.spark.sql.HoodieInternalRowUtils;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructType;

/** Merges two versions by each merger that is named, with the stored row and within a batch: a line for each. */
public class AskMergers {
    private static final TypedProperties PROPS = new TypedProperties();

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
        PROPS.setProperty("hoodie.datasource.write.precombine.field", "ts");
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
        Option<Pair<HoodieRecord, Schema>> merged =
            merger.merge(version(schema, 1, "x", 40L), schema, version(schema, 2, null, 2L), schema, PROPS);
        if (!merged.isPresent()) {
            return "deleted";
        }
        Pair<HoodieRecord, Schema> version = merged.get();
        StructType columns = HoodieInternalRowUtils.getCachedSchema(version.getRight());
        InternalRow row = (InternalRow) version.getLeft().getData();
        return AvroConversionUtils.createInternalRowToAvroConverter(columns, version.getRight(), false)
            .apply(row).toString();
    }

    private static HoodieRecord version(Schema schema, int ts, String v, long n) {
        GenericRecord record = new GenericData.Record(schema);
        record.put("id", new Utf8("a"));
        record.put("ts", (long) ts);
        record.put("v", v == null ? null : new Utf8(v));
        record.put("n", n);
        StructType columns = HoodieInternalRowUtils.getCachedSchema(schema);
        InternalRow row = AvroConversionUtils.createAvroToInternalRowConverter(schema, columns).apply(record).get();
        return new HoodieSparkRecord(new HoodieKey("a", ""), row.copy(), columns, false);
    }
}
