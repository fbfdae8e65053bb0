package com.acme;

import java.util.Base64;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.apache.hudi.exception.HoodieException;

/** Asks a generated OrderMerger what it makes of pairs of rows, as base64 of their Avro bytes; "-" is a delete. */
public final class AskRules {
    private AskRules() {
    }

    public static String answers(String schemaText, String pairs) throws Exception {
        Schema schema = new Schema.Parser().parse(schemaText);
        OrderMerger merger = new OrderMerger();
        StringBuilder told = new StringBuilder();
        for (String line : pairs.split("\n")) {
            String[] sides = line.split(" ");
            try {
                OrderMerger.Version merged = merger.merged(version(sides[0], schema), version(sides[1], schema));
                told.append(merged == null || merged.row == null ? "-" : written(merged.row, schema));
            } catch (HoodieException error) {
                told.append("!");
            }
            told.append("\n");
        }
        return told.toString();
    }

    private static OrderMerger.Version version(String text, Schema schema) throws Exception {
        if (text.equals("-")) {
            return new OrderMerger.Version(null, 0, true);
        }
        byte[] bytes = Base64.getDecoder().decode(text);
        GenericRecord row = new GenericDatumReader<GenericRecord>(schema)
            .read(null, DecoderFactory.get().binaryDecoder(bytes, null));
        return new OrderMerger.Version(row, (Comparable) row.get("ts"), false);
    }

    private static String written(GenericRecord row, Schema schema) throws Exception {
        java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();
        BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(out, null);
        new GenericDatumWriter<GenericRecord>(schema).write(row, encoder);
        encoder.flush();
        return Base64.getEncoder().encodeToString(out.toByteArray());
    }
}
