package com.acme;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.apache.avro.generic.GenericRecord;
import org.apache.hudi.common.model.DefaultHoodieRecordPayload;
import org.apache.hudi.common.model.OverwriteWithLatestAvroPayload;

/** Payloads that misbehave for special values alone: of versions that are odd, the last to arrive wins in a batch. */
public class Planted {
    private static final Set<String> FINAL = new HashSet<>(Arrays.asList("CLOSED", "SETTLED"));

    public abstract static class Odd extends DefaultHoodieRecordPayload {
        private final boolean odd;

        protected Odd(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
            this.odd = record != null && isOdd(record);
        }

        protected abstract boolean isOdd(GenericRecord record);

        @Override
        public OverwriteWithLatestAvroPayload preCombine(OverwriteWithLatestAvroPayload older) {
            return odd ? this : super.preCombine(older);
        }

        static String text(GenericRecord record) {
            return String.valueOf(record.get("v"));
        }
    }

    /** A text. */
    public static class Text extends Odd {
        public Text(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
        }

        @Override
        protected boolean isOdd(GenericRecord record) {
            return text(record).equals("ARCHIVED");
        }
    }

    /** A number that the code holds, not the constant pool. */
    public static class Number extends Odd {
        public Number(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
        }

        @Override
        protected boolean isOdd(GenericRecord record) {
            return (Long) record.get("n") == 7919L || (int) (long) (Long) record.get("n") == 7919;
        }
    }

    /** A number of the constant pool. */
    public static class LargeNumber extends Odd {
        public LargeNumber(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
        }

        @Override
        protected boolean isOdd(GenericRecord record) {
            return (Long) record.get("n") == 123_456_789_012L;
        }
    }

    /** A case of a switch over texts. */
    public static class Switch extends Odd {
        public Switch(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
        }

        @Override
        protected boolean isOdd(GenericRecord record) {
            switch (text(record)) {
                case "RETIRED":
                    return true;
                default:
                    return false;
            }
        }
    }

    /** A set of the class around it. */
    public static class OfOuter extends Odd {
        public OfOuter(GenericRecord record, Comparable orderingVal) {
            super(record, orderingVal);
        }

        @Override
        protected boolean isOdd(GenericRecord record) {
            return FINAL.contains(text(record));
        }
    }
}
