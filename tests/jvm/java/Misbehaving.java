package com.acme;

import java.io.IOException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.common.model.OverwriteWithLatestAvroPayload;
import org.apache.hudi.common.util.Option;

/** Classes that do what no class should, where the column v says so; any other row is overwritten. */
public class Misbehaving extends OverwriteWithLatestAvroPayload {
    public Misbehaving(GenericRecord record, Comparable orderingVal) {
        super(record, orderingVal);
    }

    @Override
    public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord current, Schema schema) throws IOException {
        GenericRecord record = (GenericRecord) getInsertValue(schema).get();
        switch (String.valueOf(record.get("v"))) {
            case "exit":
                System.exit(3);
                break;
            case "halt":
                Runtime.getRuntime().halt(4);
                break;
            case "exit-by-reference":
                java.util.function.IntConsumer exit = Runtime.getRuntime()::exit;
                exit.accept(5);
                break;
            case "loop":
                for (long i = 0; i >= 0; i = (i + 1) % 1000) {
                    spins = i;
                }
                break;
            case "sleep":
                try {
                    Thread.sleep(3_600_000);
                } catch (InterruptedException ended) {
                    throw new IOException(ended);
                }
                break;
            case "memory":
                long[][] all = new long[1000][];
                for (int i = 0; i < all.length; i++) {
                    all[i] = new long[Integer.MAX_VALUE - 8];
                }
                break;
            case "long-message":
                StringBuilder message = new StringBuilder();
                for (int i = 0; i < 1_000_000; i++) {
                    message.append("0123456789");
                }
                throw new IllegalStateException(message.toString());
            case "surrogate":
                throw new IllegalStateException("half \ud800 of a pair");
            case "other-key":
                record.put("id", "b");
                break;
            case "empty-record":
                return Option.of(new GenericData.Record(schema));
            default:
                break;
        }
        return Option.of(record);
    }

    static volatile long spins;
}
