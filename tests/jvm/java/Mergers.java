package com.acme;

import java.util.Objects;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.hudi.common.config.TypedProperties;
import org.apache.hudi.common.model.HoodieEmptyRecord;
import org.apache.hudi.common.model.HoodieAvroIndexedRecord;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.hudi.common.model.HoodieRecord.HoodieRecordType;
import org.apache.hudi.common.model.HoodieRecordMerger;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.common.util.collection.Pair;

/** Mergers of Hudi 1.0 as users write them; those of tests/jvm/test_compiled_mergers.py are the same in Python. */
public class Mergers {

    /** What all have. */
    public abstract static class OfAvro implements HoodieRecordMerger {
        abstract HoodieRecord merged(HoodieRecord older, HoodieRecord newer, Schema schema, TypedProperties props);

        @Override
        public Option<Pair<HoodieRecord, Schema>> merge(
            HoodieRecord older, Schema oldSchema, HoodieRecord newer, Schema newSchema, TypedProperties props) {
            HoodieRecord merged = merged(older, newer, newSchema, props);
            return merged == null ? Option.empty() : Option.of(Pair.of(merged, newSchema));
        }

        @Override
        public HoodieRecordType getRecordType() {
            return HoodieRecordType.AVRO;
        }

        @Override
        public String getMergingStrategy() {
            return "5d1a2f6e-6f0b-4f0e-9d57-0a8f6b7c1e21";
        }

        static GenericRecord data(HoodieRecord record) {
            return (GenericRecord) record.getData();
        }
    }

    /** Keeps the larger amount; of two equal ones, and without amounts, the newer one. */
    public static class Larger extends OfAvro {
        @Override
        HoodieRecord merged(HoodieRecord older, HoodieRecord newer, Schema schema, TypedProperties props) {
            Long before = (Long) data(older).get("n");
            Long after = (Long) data(newer).get("n");
            return before != null && (after == null || before > after) ? older : newer;
        }
    }

    /** Joins texts, names key and a property; deletes, or leaves alone, what its column `op` says. */
    public static class Marked extends OfAvro {
        @Override
        HoodieRecord merged(HoodieRecord older, HoodieRecord newer, Schema schema, TypedProperties props) {
            String op = Objects.toString(data(newer).get("op"));
            if (op.equals("delete") || op.equals("keep")) {
                return op.equals("keep") ? older : null;
            }
            GenericData.Record joined = new GenericData.Record(schema);
            for (Schema.Field field : schema.getFields()) {
                joined.put(field.pos(), data(newer).get(field.name()));
            }
            joined.put("v", data(older).get("v") + "+" + data(newer).get("v") + " of " + newer.getRecordKey() + " in "
                + newer.getPartitionPath() + " by " + props.getString("acme.step", "none"));
            return new HoodieAvroIndexedRecord(newer.getKey(), joined);
        }
    }

    public static class ChangesInput extends OfAvro {
        @Override
        HoodieRecord merged(HoodieRecord older, HoodieRecord newer, Schema schema, TypedProperties props) {
            data(older).put("v", "changed");
            return older;
        }
    }

    public static class AnswersEmpty extends OfAvro {
        @Override
        HoodieRecord merged(HoodieRecord older, HoodieRecord newer, Schema schema, TypedProperties props) {
            boolean isEmpty = Objects.toString(data(newer).get("op")).equals("empty");
            return isEmpty ? new HoodieEmptyRecord(newer.getKey(), null, 9L, HoodieRecordType.AVRO) : newer;
        }
    }

    public static class AnswersNull extends OfAvro {
        @Override
        public Option<Pair<HoodieRecord, Schema>> merge(
            HoodieRecord older, Schema oldSchema, HoodieRecord newer, Schema newSchema, TypedProperties props) {
            return null;
        }

        @Override
        HoodieRecord merged(HoodieRecord older, HoodieRecord newer, Schema schema, TypedProperties props) {
            return null;
        }
    }

    public static class Throwing extends Larger {
        @Override
        HoodieRecord merged(HoodieRecord older, HoodieRecord newer, Schema schema, TypedProperties props) {
            if (newer.getRecordKey().equals("bad")) {
                throw new IllegalStateException("no rule", new RuntimeException("this order was cancelled"));
            }
            return newer;
        }
    }

    public static class OfSpark extends Larger {
        @Override
        public HoodieRecordType getRecordType() {
            return HoodieRecordType.SPARK;
        }
    }

    public static class NoStrategy extends Larger {
        @Override
        public String getMergingStrategy() {
            return null;
        }
    }

    public static class ByPayload extends Larger {
        @Override
        public String getMergingStrategy() {
            return HoodieRecordMerger.PAYLOAD_BASED_MERGE_STRATEGY_UUID;
        }
    }

    public static class ByEventTime extends Larger {
        @Override
        public String getMergingStrategy() {
            return HoodieRecordMerger.EVENT_TIME_BASED_MERGE_STRATEGY_UUID;
        }
    }

    public static class WithArgument extends Larger {
        public WithArgument(String rule) {
        }
    }

    public static class CannotBeBuilt extends Larger {
        public CannotBeBuilt() {
            throw new IllegalStateException("no settings");
        }
    }

    static class Hidden extends Larger {
    }

    public static class NoMerger {
    }
}
