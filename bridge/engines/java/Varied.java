package bridge.jvm;

import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Calendar;
import java.util.Locale;
import java.util.Random;
import java.util.TimeZone;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Another clock and other random numbers, which `Redirects` puts in place of Java's own.
 *
 * The property payload.bridge.varied turns it on: where the clock starts, in nanoseconds, and a setting of randomness.
 */
public final class Varied {
    private static final String ASKED = System.getProperty("payload.bridge.varied");
    private static final int POWER = 8;
    private static final long TICK = 1001L;
    private static final long START = ASKED == null ? 0 : Long.parseLong(ASKED.split(",")[0]);
    private static final int LEAN = ASKED == null ? 0 : Integer.parseInt(ASKED.split(",")[1]);
    private static final AtomicLong LOOKS = new AtomicLong(START);
    private static final Random NUMBERS = new Random(LEAN);

    private Varied() {
    }

    static boolean isOn() {
        return ASKED != null;
    }

    // -- the clock: each look at it moves it, so that the same calls see the same times

    public static long nanoTime() {
        return LOOKS.getAndAdd(TICK);
    }

    public static long currentTimeMillis() {
        return nanoTime() / 1000000;
    }

    public static Instant instant() {
        long nanos = nanoTime();
        return Instant.ofEpochSecond(nanos / 1000000000, nanos % 1000000000);
    }

    /** A clock that looks anew each time it is asked. */
    private static final class Ticking extends Clock {
        private final ZoneId zone;

        Ticking(ZoneId zone) {
            this.zone = zone;
        }

        public ZoneId getZone() {
            return zone;
        }

        public Clock withZone(ZoneId other) {
            return new Ticking(other);
        }

        public Instant instant() {
            return Varied.instant();
        }
    }

    public static Clock system(ZoneId zone) {
        return new Ticking(zone);
    }

    public static Clock systemUTC() {
        return system(ZoneId.of("Z"));
    }

    public static Clock systemDefaultZone() {
        return system(ZoneId.systemDefault());
    }

    public static LocalDate localDate() {
        return LocalDate.now(systemDefaultZone());
    }

    public static LocalDate localDate(ZoneId zone) {
        return LocalDate.now(system(zone));
    }

    public static LocalTime localTime() {
        return LocalTime.now(systemDefaultZone());
    }

    public static LocalTime localTime(ZoneId zone) {
        return LocalTime.now(system(zone));
    }

    public static LocalDateTime localDateTime() {
        return LocalDateTime.now(systemDefaultZone());
    }

    public static LocalDateTime localDateTime(ZoneId zone) {
        return LocalDateTime.now(system(zone));
    }

    public static ZonedDateTime zonedDateTime() {
        return ZonedDateTime.now(systemDefaultZone());
    }

    public static ZonedDateTime zonedDateTime(ZoneId zone) {
        return ZonedDateTime.now(system(zone));
    }

    public static OffsetDateTime offsetDateTime() {
        return OffsetDateTime.now(systemDefaultZone());
    }

    public static OffsetDateTime offsetDateTime(ZoneId zone) {
        return OffsetDateTime.now(system(zone));
    }

    public static OffsetTime offsetTime() {
        return OffsetTime.now(systemDefaultZone());
    }

    public static OffsetTime offsetTime(ZoneId zone) {
        return OffsetTime.now(system(zone));
    }

    public static Year year() {
        return Year.now(systemDefaultZone());
    }

    public static Year year(ZoneId zone) {
        return Year.now(system(zone));
    }

    public static YearMonth yearMonth() {
        return YearMonth.now(systemDefaultZone());
    }

    public static YearMonth yearMonth(ZoneId zone) {
        return YearMonth.now(system(zone));
    }

    public static MonthDay monthDay() {
        return MonthDay.now(systemDefaultZone());
    }

    public static MonthDay monthDay(ZoneId zone) {
        return MonthDay.now(system(zone));
    }

    private static Calendar set(Calendar calendar) {
        calendar.setTimeInMillis(currentTimeMillis());
        return calendar;
    }

    public static Calendar calendar() {
        return set(Calendar.getInstance());
    }

    public static Calendar calendar(TimeZone zone) {
        return set(Calendar.getInstance(zone));
    }

    public static Calendar calendar(Locale locale) {
        return set(Calendar.getInstance(locale));
    }

    public static Calendar calendar(TimeZone zone, Locale locale) {
        return set(Calendar.getInstance(zone, locale));
    }

    // -- random numbers: they lean to small ones in setting 1, to great ones in 2

    public static double random() {
        double drawn;
        synchronized (NUMBERS) {
            drawn = NUMBERS.nextDouble();
        }
        double low = Math.pow(drawn, POWER);
        return LEAN == 1 ? low : LEAN == 2 ? Math.max(0, Math.nextDown(1.0 - low)) : drawn;
    }

    public static long seed() {
        synchronized (NUMBERS) {
            return NUMBERS.nextLong();
        }
    }

    public static UUID randomUUID() {
        return new UUID(seed() & ~0xf000L | 0x4000L, seed() & Long.MAX_VALUE >>> 1 | Long.MIN_VALUE);
    }
}
