package com.acme;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Calendar;
import java.util.Date;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.common.model.OverwriteWithLatestAvroPayload;
import org.apache.hudi.common.util.Option;

/** Payloads that let chance or their surroundings decide which of two versions stays. */
public final class Undetermined {
    private Undetermined() {
    }

    public abstract static class Tie extends OverwriteWithLatestAvroPayload {
        protected Tie(GenericRecord record, Comparable ordering) {
            super(record, ordering);
        }

        protected abstract boolean olderWins(Object older, Object newer);

        @Override
        public OverwriteWithLatestAvroPayload preCombine(OverwriteWithLatestAvroPayload older) {
            int order = ((Comparable) older.getOrderingValue()).compareTo(getOrderingValue());
            return order > 0 || order == 0 && olderWins(older, this) ? older : this;
        }
    }

    public static class Hour extends Tie {
        public Hour(GenericRecord record, Comparable ordering) {
            super(record, ordering);
        }

        protected boolean olderWins(Object older, Object newer) {
            return LocalDateTime.now().getHour() < 12;
        }
    }

    public static class Millis extends Tie {
        public Millis(GenericRecord record, Comparable ordering) {
            super(record, ordering);
        }

        protected boolean olderWins(Object older, Object newer) {
            return System.currentTimeMillis() / 1000 % 2 == 0;
        }
    }

    public static class Nanos extends Tie {
        public Nanos(GenericRecord record, Comparable ordering) {
            super(record, ordering);
        }

        protected boolean olderWins(Object older, Object newer) {
            return System.nanoTime() > 1_000_000_000_000_000_000L;
        }
    }

    public static class Later extends Tie {
        public Later(GenericRecord record, Comparable ordering) {
            super(record, ordering);
        }

        protected boolean olderWins(Object older, Object newer) {
            return Instant.now().isAfter(Instant.parse("2030-01-01T00:00:00Z"));
        }
    }

    public static class Dates extends Tie {
        public Dates(GenericRecord record, Comparable ordering) {
            super(record, ordering);
        }

        protected boolean olderWins(Object older, Object newer) {
            LongSupplier clock = System::currentTimeMillis;
            boolean agree = new Date().getYear() == Calendar.getInstance().get(Calendar.YEAR) - 1900
                && LocalDate.now().getYear() == new Date(clock.getAsLong()).getYear() + 1900;
            return agree && new Date().getMonth() < 6;
        }
    }

    public static class Seldom extends Tie {
        public Seldom(GenericRecord record, Comparable ordering) {
            super(record, ordering);
        }

        protected boolean olderWins(Object older, Object newer) {
            return Math.random() < 0.001;
        }
    }

    public static class Numbers extends Tie {
        public Numbers(GenericRecord record, Comparable ordering) {
            super(record, ordering);
        }

        protected boolean olderWins(Object older, Object newer) {
            return new Random().nextBoolean();
        }
    }

    public static class Threads extends Tie {
        public Threads(GenericRecord record, Comparable ordering) {
            super(record, ordering);
        }

        protected boolean olderWins(Object older, Object newer) {
            return ThreadLocalRandom.current().nextBoolean();
        }
    }

    public static class Uuids extends Tie {
        public Uuids(GenericRecord record, Comparable ordering) {
            super(record, ordering);
        }

        protected boolean olderWins(Object older, Object newer) {
            return UUID.randomUUID().compareTo(UUID.randomUUID()) < 0;
        }
    }

    public static class Identity extends Tie {
        public Identity(GenericRecord record, Comparable ordering) {
            super(record, ordering);
        }

        protected boolean olderWins(Object older, Object newer) {
            return System.identityHashCode(older) < System.identityHashCode(newer);
        }
    }

    public static class Hashes extends Tie {
        public Hashes(GenericRecord record, Comparable ordering) {
            super(record, ordering);
        }

        protected boolean olderWins(Object older, Object newer) {
            Object first = new Object();
            Set<Object> both = new HashSet<>();
            both.add(first);
            both.add(new Object());
            return both.iterator().next() == first;
        }
    }

    public static class Variable extends Tie {
        public Variable(GenericRecord record, Comparable ordering) {
            super(record, ordering);
        }

        protected boolean olderWins(Object older, Object newer) {
            return String.valueOf(System.getenv("LANG")).startsWith("tr");
        }
    }

    public static class Locales extends Tie {
        public Locales(GenericRecord record, Comparable ordering) {
            super(record, ordering);
        }

        protected boolean olderWins(Object older, Object newer) {
            return "ID".toLowerCase().equals("id");
        }
    }

    public static class Zone extends Tie {
        public Zone(GenericRecord record, Comparable ordering) {
            super(record, ordering);
        }

        protected boolean olderWins(Object older, Object newer) {
            return java.util.TimeZone.getDefault().getRawOffset() > 0;
        }
    }

    public static class EveryOther extends Tie {
        private static final AtomicInteger CALLS = new AtomicInteger();

        public EveryOther(GenericRecord record, Comparable ordering) {
            super(record, ordering);
        }

        protected boolean olderWins(Object older, Object newer) {
            return CALLS.incrementAndGet() % 2 == 0;
        }
    }

    public static class FirstCall extends Tie {
        private static final AtomicInteger CALLS = new AtomicInteger();

        public FirstCall(GenericRecord record, Comparable ordering) {
            super(record, ordering);
        }

        protected boolean olderWins(Object older, Object newer) {
            return CALLS.incrementAndGet() == 1;
        }
    }

    public static class Exits extends Tie {
        public Exits(GenericRecord record, Comparable ordering) {
            super(record, ordering);
        }

        protected boolean olderWins(Object older, Object newer) {
            if (System.getProperty("payload.bridge.varied") != null) {
                Runtime.getRuntime().halt(7);
            }
            return false;
        }
    }

    /** Ends Java by reflection, which no rewriting of calls sees. */
    public static class Dies extends Tie {
        public Dies(GenericRecord record, Comparable ordering) {
            super(record, ordering);
        }

        protected boolean olderWins(Object older, Object newer) {
            if (System.getProperty("payload.bridge.varied") != null) {
                try {
                    Runtime.class.getMethod("halt", int.class).invoke(Runtime.getRuntime(), 7);
                } catch (ReflectiveOperationException error) {
                    throw new IllegalStateException(error);
                }
            }
            return false;
        }
    }

    /** It looks at everything, and lets nothing of it decide. */
    public static class Unmoved extends Tie {
        public Unmoved(GenericRecord record, Comparable ordering) {
            super(record, ordering);
        }

        protected boolean olderWins(Object older, Object newer) {
            double seeded = new Random(7).nextDouble() + Math.random() * 0 + new Date().getTime() * 0;
            return seeded < 0.5 == (UUID.randomUUID().version() == 4) && new Random().nextInt(9) < 9;
        }
    }
}
