package com.acme;

import java.util.Objects;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.hudi.common.config.TypedProperties;
import org.apache.hudi.common.engine.RecordContext;
import org.apache.hudi.common.model.HoodieOperation;
import org.apache.hudi.common.model.HoodieRecord.HoodieRecordType;
import org.apache.hudi.common.model.HoodieRecordMerger;
import org.apache.hudi.common.table.read.BufferedRecord;

/** Mergers of Hudi 1.1 and 1.2 as users write them; those of tests/jvm/twin_mergers.py are the same in Python. */
public class NewMergers {

    /** Keeps the larger amount; of two equal ones, and without amounts, the newer one; deletes come as they are. */
    public static class Larger implements HoodieRecordMerger {
        @Override
        public <T> BufferedRecord<T> merge(
            BufferedRecord<T> older, BufferedRecord<T> newer, RecordContext<T> context, TypedProperties props) {
            if (older.getRecord() == null || newer.getRecord() == null) {
                return newer;
            }
            return merged(older, newer, props);
        }

        <T> BufferedRecord<T> merged(BufferedRecord<T> older, BufferedRecord<T> newer, TypedProperties props) {
            Long before = (Long) data(older).get("n");
            Long after = (Long) data(newer).get("n");
            return before != null && (after == null || before > after) ? older : newer;
        }

        @Override
        public HoodieRecordType getRecordType() {
            return HoodieRecordType.AVRO;
        }

        @Override
        public String getMergingStrategy() {
            return "5d1a2f6e-6f0b-4f0e-9d57-0a8f6b7c1e21";
        }

        static GenericRecord data(BufferedRecord<?> version) {
            return (GenericRecord) version.getRecord();
        }
    }

    /** Joins texts, names key and a property; deletes, edits or leaves alone, what its column `op` says. */
    public static class Joined extends Larger {
        @Override
        @SuppressWarnings("unchecked")
        <T> BufferedRecord<T> merged(BufferedRecord<T> older, BufferedRecord<T> newer, TypedProperties props) {
            String op = Objects.toString(data(newer).get("op"));
            if (op.equals("delete")) {
                return new BufferedRecord<>(newer.getRecordKey(), newer.getOrderingValue(), null, newer.getSchemaId(),
                    HoodieOperation.DELETE);
            }
            if (op.equals("keep")) {
                return older;
            }
            String joined = data(older).get("v") + "+" + data(newer).get("v") + " of " + newer.getRecordKey() + " by "
                + props.getString("acme.step", "none");
            if (op.equals("ignore")) {
                data(older).put("v", joined);
                return older;
            }
            GenericData.Record made = new GenericData.Record((GenericData.Record) newer.getRecord(), true);
            made.put("v", joined);
            return new BufferedRecord<>(newer.getRecordKey(), null, (T) made, newer.getSchemaId(), null);
        }
    }

    public static class AnswersNull extends Larger {
        @Override
        <T> BufferedRecord<T> merged(BufferedRecord<T> older, BufferedRecord<T> newer, TypedProperties props) {
            return null;
        }
    }
}
